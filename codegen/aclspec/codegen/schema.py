"""JSON Schemas of the YAML files, so that an editor completes and checks them."""

from __future__ import annotations

import json
from pathlib import PurePosixPath
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from aclspec.codegen.spec.base import Model
from aclspec.codegen.spec.common import ClausesFile, ProductsFile, StatusFile
from aclspec.codegen.spec.operator import OperatorSpec

SCHEMAS: dict[str, type[Model]] = {
    "operator": OperatorSpec,
    "products": ProductsFile,
    "status": StatusFile,
    "clauses": ClausesFile,
}


class _Generator(GenerateJsonSchema):
    """Pydantic's schema without the titles that only repeat the names."""

    def generate(self, schema: CoreSchema, mode: JsonSchemaMode = "validation") -> JsonSchemaValue:
        json_schema = super().generate(schema, mode)
        _tidy(json_schema)
        return {"$schema": self.schema_dialect, **json_schema}

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        """A default, as YAML would write it."""
        json_schema = super().default_schema(schema)
        if isinstance(json_schema.get("default"), tuple):
            json_schema["default"] = list(json_schema["default"])
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


def _drop_null(node: dict[str, Any]) -> None:
    choices = [choice for choice in node.pop("anyOf", []) if choice != {"type": "null"}]
    if len(choices) == 1:
        for name, value in choices[0].items():
            node.setdefault(name, value)
    elif choices:
        node["anyOf"] = choices


def json_schema(kind: str) -> dict[str, Any]:
    """The JSON Schema of a kind of file, one of `SCHEMAS`."""
    return SCHEMAS[kind].model_json_schema(schema_generator=_Generator)


def schema_files() -> dict[PurePosixPath, str]:
    """Every JSON Schema as text, by its path below ``generated``."""
    return {
        PurePosixPath(f"schema/{kind}.schema.json"): json.dumps(json_schema(kind), indent=2, ensure_ascii=False) + "\n"
        for kind in SCHEMAS
    }


def operator_json_schema() -> dict[str, Any]:
    """The JSON Schema of an operator's file."""
    return json_schema("operator")
