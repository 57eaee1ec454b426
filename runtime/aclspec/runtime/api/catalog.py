"""The operators of a generated package, each loaded when it is first used.

A generated package holds one `Catalog` and hands the attributes that it does not have to it (PEP 562). `register`
adds the operators of another generated package to one's own.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from aclspec.runtime.abi.suggest import did_you_mean
from aclspec.runtime.api import declared, torch_names

if TYPE_CHECKING:
    from aclspec.runtime.api.operator import Operator


class Catalog:
    """The table of a package's operators: snake_case name to C name, and where each of them lives."""

    def __init__(self, package: str, operators: Mapping[str, str]) -> None:
        """The catalog of a generated package, which gets the class that lets functions hide the modules they are in."""
        self.package = package
        self.operators = dict(operators)
        self._homes = dict.fromkeys(operators, package)
        self._names = {spelling: snake for snake, name in operators.items() for spelling in (snake, name)}
        self._attributes = _attributes(operators)
        self._packages = [package]
        self._made: dict[str, Operator] = {}
        self._answered: set[str] = set()
        sys.modules[package].__class__ = _Package

    def names(self, declared: bool = False) -> tuple[str, ...]:
        """The snake_case names of all operators that have a spec, those of registered packages among them, in order.

        With ``declared``, also those known by signature alone.
        """
        return tuple(sorted(self.operators | self._table if declared else self.operators))

    def get(self, name: str) -> Operator:
        """The operator of this C name, with or without ``aclnn``, or snake_case name; LookupError where none is."""
        if not isinstance(name, str):
            raise TypeError(f"The name of an operator ({name!r}) is not a string.")
        prefixed = f"aclnn{name}"
        snake = self._names.get(name) or self._names.get(prefixed)
        if snake is not None:
            operator: Operator = self._module(snake).OPERATOR
            return operator
        spelled = {spelling: snake for snake, (_, row) in self._table.items() for spelling in (snake, row[0])}
        snake = spelled.get(name) or spelled.get(prefixed)
        if snake is None:
            raise LookupError(f"The operator ({name}) is unknown{did_you_mean(name, [*self._names, *spelled])}.")
        return self._declared(snake)

    def of_torch(self, name: str) -> tuple[str, ...]:
        """The C names of the operators that a function of PyTorch calls on an NPU; none where that is not known."""
        return torch_names.operators_of(name, self._packages)

    def torch(self) -> dict[str, tuple[str, ...]]:
        """Every function of PyTorch that is known to call an operator on an NPU, and the C names of those."""
        found = {name: names for home in reversed(self._packages) for name, names in torch_names.names(home).items()}
        return {name: tuple(found[name].split()) for name in sorted(found)}

    def register(self, package: ModuleType | str, replace: bool = False) -> None:
        """Add the operators of another generated package; TypeError for a module that is none.

        An operator of the same name that is there from elsewhere stays, and a UserWarning names it; with ``replace``
        that of the package takes its place.
        """
        module = import_module(package) if isinstance(package, str) else package
        other = getattr(module, "CATALOG", None)
        if not isinstance(other, Catalog):
            raise TypeError(
                f"The package ({getattr(module, '__name__', module)}) is not one that "
                "`aclspec generate --package` wrote: it has no CATALOG."
            )
        skipped = () if replace else self._taken(other)
        if skipped:
            text = (
                f"The package {other.package} has operators that are there already, which stay: {', '.join(skipped)}. "
                f"register({other.package!r}, replace=True) takes those of the package."
            )
            warnings.warn(text, UserWarning, stacklevel=2)
        added = {snake: name for snake, name in other.operators.items() if snake not in skipped}
        attributes = _attributes(added)
        self.operators |= added
        self._homes |= {snake: other._homes[snake] for snake in added}
        self._names |= {spelling: snake for snake, name in added.items() for spelling in (snake, name)}
        self._attributes |= attributes
        self._packages.append(other.package)
        for name in attributes:  # what was answered before, by a declared operator or by one that is replaced
            if name in self._answered or replace:
                vars(sys.modules[self.package]).pop(name, None)
        self._answered -= attributes.keys()

    def is_from(self, package: str, snake: str) -> bool:
        """Whether the operator is that of this package, not one that replaces it."""
        return self._homes.get(snake, package) == package

    def _taken(self, other: Catalog) -> tuple[str, ...]:
        """The operators of another package that are there from elsewhere."""
        homes = {snake: self._homes.get(snake, other.package) for snake in other.operators}
        return tuple(snake for snake, home in homes.items() if home not in (other._homes[snake], other.package))

    def attribute(self, name: str) -> Any:
        """What a package answers for an attribute that it does not have; it is asked only once for each.

        Tools ask every object for private names, so that these get no suggestion, a search of all names.
        """
        snake = self._attributes.get(name)
        if snake is not None:
            value = getattr(self._module(snake), name)
        elif name.startswith("_") or (value := self._declared_attribute(name)) is None:
            hint = "" if name.startswith("_") else did_you_mean(name, self._attributes)
            raise AttributeError(f"The module {self.package} has no attribute {name}{hint}.")
        self._answered.add(name)
        setattr(sys.modules[self.package], name, value)
        return value

    def attributes(self, module: Mapping[str, object]) -> list[str]:
        """What ``dir`` answers for the package whose globals these are."""
        return sorted({*(name for name in module if not name.startswith("_")), *self._attributes})

    @property
    def _table(self) -> dict[str, tuple[str, declared.Row]]:
        """The package and the row of each operator that has no spec."""
        rows = {name: (home, row) for home in reversed(self._packages) for name, row in declared.rows(home).items()}
        return {snake: row for snake, row in rows.items() if snake not in self.operators}

    def _declared(self, snake: str) -> Operator:
        """An operator that has no spec, made once."""
        if snake not in self._made:
            self._made[snake] = declared.operator_of(self._table[snake][0], snake, self._table[snake][1])
        return self._made[snake]

    def _declared_attribute(self, name: str) -> Any:
        """A public name of an operator that has no spec: the operator itself, its C functions, and its result."""
        for snake, (_, row) in self._table.items():
            if name in _attributes({snake: row[0]}):
                operator = self._declared(snake)
                ways = (operator, operator.execute, operator.get_workspace_size, operator.result)
                return dict(zip(_attributes({snake: row[0]}), ways, strict=True))[name]
        return None

    def _module(self, snake: str) -> ModuleType:
        return import_module(f"{self._homes[snake]}.{snake}")


class _Package(ModuleType):
    """A generated package: the import of its module ``relu`` does not hide the function ``relu`` in it.

    The import system sets a submodule on its package under its name; here that name is the function's.
    """

    def __setattr__(self, name: str, value: object) -> None:
        """Set an attribute, a module of an operator excepted: its function takes its place."""
        if isinstance(value, ModuleType) and hasattr(value, "OPERATOR"):
            catalog = vars(self).get("CATALOG")
            if isinstance(catalog, Catalog) and not catalog.is_from(self.__name__, name):
                return
            value = getattr(value, name, value)
        super().__setattr__(name, value)


def _attributes(operators: Mapping[str, str]) -> dict[str, str]:
    """The public names of each operator's module, and the operator they belong to."""
    found: dict[str, str] = {}
    for snake, name in operators.items():
        bare = name.removeprefix("aclnn") or name
        for attribute in (snake, name, f"{name}GetWorkspaceSize", f"{bare}Result"):
            found[attribute] = snake
    return found
