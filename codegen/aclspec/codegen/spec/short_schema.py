"""The short forms of specs in their JSON Schema, so that an editor knows them too."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from aclspec.codegen.source.tree_edit import TEXTS
from aclspec.codegen.spec.checks import CHECK_KEYS, TABLE_KINDS
from aclspec.codegen.spec.levels import NEEDED, levels_below
from aclspec.codegen.spec.short_checks import CHECK_FIELDS
from aclspec.codegen.spec.short_params import DIRECTIONS
from aclspec.codegen.spec.shorthand import LISTS

Schema = dict[str, Any]
_STRINGS: Schema = {"type": "array", "items": {"type": "string"}}
_WORDS: Schema = {"anyOf": [{"type": "string"}, _STRINGS]}
_PAIR: Schema = {**_STRINGS, "minItems": 2, "maxItems": 2, "description": "English and Chinese."}
_EXPRESSION: Schema = {"type": ["string", "integer", "number", "boolean"]}
_SECTIONS = {
    "params": "name",
    **dict.fromkeys(("formula", "examples", "calls", "notes", "unjudged", "kernels", "versions"), "id"),
}
"""The lists whose entries may stand under their names, with the key of the name."""


def with_short_forms(schema: Schema) -> Schema:
    """The JSON Schema of an operator's spec that also accepts every short form."""
    found = deepcopy(schema)
    models = found["$defs"]
    for model in (found, *models.values()):
        for name, value in model.get("properties", {}).items():
            model["properties"][name] = value if model is found else _short_value(name, value)
        model["required"] = [name for name in model.get("required", []) if name not in ("header", "category", "checks")]
    models["Text"] = {"anyOf": [models["Text"], _PAIR]}
    _param(models["Param"])
    _keys(models["Row"], each=_WORDS, same=_WORDS, of=_WORDS, add={"type": "object"}, usual={"type": "object"})
    models["Row"]["required"] = []
    models["Row"]["properties"]["where"] = {
        **models["Row"]["properties"]["where"],
        "patternProperties": {},
        "additionalProperties": _WORDS,
    }
    values = {"type": "object", "description": "Values by parameter; a tensor is text such as FLOAT[2, 3]: 1."}
    _keys(models["Example"], like={"type": "string"}, call=values, inputs=values, outputs=values)
    models["clauses"] = {"type": "array", "items": {"type": ["string", "integer"]}}
    _keys(models["Note"], note={"$ref": "#/$defs/Text"}, deviation={"$ref": "#/$defs/Text"})
    _keys(models["Compute"], roles={"type": "object"})
    _keys(models["Reference"], **{name: _or_null(value) for name, value in models["Reference"]["properties"].items()})
    models["Compute"]["properties"]["tolerance"] = {"anyOf": [{"const": "exact"}, {"type": "object"}]}
    models["Example"]["required"] = models["Note"]["required"] = ["id"]
    models["Compute"]["required"] = []
    for section, key in _SECTIONS.items():
        found["properties"][section] = _by_name(found["properties"][section], models, key)
    _operator(found)
    _levels(found)
    return found


def _short_value(name: str, value: Schema) -> Schema:
    """A value that may be a list of one, or a tensor as text."""
    if name in LISTS or name in (*TABLE_KINDS, "dtypes"):
        return {"anyOf": [value, {"type": ["string", "integer"]}]}
    if name in TEXTS and "$ref" not in value and value.get("type") == "object":
        return {"anyOf": [value, _PAIR]}
    return value


def _keys(model: Schema, **more: Schema) -> None:
    model["properties"] |= more


def _param(model: Schema) -> None:
    """Type and direction in one key, the format ND, and what an output is inferred to be."""
    kinds = model["properties"]["type"]
    _keys(model, **dict.fromkeys(DIRECTIONS, kinds))
    inferred = {"shape": _EXPRESSION, "dtype": _EXPRESSION, "format": _EXPRESSION, "relies_on": _STRINGS}
    _keys(model, **{name: _or_null(value) for name, value in inferred.items()})
    model["properties"]["clauses"] = {"type": "object", "description": "The clauses of each field."}
    model["properties"]["rank"] = _or_null({"anyOf": [model["properties"]["rank"], {"type": "integer"}]})
    model["properties"]["axes"] = {"anyOf": [model["properties"]["axes"], _STRINGS]}
    model["required"] = []


def _or_null(value: Schema) -> Schema:
    """A value that a variant may leave out."""
    return {"anyOf": [value, {"type": "null"}]}


