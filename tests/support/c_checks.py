"""The generated checks in C as a shared library, called with Python's arguments."""

from __future__ import annotations

import ctypes
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from aclspec import ops
from aclspec.codegen.render.c.files import write_checks
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.abi.products import KEYS
from aclspec.runtime.rules.operator_info import OperatorInfo, ParamInfo
from aclspec.runtime.tensors.tensor import Scalar, Tensor
from aclspec.runtime.testing.amount import amount
from tests.support.once import once
from tests.support.operators import some
from tests.support.simulated import TOP

_ASKED = {"adds", "cat", "convolution_backward", "div_mod", "prelu_backward", "reduce_sum"}
"""Those that tests ask by name; together they have arguments of every kind that a check reads."""


def _called() -> Iterator[str]:
    """The operators that the programs of the layer's tests and of the site call."""
    files = [*TOP.glob("tests/layer/programs/*.c*"), *TOP.glob("tests/layer/*.py"), *TOP.glob("site/examples/*.cpp")]
    words = {word for file in files for word in re.findall(r"\baclnn[A-Z]\w+", file.read_text(encoding="utf-8"))}
    yield from (name for name in ops.names() if {ops.get(name).name, f"{ops.get(name).name}GetWorkspaceSize"} & words)


CHECKED = amount(sorted({*_ASKED, *_called(), *some(12)}), list(ops.names()))
"""The operators whose checks in C are compiled and asked: in `make test` some."""
FLAGS = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-fPIC", "-O0")
_INT64 = ctypes.POINTER(ctypes.c_int64)


class CTensor(ctypes.Structure):
    _fields_ = (
        ("shape", _INT64),
        ("rank", ctypes.c_uint64),
        ("strides", _INT64),
        ("offset", ctypes.c_int64),
        ("storage_shape", _INT64),
        ("storage_rank", ctypes.c_uint64),
        ("dtype", ctypes.c_int32),
        ("format", ctypes.c_int32),
    )


class CArray(ctypes.Structure):
    """Every list: its elements, their number, and whether they are known."""

    _fields_ = (("items", ctypes.c_void_p), ("length", ctypes.c_uint64), ("known", ctypes.c_bool))


class CScalar(ctypes.Structure):
    _fields_ = (
        ("dtype", ctypes.c_int32),
        ("known", ctypes.c_bool),
        ("integer", ctypes.c_int64),
        ("real", ctypes.c_double),
        ("imaginary", ctypes.c_double),
    )


class CArgument(ctypes.Union):
    _fields_ = (
        ("pointer", ctypes.c_void_p),
        ("integer", ctypes.c_int64),
        ("real", ctypes.c_double),
        ("boolean", ctypes.c_bool),
    )


class CVerdict(ctypes.Structure):
    _fields_ = (
        ("rule", ctypes.c_char_p),
        ("document", ctypes.c_int32),
        ("library", ctypes.c_int32),
        ("effect", ctypes.c_char_p),
        ("unknown", ctypes.c_char_p),
        ("index", ctypes.c_int),
        ("as_library", ctypes.c_bool),
    )


class CCaveat(ctypes.Structure):
    _fields_ = (
        ("id", ctypes.c_char_p),
        ("kind", ctypes.c_int),
        ("status", ctypes.c_int32),
        ("because", ctypes.c_char_p * 2),
    )


class Decided(NamedTuple):
    """A verdict in Python's terms."""

    rule: str | None
    document: int
    library: int
    effect: str | None
    unknown: str | None


class Arguments:
    """The arguments of a call in C, and the memory behind them; the lists of ``unseen`` are not known."""

    def __init__(self, info: OperatorInfo, call: Mapping[str, Any], unseen: Iterable[str] = ()) -> None:
        self.kept: list[Any] = []
        self.unseen = frozenset(unseen)
        self.array = (CArgument * max(1, len(info.params)))()
        for at, param in enumerate(info.params):
            self._set(self.array[at], param, call[param.name])

    def _set(self, argument: CArgument, param: ParamInfo, value: Any) -> None:
        kind = PARAM_TYPES[param.type]
        if kind.pointer:
            argument.pointer = self._pointer(kind.predicate, value, param.name not in self.unseen)
        elif kind.predicate == "float":
            argument.real = float(value)
        elif kind.predicate == "bool":
            argument.boolean = bool(value)
        else:
            argument.integer = int(value) if int(value) < 2**63 else int(value) - 2**64

    def _pointer(self, kind: str, value: Any, known: bool) -> int | None:
        if value is None:
            return None
        match kind:
            case "tensor":
                return self._keep(self._tensor(value))
            case "scalar":
                return self._keep(_scalar(value, known))
            case "string":
                return ctypes.cast(self._kept(ctypes.c_char_p(value.encode())), ctypes.c_void_p).value
            case "tensors" | "scalars":
                items = [self._pointer(kind.removesuffix("s"), item, known) for item in value]
                return self._list(ctypes.c_void_p, items, known)
            case "ints":
                return self._list(ctypes.c_int64, value, known)
            case "bools":
                return self._list(ctypes.c_bool, value, known)
            case _:
                return self._list(ctypes.c_float, value, known)

    def _list(self, kind: Any, values: Sequence[Any], known: bool) -> int | None:
        items = self._kept((kind * max(1, len(values)))(*values))
        return self._keep(CArray(ctypes.addressof(items), len(values) if known else 0, known))

    def _tensor(self, tensor: Tensor) -> CTensor:
        shape, strides, storage = (
            self._kept((ctypes.c_int64 * max(1, len(sizes)))(*sizes))
            for sizes in (tensor.shape, tensor.strides, tensor.storage_shape)
        )
        assert tensor.format is not None
        rank = len(tensor.shape)
        return CTensor(shape, rank, strides, 0, storage, len(tensor.storage_shape), tensor.dtype, tensor.format)

    def _kept(self, one: Any) -> Any:
        self.kept.append(one)
        return one

    def _keep(self, one: Any) -> int | None:
        return ctypes.addressof(self._kept(one))


