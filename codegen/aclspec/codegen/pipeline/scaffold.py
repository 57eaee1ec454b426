"""A new operator: a spec that is right as it stands, and a kernel, both to be edited."""

from __future__ import annotations

import keyword
import os
import re
from dataclasses import dataclass
from pathlib import Path

from aclspec.codegen.render.environment import template
from aclspec.codegen.source.naming import Name
from aclspec.runtime.abi._product_table import DEFAULT

OPERATOR = re.compile(r"aclnn[A-Z][A-Za-z0-9]*")
CATEGORY = re.compile(r"[a-z][a-z0-9_]*")
KERNELS = "aclspec.runtime.kernels"
_SCHEMA = Path("generated/schema/operator.schema.json")


@dataclass(frozen=True, slots=True)
class Place:
    """Where the files of an operator go, and the Python package that its kernel will be in."""

    specs: Path
    kernels: Path
    package: str

    @classmethod
    def of_checkout(cls, root: Path) -> Place:
        """Among the operators of this repository."""
        return cls(root / "specs", root / "runtime" / Path(*KERNELS.split(".")), KERNELS)

    @classmethod
    def outside(cls, specs: Path, package: str) -> Place:
        """In a folder and a package of one's own, the package below the working directory."""
        return cls(specs, Path(*package.split(".")), package)


def scaffold(c_name: str, category: str, place: Place) -> dict[Path, str]:
    """The files of a new operator, by their paths; ValueError says what a name must be."""
    if not OPERATOR.fullmatch(c_name):
        raise ValueError(f"The name of the operator ({c_name}) is not a C name such as aclnnScaledAdd.")
    if not CATEGORY.fullmatch(category):
        raise ValueError(f"The category ({category}) is not a word in lower case such as activation.")
    if not all(part.isidentifier() and not keyword.iskeyword(part) for part in place.package.split(".")):
        raise ValueError(f"The package of the kernel ({place.package}) is not a Python name.")
    name = Name(c_name)
    module = name.snake if place.package == KERNELS else f"{place.package}.{name.snake}"
    spec = place.specs / category / f"{name.snake}.yaml"
    values = {
        "name": name,
        "snake": name.snake,
        "category": category,
        "product": DEFAULT,
        "kernel": f"{module}:{name.snake}",
        "schema": _schema(spec) if place.package == KERNELS else None,
    }
    return {
        spec: template("scaffold/spec.yaml.j2").render(values),
        place.kernels / f"{name.snake}.py": template("scaffold/kernel.py.j2").render(values),
    }


def _schema(spec: Path) -> str:
    """The way from the spec to the JSON Schema of the repository."""
    return Path(os.path.relpath(_SCHEMA, spec.parent)).as_posix()
