"""Where CANN is installed, and its libraries, loaded when the first call needs them."""

from __future__ import annotations

import ctypes
import os
import platform
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from aclspec.runtime.abi.errors import AclnnError, while_calling
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.abi.status import Status
from aclspec.runtime.npu.prototypes import BASE, RUNTIME, Prototype, phases_of

if TYPE_CHECKING:
    from aclspec.runtime.rules.operator_table import OperatorTable


VARIABLES = ("ASCEND_CUSTOM_PATH", "ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME")
"""What names the root of an installation, the one that counts first at the front."""
USUAL = ("/usr/local/Ascend", "~/Ascend")
LATEST = ("cann", "ascend-toolkit/latest", "latest")
OPERATORS, CUSTOM_OPERATORS = "ASCEND_OPP_PATH", "ASCEND_CUSTOM_OPP_PATH"
RUNTIME_LIBRARIES = ("libacl_rt.so", "libascendcl.so")
"""CANN 9 and later, then every other."""
CUSTOM_LIBRARY = "libcust_opapi.so"


class Root(NamedTuple):
    """A place where CANN may be, and who says so."""

    path: Path
    source: str

    @property
    def folders(self) -> tuple[Path, ...]:
        """Where its libraries are."""
        machine = platform.machine()
        names = ("lib64", f"{machine}-linux/lib64", "runtime/lib64")
        return tuple(folder for folder in (self.path / name for name in names) if folder.is_dir())

    def library(self, name: str) -> Path | None:
        """The path of a library, None where this root has none of this name."""
        return next((folder / name for folder in self.folders if (folder / name).is_file()), None)

    @property
    def is_complete(self) -> bool:
        """Whether it has the library that everything else stands on."""
        return any(self.library(name) is not None for name in RUNTIME_LIBRARIES)


def candidates() -> Iterator[Root]:
    """Every place to look at, in order: what variables name, then where the installers put it."""
    for variable in VARIABLES:
        value = os.environ.get(variable)
        if value:
            yield Root(Path(value), variable)
    for usual in USUAL:
        for name in LATEST:
            path = Path(usual).expanduser() / name
            if path.is_dir():
                yield Root(path, "the usual place")


def find_root() -> Root | None:
    """The first place that has the runtime library."""
    return next((root for root in candidates() if root.is_complete), None)


def custom_libraries(root: Root) -> Iterator[Path]:
    """The libraries of custom operators, those that count first at the front."""
    for folder in filter(None, os.environ.get(CUSTOM_OPERATORS, "").split(os.pathsep)):
        yield from _existing(Path(folder))
    operators = os.environ.get(OPERATORS)
    vendors = (Path(operators) if operators else root.path / "opp") / "vendors"
    for name in _vendors(vendors):
        yield from _existing(vendors / name)


def _existing(folder: Path) -> Iterator[Path]:
    path = folder / "op_api" / "lib" / CUSTOM_LIBRARY
    if path.is_file():
        yield path


def _vendors(folder: Path) -> list[str]:
    """The vendors below a folder: those that config.ini puts first, then the others by name."""
    if not folder.is_dir():
        return []
    present = sorted(path.name for path in folder.iterdir() if path.is_dir())
    preferred = [name for name in _priority(folder / "config.ini") if name in present]
    return [*preferred, *(name for name in present if name not in preferred)]


def _priority(file: Path) -> list[str]:
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    values = (line.partition("=")[2] for line in lines if line.partition("=")[0].strip() == "load_priority")
    return [name.strip() for value in values for name in value.split(",")]


BASE_LIBRARY = "libnnopbase.so"
FAMILIES: tuple[tuple[str, ...], ...] = (
    ("libopapi_math.so", "libopapi_nn.so", "libopapi_cv.so", "libopapi_transformer.so"),
    ("libopapi.so",),
    ("libaclnn_ops_infer.so", "libaclnn_ops_train.so", "libaclnn_math.so", "libaclnn_rand.so"),
)
"""The libraries of operators, newest first. Their symbols overlap, so that no two families are ever mixed."""


class Phases(NamedTuple):
    """The two C functions of an operator."""

    get_workspace_size: Callable[..., int]
    execute: Callable[..., int]


