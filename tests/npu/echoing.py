"""CANN roots made of ``echo.c``: libraries of any names that tell what arrived in C."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.api.operator import Operator, Param

SOURCE = Path(__file__).parent / "echo.c"
PARAMS = (
    Param("x", "x"),
    Param("parts", "parts", "tensor_list"),
    Param("alpha", "alpha", "scalar"),
    Param("betas", "betas", "scalar_list"),
    Param("kernel", "kernel", "int_array"),
    Param("mask", "mask", "bool_array"),
    Param("ratios", "ratios", "float_array"),
    Param("flag", "flag", "bool"),
    Param("small", "small", "float"),
    Param("mode", "mode", "int8"),
    Param("eps", "eps", "double"),
    Param("groups", "groups", "int32"),
    Param("plain", "plain", "int"),
    Param("wide", "wide", "int64"),
    Param("other", "other", "float"),
    Param("seed", "seed", "uint64"),
    Param("name", "name", "string"),
    Param("acc", "acc", "dtype"),
    Param("last", "last", "double"),
    Param("out", "out", direction="out"),
)


class Result(NamedTuple):
    """The output of the operator."""

    out: Any


def infer(*_: Any) -> Any:
    """The output, whatever the inputs are."""
    return (((2,), DType.FLOAT, None),)


def make_operator() -> Operator:
    """An operator with a parameter of every type, whose own checks let everything through."""
    return Operator(
        name="aclnnHandmade",
        snake="handmade",
        module=__name__,
        params=PARAMS,
        check=lambda *values: None,
        infer=infer,
        precision=lambda *values: {},
        result=Result,
        kernel="nowhere:kernel",
    )


OPERATOR = make_operator()


def compile_library(folder: Path, name: str, *parts: str, links: Sequence[Path] = (), label: str | None = None) -> Path:
    """A shared library with these parts of the source; ``label`` is what it calls itself."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    options = [
        "-std=c11",
        "-O1",
        "-shared",
        "-fPIC",
        "-Wall",
        f'-DLIBRARY="{label or name}"',
        *(f"-D{part}" for part in parts),
    ]
    found = [f"-Wl,-rpath,{link.parent}" for link in links]
    command = ["gcc", *options, "-o", str(path), str(SOURCE), *map(str, links), *found]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return path


def make_root(folder: Path, *libraries: str, runtime: str = "libascendcl.so") -> Path:
    """A root with the runtime, the base library and libraries of operators."""
    lib = folder / "lib64"
    first = compile_library(lib, runtime, "RUNTIME")
    compile_library(lib, "libnnopbase.so", "BASE", links=[first])
    for name in libraries:
        compile_library(lib, name, "OPERATORS", links=[first])
    return folder


def alive(root: Path, runtime: str = "libascendcl.so") -> int:
    """How many objects of the root are not destroyed."""
    return ctypes.c_int.in_dll(ctypes.CDLL(str(root / "lib64" / runtime)), "echo_alive").value
