"""The libraries of CANN, loaded when the first call needs them; operators come from one family of libraries only."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from aclspec.runtime.npu.ctable import Prototype, phases_of
from aclspec.runtime.npu.failure import unavailable
from aclspec.runtime.npu.functions import BASE, RUNTIME
from aclspec.runtime.npu.roots import RUNTIME_LIBRARIES, VARIABLES, Root, candidates, custom_libraries, find_root
from aclspec.runtime.paramtypes import PARAM_TYPES

if TYPE_CHECKING:
    from aclspec.runtime.operator import Operator

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

    def phases(self, operator: Operator) -> Phases:
        """The two functions of an operator, both from the library that is asked first of those that have them."""
        found = self._phases.get(operator.name)
        if found is None:
            types = (PARAM_TYPES[param.type].c for param in operator.params)
            found = self._phases[operator.name] = self._find(phases_of(operator.name, types))
        return found

    def has(self, name: str) -> bool:
        """Whether some library has the operator of this C name."""
        return any(_has(library, name) and _has(library, f"{name}GetWorkspaceSize") for _, library in self.operators)

    def _find(self, prototypes: tuple[Prototype, Prototype]) -> Phases:
        for _, library in self.operators:
            if all(_has(library, prototype.name) for prototype in prototypes):
                return Phases(*(prototype.bind(library) for prototype in prototypes))
        asked = ", ".join(str(path) for path, _ in self.operators)
        raise unavailable(f"The operator {prototypes[1].name} is in none of the libraries of operators ({asked}).")


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
    """The libraries of the first family of which the root has any."""
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