def _by_name(section: Schema, models: Schema, key: str) -> Schema:
    """A list, or a mapping of its entries without their names."""
    model = models[section["items"]["$ref"].rpartition("/")[2]]
    entry = {**model, "required": [name for name in model.get("required", []) if name != key]}
    entry["properties"] = {name: value for name, value in model["properties"].items() if name != key}
    description = section.pop("description", "")
    named = {
        "type": "object",
        "additionalProperties": _or_null(entry),
    }
    return {"description": description, "anyOf": [section, named]}


def _operator(schema: Schema) -> None:
    """The keys that only the short form has, and the checks."""
    properties = schema["properties"]
    kinds = properties["checks"]["items"]["oneOf"]
    common = {name: schema["$defs"]["Rule"]["properties"].get(name, {}) for name in sorted(CHECK_FIELDS - {"id"})}
    rule = {
        "description": "A rule under its id.",
        "type": "object",
        "properties": common,
        "propertyNames": {"not": {"enum": [*CHECK_KEYS, "id", "group", "checks"]}},
        "additionalProperties": _EXPRESSION,
    }
    group = {
        "description": "Checks with common keys.",
        "type": "object",
        "properties": {"group": {"type": "object"}, "checks": {"$ref": "#/properties/checks"}},
        "required": ["group", "checks"],
        "additionalProperties": False,
    }
    properties["checks"]["items"] = {"anyOf": [*kinds, group, rule]}
    properties["rules"] = {
        "description": "The rules behind the usual checks, which follow from the tables; in place of checks.",
        "$ref": "#/properties/checks",
    }
    names = {"anyOf": [{"type": "string"}, _STRINGS]}
    properties["use"] = {"description": "Families.", "anyOf": [*names["anyOf"], {"type": "object"}]}
    properties["variant_of"] = {"description": "The file of the spec that this is a variant of.", "type": "string"}
    properties["rename"] = {"description": "Other names for the parameters of that spec.", "type": "object"}
    properties["listed_by"] = {"description": "Who lists the products and the rows.", "enum": ["document", "newer"]}
    properties["sets"] = {
        "description": "Names for lists of dtypes or of formats; null among dtypes is a null pointer.",
        "type": "object",
        "additionalProperties": {"type": "array", "items": {"type": ["string", "null"]}},
    }
    products = properties["products"]
    products["items"] = {"anyOf": [products["items"], {"type": "string"}]}
    properties["products"] = {"anyOf": [products, {"type": "string"}]}
    lets = properties["let"]["patternProperties"]
    for pattern, value in lets.items():
        triple = {**_STRINGS, "minItems": 3, "maxItems": 3, "description": "The value, English and Chinese."}
        lets[pattern] = _or_null({"anyOf": [value, triple]})


def _levels(schema: Schema) -> None:
    """The keys that a level needs, with their short forms; without a level it is the highest. A variant needs none."""
    variant = {"required": ["variant_of"]}
    compute = {"properties": {"compute": {"required": ["kernel"]}}}
    schema["required"].remove("params")
    schema["allOf"] = [
        {"if": variant, "else": {"required": ["params"], **compute}},
        *_by_level(variant),
    ]


def _by_level(variant: Schema) -> list[Schema]:
    return [
        {
            "if": {
                "anyOf": [
                    {"properties": {"level": {"enum": list(levels_below(level))}}, "required": ["level"]},
                    variant,
                ]
            },
            "else": {"required": [key for key in keys if key != "checks"]},
        }
        for level, keys in NEEDED.items()
        if keys
    ]


def with_short_clauses(schema: Schema) -> Schema:
    """The JSON Schema of a file of clauses that also accepts clauses grouped by place."""
    found = deepcopy(schema)
    text = {"anyOf": [found["$defs"]["FullText"], _PAIR]}
    found["$defs"]["FullText"] = text
    clause = found["$defs"]["ClauseSpec"]
    entry = {**clause, "required": ["says"]}
    entry["properties"] = {name: value for name, value in clause["properties"].items() if name not in ("id", "place")}
    says = {"type": "object", "additionalProperties": {"anyOf": [{"$ref": "#/$defs/FullText"}, entry]}}
    group = {
        "description": "The clauses of one place, under their ids without the number of the document.",
        "type": "object",
        "properties": {"place": {"$ref": "#/$defs/FullText"}, "says": says},
        "required": ["place", "says"],
        "additionalProperties": False,
    }
    clauses = found["properties"]["clauses"]
    clauses["items"] = {"anyOf": [clauses["items"], group]}
    return found
