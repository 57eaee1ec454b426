"""Runs the tests of real clients, each with the Python of a virtual environment of its own, on the simulator.

python -m tests.clients.run [--explain] [CLIENT...] [-- ARGUMENTS OF PYTEST]

With --explain the layer stands between the client and the simulator, and the same tests pass.
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).parent
TOP = HERE.parents[1]
BUILD = TOP / "build" / "clients"
CLIENTS = tuple(sorted(path.parent.name for path in HERE.glob("*/requirements.txt")))


def environment(client: str) -> Path:
    """The Python of a client's virtual environment, made where its requirements have changed."""
    wanted = (HERE / client / "requirements.txt").read_text("utf-8") + (TOP / "pyproject.toml").read_text("utf-8")
    folder = BUILD / client
    python, stamp = folder / "bin" / "python", folder / "requirements.txt"
    if not stamp.is_file() or stamp.read_text("utf-8") != wanted:
        print(f"making the virtual environment of {client} in {folder}", flush=True)
        venv.create(folder, with_pip=True, clear=True)
        words = [str(python), "-m", "pip", "install", "--quiet", "-r", str(HERE / client / "requirements.txt")]
        subprocess.run([*words, "-e", str(TOP)], check=True)
        stamp.write_text(wanted, "utf-8")
    return python


def run(client: str, options: Sequence[str], arguments: Sequence[str]) -> int:
    """The status of pytest over a client's tests; ``prepare.py`` beside them builds what they need first."""
    print(f"== {client}", flush=True)
    python, folder = environment(client), HERE / client
    made = BUILD / f"{client}-build"
    if (folder / "prepare.py").is_file():
        status = simulated(options, python, str(folder / "prepare.py"), str(made))
        if status:
            return status
    os.environ |= {"CLIENT_BUILD": str(made), "CLIENT_ACLSPEC": sys.executable}
    words = ["-m", "pytest", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", str(folder)]
    return simulated(options, python, *words, "--confcutdir", str(folder), str(folder), *arguments)


def simulated(options: Sequence[str], python: Path, *words: str) -> int:
    """The status of a run of a client's Python on the simulator."""
    command = [sys.executable, "-m", "aclspec.cli", "simulator", "run", *options, "--", str(python), *words]
    return subprocess.run(command, cwd=TOP, check=False).returncode


def main(words: Sequence[str]) -> int:
    """Run the clients that are named, all of them where none is."""
    at = words.index("--") if "--" in words else len(words)
    options = [word for word in words[:at] if word == "--explain"]
    clients, arguments = [word for word in words[:at] if word not in options] or CLIENTS, words[at + 1 :]
    unknown = [client for client in clients if client not in CLIENTS]
    if unknown:
        print(f"The client ({unknown[0]}) is none of {', '.join(CLIENTS)}.", file=sys.stderr)
        return 2
    return max(run(client, options, arguments) for client in clients)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
