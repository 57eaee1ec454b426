"""A new operator: a spec that is right as it stands, and a kernel, both to be edited."""

from __future__ import annotations

import keyword
import os
import re
from dataclasses import dataclass
from pathlib import Path

from aclspec.codegen.pipeline.signatures import signature_of
from aclspec.codegen.render.environment import template
from aclspec.codegen.source.naming import Name
from aclspec.codegen.spec.signatures import Signature
from aclspec.runtime.abi._product_table import DEFAULT

OPERATOR = re.compile(r"aclnn[A-Z][A-Za-z0-9]*")
CATEGORY = re.compile(r"[a-z][a-z0-9_]*")
KERNELS = "aclspec.runtime.kernels"
_LIKE = ", shape: shape({0}), dtype: dtype({0})"
"""What an output says that is like an input."""
DOCS = {
    ("tensor", "in"): ("An input tensor.", "输入张量。"),
    ("tensor", "out"): ("An output tensor.", "输出张量。"),
    ("tensor", "inout"): ("A tensor that is read and written.", "读写的张量。"),
    ("tensor_list", "in"): ("A list of input tensors.", "输入张量列表。"),
    ("tensor_list", "out"): ("A list of output tensors.", "输出张量列表。"),
    ("tensor_list", "inout"): ("A list of tensors that are read and written.", "读写的张量列表。"),
}
"""What a parameter says of itself before a person does, by its type and its direction; another one `OTHER_DOC`."""
OTHER_DOC = ("An attribute.", "属性。")
_OUT = re.compile("^out|Out$")
"""A name that is most likely that of an output, where the direction is unknown."""
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
    known = signature_of(c_name)
    values |= {} if known is None else _declared(known)
    prefix = "" if known is None else "declared_"
    return {
        spec: template(f"scaffold/{prefix}spec.yaml.j2").render(values),
        place.kernels / f"{name.snake}.py": template(f"scaffold/{prefix}kernel.py.j2").render(values),
    }


def _declared(known: Signature) -> dict[str, object]:
    """What the templates take of a known signature: an output has the shape and the dtype of the first tensor."""
    params: list[dict[str, str]] = []
    first: str | None = None
    for name, text in known.params.items():
        *const, said, kind = text.split()
        direction = said if said != "unknown" else "out" if _OUT.search(name) else "in"
        more = ", const: true" if const else ""
        if (direction, kind) == ("in", "tensor"):
            first = first or name
        elif (direction, kind) == ("out", "tensor") and first:
            more += _LIKE.format(first)
        en, zh = DOCS.get((kind, direction), OTHER_DOC)
        params.append({"name": name, "direction": direction, "type": kind, "more": more, "en": en, "zh": zh})
    return {
        "header": known.header,
        "products": known.products or (DEFAULT,),
        "params": params,
        "arguments": [Name(name).snake for name in known.params],
        "tensors": sum(one["type"].startswith("tensor") for one in params),
    }


def _schema(spec: Path) -> str:
    """The way from the spec to the JSON Schema of the repository."""
    return Path(os.path.relpath(_SCHEMA, spec.parent)).as_posix()
