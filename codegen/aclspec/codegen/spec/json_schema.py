"""JSON Schemas of the YAML files, so that an editor completes and checks them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from aclspec.codegen.spec.base import Model
from aclspec.codegen.spec.families import FamiliesFile
from aclspec.codegen.spec.operator import OperatorSpec
from aclspec.codegen.spec.pasted import FailuresFile, PastedFile
from aclspec.codegen.spec.short_schema import with_short_clauses, with_short_forms
from aclspec.codegen.spec.signatures import SignaturesFile
from aclspec.codegen.spec.tables import ClausesFile, ProductsFile, StatusFile

SCHEMAS: dict[str, type[Model]] = {
    "operator": OperatorSpec,
    "products": ProductsFile,
    "status": StatusFile,
    "clauses": ClausesFile,
    "families": FamiliesFile,
    "signatures": SignaturesFile,
    "pasted": PastedFile,
    "failures": FailuresFile,
}


_WIDTH = 160
_LONG = 100


class _Generator(GenerateJsonSchema):
    """Pydantic's schema without the titles that only repeat the names."""

    def generate(self, schema: CoreSchema, mode: JsonSchemaMode = "validation") -> JsonSchemaValue:
        json_schema = super().generate(schema, mode)
        _tidy(json_schema)
        _share(json_schema.get("$defs", {}))
        return {"$schema": self.schema_dialect, **json_schema}

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        """A default, as YAML would write it."""
        json_schema = super().default_schema(schema)
        if isinstance(json_schema.get("default"), tuple):
            json_schema["default"] = list(json_schema["default"])
        if json_schema.get("default") == "":  # that of a text which may be missing, and is never empty
            del json_schema["default"]
        return json_schema


def _tidy(node: Any, key: str = "") -> None:
    """Drop what only pydantic needs: titles that repeat names, and null as the way to leave a key out."""
    if isinstance(node, list):
        for item in node:
            _tidy(item)
    elif isinstance(node, dict):
        if isinstance(node.get("title"), str):
            del node["title"]
        if key != "default" and node.get("default", ...) is None:
            del node["default"]
            _drop_null(node)
        for name, value in list(node.items()):
            _tidy(value, name)


def _share(definitions: dict[str, Any]) -> None:
    """Define properties once that many models have: the most usual one of a name, where it is long."""
    models = [model["properties"] for model in definitions.values() if "properties" in model]
    texts: dict[str, Counter[str]] = {}
    for properties in models:
        for name, value in properties.items():
            texts.setdefault(name, Counter())[json.dumps(value)] += 1
    for name, counts in texts.items():
        [(text, count)] = counts.most_common(1)
        if count > 1 and len(text) > _LONG and name not in definitions:
            definitions[name] = json.loads(text)
            for properties in models:
                if name in properties and json.dumps(properties[name]) == text:
                    properties[name] = {"$ref": f"#/$defs/{name}"}


def _drop_null(node: dict[str, Any]) -> None:
    choices = [choice for choice in node.pop("anyOf", []) if choice != {"type": "null"}]
    if len(choices) == 1:
        for name, value in choices[0].items():
            node.setdefault(name, value)
    elif choices:
        node["anyOf"] = choices


def json_schema(kind: str) -> dict[str, Any]:
    """The JSON Schema of a kind of file, one of `SCHEMAS`."""
    schema = SCHEMAS[kind].model_json_schema(schema_generator=_Generator)
    short = {"operator": with_short_forms, "clauses": with_short_clauses}.get(kind)
    found = schema if short is None else short(schema)
    if kind == "operator":  # a variant leaves out a section of its base by null
        optional = found["properties"].keys() - set(found.get("required", ()))
        found["properties"] |= {name: _or_null(found["properties"][name]) for name in sorted(optional)}
    return found


def _or_null(node: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [node, {"type": "null"}]}


def schema_files() -> dict[PurePosixPath, str]:
    """Every JSON Schema as text, by its path below ``generated``."""
    return {
        PurePosixPath(f"schema/{kind}.schema.json"): "\n".join(_lines(json_schema(kind))) + "\n" for kind in SCHEMAS
    }


def _lines(value: Any, before: str = "", after: str = "", indent: str = "") -> Iterator[str]:
    """JSON with every value on one line that fits on one, short ones together."""
    flat = f"{indent}{before}{json.dumps(value, ensure_ascii=False)}{after}"
    if len(flat) <= _WIDTH or not isinstance(value, dict | list) or not value:
        yield flat
        return
    items = value.items() if isinstance(value, dict) else ((None, item) for item in value)
    yield f"{indent}{before}{'{' if isinstance(value, dict) else '['}"
    row = ""
    for place, (name, item) in enumerate(items, 1):
        lead = "" if name is None else f"{json.dumps(name)}: "
        first, *rest = _lines(item, lead, "," if place < len(value) else "", f"{indent}  ")
        if row and not rest and len(row) + len(first) <= _WIDTH:
            row += f" {first.strip()}"
            continue
        yield from [row] if row else []
        row = "" if rest else first
        yield from [first, *rest] if rest else []
    yield from [row] if row else []
    yield f"{indent}{'}' if isinstance(value, dict) else ']'}{after}"
