"""Short forms of examples and notes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aclspec.codegen.source.tree_edit import drop, entries, mapping, put, word, words
from aclspec.codegen.source.yaml_tree import Mapping, Scalar, Sequence, Tree, resolve
from aclspec.codegen.spec.short_params import name_of

_TENSOR = re.compile(r"(?P<dtype>[A-Z][A-Z0-9_]*)\[(?P<shape>[0-9, ]*)\](?P<format> [A-Z]\w*)?: *(?P<values>[^:]*)")


def expand_example(example: Tree, tree: Mapping) -> Iterator[Tree]:
    """An example with tensors as text, inputs and outputs together, and the inputs of another one that it is like."""
    if isinstance(example, Mapping):
        _called(example, tree)
        like = drop(example, "like")
        own = example.values.get("inputs")
        own = own if isinstance(own, Mapping) else Mapping(example.at)
        for other in entries(tree, "examples") if like is not None else ():
            inputs = other.values.get("inputs")
            if isinstance(inputs, Mapping) and words(other.values.get("id")) == words(like):
                merged = Mapping(own.at)
                for name, value in {**inputs.values, **own.values}.items():
                    put(merged, name, value, {**inputs.keys, **own.keys}[name])
                put(example, "inputs", merged)
        for part in ("inputs", "outputs"):
            values = example.values.get(part)
            if isinstance(values, Mapping):
                values.values = {name: _tensor(value) for name, value in values.values.items()}
    yield example


def _called(example: Mapping, tree: Mapping) -> None:
    """``call`` as inputs and outputs."""
    call = drop(example, "call")
    outputs = {name_of(entry) for entry in entries(tree, "params") if words(entry.values.get("direction")) == ["out"]}
    for name, value in call.values.items() if isinstance(call, Mapping) else ():
        part = "outputs" if name in outputs else "inputs"
        values = example.values.get(part)
        if not isinstance(values, Mapping):
            values = Mapping(value.at)
            put(example, part, values)
        put(values, name, value, call.keys[name])  # type: ignore[union-attr]


def _tensor(value: Tree) -> Tree:
    """``FLOAT[2, 3]: -1 0 1 2 3 4`` as a tensor; ``1 2 ..0`` for zeros after the first two elements; each of a list."""
    if isinstance(value, Sequence):
        return Sequence(value.at, [_tensor(item) for item in value.items])
    text = value.value if isinstance(value, Scalar) else None
    found = _TENSOR.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        return value
    numbers, rest = found["values"].split(), None
    if len(numbers) > 1 and numbers[-1].startswith(".."):
        rest = resolve(numbers.pop()[2:])
    shape = [word(resolve(size.strip()), value.at) for size in found["shape"].split(",") if size.strip()]
    values = [word(resolve(number), value.at) for number in numbers]
    made = mapping(value.at, {"dtype": word(found["dtype"], value.at)})
    put(made, "shape", Sequence(value.at, list(shape)))
    put(made, "values", Sequence(value.at, list(values)))
    if rest is not None:
        put(made, "rest", word(rest, value.at))
    if found["format"]:
        put(made, "format", word(found["format"].strip(), value.at))
    return made


def expand_note(note: Tree) -> Iterator[Tree]:
    """``note: TEXT`` and ``deviation: TEXT`` as kind and text."""
    for kind in ("note", "deviation"):
        if isinstance(note, Mapping) and kind in note.values and "kind" not in note.values:
            value = note.values[kind]
            if isinstance(value, Sequence) and len(value.items) == 2:
                value = mapping(value.at, dict(zip(("en", "zh"), value.items, strict=True)))
            key = note.keys[kind]
            drop(note, kind)
            put(note, "kind", word(kind, key.at), key)
            put(note, "doc", value, key)
    yield note