class Libraries:
    """The loaded libraries of one root; a function of the runtime or of the base library is an attribute."""

    def __init__(self, root: Root) -> None:
        """Load the runtime library and the base library of a root; AclnnError where one is missing or broken."""
        self.root = root
        self.runtime = load_runtime(root)
        self._base: ctypes.CDLL | None = None
        self._families: list[tuple[Path, ctypes.CDLL]] | None = None
        self._phases: dict[str, Phases] = {}

    def __getattr__(self, name: str) -> Any:
        """A C function with its full types, looked up once."""
        if name in RUNTIME:
            function = _function(RUNTIME[name], self.runtime)
        elif name in BASE:
            function = _function(BASE[name], self.base)
        else:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        setattr(self, name, function)
        return function

    @property
    def base(self) -> ctypes.CDLL:
        """The operator base library."""
        if self._base is None:
            self._base = _load(_required(self.root, BASE_LIBRARY))
        return self._base

    @property
    def operators(self) -> list[tuple[Path, ctypes.CDLL]]:
        """The libraries that operators come from, in the order in which they are asked."""
        if self._families is None:
            family = family_of(self.root)
            if not family:
                raise unavailable(
                    f"The CANN at {self.root.path} has no library of operators: none of "
                    f"{', '.join(name for names in FAMILIES for name in names)} is in {_places(self.root)}."
                )
            self._families = [(path, _load(path)) for path in (*custom_libraries(self.root), *family)]
        return self._families

    def phases(self, operator: OperatorTable) -> Phases:
        """The two functions of an operator, both from the library that is asked first of those that have them."""
        found = self._phases.get(operator.name)
        if found is None:
            types = (PARAM_TYPES[param.type].c for param in operator.params)
            found = self._phases[operator.name] = self._find(phases_of(operator.name, types))
        return found

    def delete_array(self, array: Any) -> None:
        """Give back an array that the base library made with ``new[]``, or with malloc where it is a library of C."""
        delete = getattr(self.base, "_ZdaPv", None) or self.base["free"]
        delete.argtypes, delete.restype = [ctypes.c_void_p], None
        delete(array)

    def failed(self, function: str, code: int, context: str | None = None) -> AclnnError:
        """The error of a C function that returned this code; ``context`` is the operator that it was called for."""
        sentence = f"The function {function} fails with {Status(code).name} ({code})."
        return AclnnError(while_calling(f"{sentence}\n{self._reason()}", context), code)

    def null(self, function: str, context: str | None = None) -> AclnnError:
        """The error of a C function that returned a null pointer instead of a handle."""
        sentence = f"The function {function} returns a null pointer.\n{self._reason()}"
        return AclnnError(while_calling(sentence, context), Status.ACLNN_ERR_INNER_NULLPTR)

    def _reason(self) -> str:
        """The library's own message for this thread; reading it clears it."""
        message = self.aclGetRecentErrMsg()
        text = str(message, "utf-8", "replace").strip() if message else None
        return f" - the library says: {text}" if text else " - the library gives no reason"

    def has(self, name: str) -> bool:
        """Whether some library has the operator of this C name."""
        return any(_has(library, name) and _has(library, f"{name}GetWorkspaceSize") for _, library in self.operators)

    def _find(self, prototypes: tuple[Prototype, Prototype]) -> Phases:
        for _, library in self.operators:
            if all(_has(library, prototype.name) for prototype in prototypes):
                return Phases(*(prototype.bind(library) for prototype in prototypes))
        asked = ", ".join(str(path) for path, _ in self.operators)
        raise unavailable(f"The operator {prototypes[1].name} is in none of the libraries of operators ({asked}).")


def unavailable(sentence: str) -> AclnnError:
    """The error of a call that this machine has no NPU software for."""
    return AclnnError(sentence, Status.ACLNN_ERR_RUNTIME_ERROR)


def open_libraries() -> Libraries:
    """The libraries of the first root that has them; AclnnError where there is none."""
    root = find_root()
    if root is not None:
        return Libraries(root)
    looked = [f"{root.path} ({root.source})" for root in candidates()]
    where = f"; looked at {', '.join(looked)}" if looked else ""
    raise unavailable(
        f"CANN is not found: no place has {' or '.join(RUNTIME_LIBRARIES)}{where}. "
        f"Install it, or set {' or '.join(VARIABLES[1:])} to its folder; `aclspec doctor` says more."
    )


def load_runtime(root: Root) -> ctypes.CDLL:
    """The runtime library of a root."""
    path = next((found for name in RUNTIME_LIBRARIES if (found := root.library(name)) is not None), None)
    return _load(path or _required(root, RUNTIME_LIBRARIES[-1]))


def family_of(root: Root) -> list[Path]:
    """The libraries of the first family that the root has."""
    for names in FAMILIES:
        found = [path for name in names if (path := root.library(name)) is not None]
        if found:
            return found
    return []


def soc_function(library: ctypes.CDLL) -> Any:
    """The function that names the SoC."""
    return _function(RUNTIME["aclrtGetSocName"], library)


def _function(prototype: Prototype, library: ctypes.CDLL) -> Any:
    try:
        return prototype.bind(library)
    except AttributeError:
        raise unavailable(f"The library {library._name} has no function {prototype.name}.") from None


def _has(library: ctypes.CDLL, name: str) -> bool:
    try:
        library[name]
    except AttributeError:
        return False
    return True


def _required(root: Root, name: str) -> Path:
    path = root.library(name)
    if path is None:
        raise unavailable(f"The CANN at {root.path} has no {name}: it is not in {_places(root)}.")
    return path


def _load(path: Path) -> ctypes.CDLL:
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        raise unavailable(f"The library {path} cannot be loaded: {error}.") from error


def _places(root: Root) -> str:
    return ", ".join(str(folder) for folder in root.folders) or f"{root.path / 'lib64'}, which does not exist"