def _scalar(scalar: Scalar, known: bool) -> CScalar:
    number = complex(scalar.value)
    integer = scalar.value if isinstance(scalar.value, int) else 0
    return CScalar(scalar.dtype, known, integer, number.real, number.imag)


def as_in_c(call: Mapping[str, Any]) -> dict[str, Any]:
    """The call with the numbers of floating-point scalars as floats, which C has no other way to hold."""

    def held(value: Any) -> Any:
        if isinstance(value, Scalar):
            number = value.value
            floating = value.dtype.is_floating and not isinstance(number, complex)
            return Scalar(float(number.real), value.dtype) if floating else value
        return tuple(map(held, value)) if isinstance(value, tuple) else value

    return {name: held(value) for name, value in call.items()}


class CChecks:
    """A library of checks."""

    def __init__(self, path: Path, products: Sequence[str] = KEYS) -> None:
        self.library, self._products = ctypes.CDLL(str(path)), products
        self._functions: dict[str, tuple[Any, Any]] = {}
        self._buffer = ctypes.create_string_buffer(1 << 15)

    def _operator(self, snake: str) -> tuple[Any, Any]:
        if snake not in self._functions:
            check = self.library[f"aclspec_check_{snake}"]
            check.argtypes = (ctypes.c_int, ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p)
            check.restype = None
            explain = self.library[f"aclspec_explain_{snake}"]
            explain.argtypes = (ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p)
            explain.argtypes += (ctypes.c_size_t,)
            explain.restype = ctypes.c_size_t
            self._functions[snake] = check, explain
        return self._functions[snake]

    def check(self, snake: str, product: str, library: bool, arguments: Arguments) -> CVerdict:
        """The verdict of a call."""
        verdict = CVerdict()
        self._operator(snake)[0](self._products.index(product), library, arguments.array, ctypes.byref(verdict))
        return verdict

    def caveat(self, snake: str, product: str, library: bool, arguments: Arguments) -> tuple[CVerdict, CCaveat | None]:
        """The verdict of the rules that do not leave the call's case out, and that case where none of them decides."""
        verdict, found = CVerdict(), CCaveat()
        function = self.library[f"aclspec_caveat_{snake}"]
        function.argtypes = (ctypes.c_int, ctypes.c_bool, *[ctypes.c_void_p] * 3)
        function.restype = ctypes.c_bool
        product_index = self._products.index(product)
        known = function(product_index, library, arguments.array, ctypes.byref(verdict), ctypes.byref(found))
        return verdict, found if known else None

    def explain(self, snake: str, product: str, arguments: Arguments, verdict: CVerdict, language: int) -> str:
        """The sentence of a verdict, in English (0) or in Chinese (1)."""
        size = len(self._buffer)
        explain = self._operator(snake)[1]
        length = explain(
            self._products.index(product), arguments.array, ctypes.byref(verdict), language, self._buffer, size
        )
        return self._buffer.raw[:length].decode()


def decided(verdict: CVerdict) -> Decided:
    """A verdict in Python's terms."""
    texts = (None if one is None else one.decode() for one in (verdict.rule, verdict.effect, verdict.unknown))
    rule, effect, unknown = texts
    return Decided(rule, verdict.document, verdict.library, effect, unknown)


def write(folder: Path, files: Mapping[PurePosixPath, str]) -> None:
    """Write generated files below a folder."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


def checks_once(shared: Path) -> Path:
    """The sources of the checks in C below a folder that the workers of a test run share."""
    return once(shared / "c_sources", partial(write_checks, [ops.get(name).info for name in CHECKED]))


def compile_checks(folder: Path, compiler: str, flags: Sequence[str] = FLAGS, workers: int = 1) -> Path:
    """Compile all sources below a folder into a shared library."""
    sources = sorted(folder.rglob("*.c"))

    def compiled(source: Path) -> Path:
        target = source.with_suffix(".o")
        command = [compiler, *flags, "-c", str(source), "-o", str(target)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[:4000]
        return target

    with ThreadPoolExecutor(workers) as pool:
        objects = list(pool.map(compiled, sources))
    library = folder / "checks.so"
    subprocess.run([compiler, "-shared", *map(str, objects), "-o", str(library)], check=True)
    return library
