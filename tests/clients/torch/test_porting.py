"""The guide "Which products take a model": its programs run on the dry device, and its reports are as it shows them."""

from __future__ import annotations

import os
import re
import resource
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[3] / "site/docs"
GUIDE = (DOCS / "en/guides/porting.md").read_text("utf-8")
PROGRAMS = dict(re.findall(r'^```python title="(\w+\.py)"\n(.*?)^```$', GUIDE, re.MULTILINE | re.DOTALL))
COMMANDS = dict(re.findall(r"^aclspec (simulator run .* --report .*) -- python (\w+\.py)$", GUIDE, re.MULTILINE))
WORK = "/work/"
"""The folder of the program in the report of the site."""


def environment() -> dict[str, str]:
    """That of this process without the simulator and the layer around it."""
    around = ("ASCEND_", "LD_PRELOAD", "ACLSPEC_")
    return {name: value for name, value in os.environ.items() if not name.startswith(around) or name == "ACLSPEC_CACHE"}


def dry(folder: Path, name: str) -> str:
    """What the command of the guide on one of its programs writes to its report."""
    command = next(options for options, program in COMMANDS.items() if program == name)
    (folder / name).write_text(PROGRAMS[name], "utf-8")
    words = [os.environ["CLIENT_ACLSPEC"], "-m", "aclspec.cli", *shlex.split(command), "--", sys.executable, name]
    done = subprocess.run(words, cwd=folder, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    report = re.search(r"--report (\S+)", command)
    assert report is not None
    return (folder / report[1]).read_text("utf-8")


def test_a_model_that_no_machine_has(tmp_path: Path) -> None:
    """A Llama of 70 billion parameters, all products: within 2 minutes and 2 GB, and the report is the site's."""
    dry(tmp_path, "step.py")  # where this is the first run, what is built is not the model's
    started = time.monotonic()
    report = dry(tmp_path, "llama.py").replace(f"{tmp_path}/", WORK)
    assert time.monotonic() - started < 120
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 2 << 20  # KiB, of the largest process
    made = tmp_path / "site.txt"
    made.write_text(report, "utf-8")
    assert report == (DOCS / "assets/llama.txt").read_text("utf-8"), f"copy {made} to site/docs/assets/llama.txt"


@pytest.mark.parametrize("name", ["experts.py", "step.py"])
def test_a_mixture_of_experts_and_a_step_of_training(tmp_path: Path, name: str) -> None:
    found = dry(tmp_path, name).splitlines()
    shown = GUIDE[GUIDE.index(f"-- python {name}") :].split("```text\n")[1].split("```")[0]
    for line in shown.splitlines():
        assert line.replace(".../", f"{tmp_path}/") in found
