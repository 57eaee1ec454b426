"""The table of operators known by signature alone: what it gives to a package, and what it may not say."""

from __future__ import annotations

import inspect
import json
import pickle
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from aclspec.codegen.pages.indexes import render_indexes
from aclspec.codegen.pipeline.generate import generate
from aclspec.codegen.pipeline.load import lint, load_specs
from aclspec.codegen.pipeline.scaffold import Place, scaffold
from aclspec.codegen.source.findings import SpecErrors
from aclspec.codegen.source.folders import SIGNATURES, find_specs
from aclspec.codegen.spec.signatures import Signature
from aclspec.runtime import AclnnError
from tests.levels.conftest import SPECS, Leveled

X = np.zeros(3, np.float32)


def test_an_operator_of_the_table_is_declared(leveled: Leveled) -> None:
    operator = leveled.get("aclnnWhirl")
    assert leveled.get("Whirl") is operator
    assert (operator.name, operator.snake, operator.level) == ("aclnnWhirl", "whirl", "declared")
    assert [(one.name, one.snake, one.type, one.direction) for one in leveled.get("some_lists").info.params] == [
        ("gradOutput", "grad_output", "tensor", "unknown"),
        ("parts", "parts", "tensor_list", "unknown"),
        ("sizes", "sizes", "int_array", "in"),
        ("mode", "mode", "string", "in"),
    ]
    assert [one.name for one in leveled.get("aclnnInplaceWhirl").outputs] == ["selfRef"]
    assert dict(operator.info.products) == {"atlas_a2": "newer", "atlas_a3": "newer"}
    assert leveled.get("aclnnSomeLists").info.products == ()
    assert [one.const for one in leveled.get("aclnnInplaceWhirl").info.params] == [True, False]
    assert operator.info.header == leveled.get("aclnnInplaceWhirl").info.header == "aclnn_turns.h"
    assert leveled.get("aclnnSomeLists").info.header == "aclnn_some_lists.h"
    assert pickle.loads(pickle.dumps(operator)) is operator


def test_nobody_says_whether_a_call_works(leveled: Leveled) -> None:
    operator = leveled.get("aclnnWhirl")
    assert operator.explain(X, 1).ok is None
    assert operator.get_workspace_size(X, 1, X) == (200001, 0, None)
    with pytest.raises(AclnnError, match="No rule of aclnnWhirl is known"):
        operator(X, 1, out=X)
    with pytest.raises(TypeError, match="turns"):
        operator(X, out=X)


def test_the_package_has_its_names(leveled: Leveled) -> None:
    from importlib import import_module

    package = import_module("leveled.ops")
    operator = leveled.get("aclnnWhirl")
    assert package.whirl is operator
    assert package.aclnnWhirlGetWorkspaceSize(X, 1, X)[0] == 200001
    assert package.WhirlResult(out=X).out is X
    assert "whirl" not in package.names()
    assert {"whirl", "inplace_whirl", "some_lists", "doubled"} <= set(package.names(declared=True))
    with pytest.raises(LookupError, match=r"did you mean aclnnWhirl\?"):
        package.get("aclnnWhril")
    with pytest.raises(AttributeError, match="whril"):
        _ = package.whril


def test_the_page_lists_what_is_known(leveled: Leveled) -> None:
    pages = render_indexes(leveled.project)
    page = pages["en/signatures.md"]
    assert "const aclTensor *gradOutput (unknown)" in page
    assert "const aclTensor *selfRef (in and out)" in page
    rows = dict(re.findall(r'<tr id="(\w+)">(.*?)</tr>', page, re.DOTALL))
    assert ">?</td><td><details>" in rows["some_lists"]
    assert rows["some_lists"].endswith("<td>?</td>")
    assert "<code>aclnn_turns.h</code>" in rows["whirl"]
    assert "(../signatures.md)" in pages["en/operators/index.md"]


WRONG = {
    "aclnnDoubled: {params: {self: in tensor}}": "An operator (aclnnDoubled) has a spec; take it off the table.",
    "aclnndoubled: {params: {self: in tensor}}": "a C name such as aclnnPreluBackward",
    "aclnnTwist: {params: {self: tensor}}": "a direction and a type, such as in tensor",
    "aclnnTwist: {params: {self: const in tensor}}": "or const before what is written",
    "aclnnTwist: {params: {self: in tensr}}": "did you mean tensor?",
    "aclnnTwist: {params: {}}": "params",
    "aclnnTwist: {products: [atlas_a9], params: {self: in tensor}}": "atlas_a9",
    "aclnnTwist: {level: checked, params: {self: in tensor}}": "level",
    "aclnnTwist: {params: {product: in tensor}}": "has the name of a keyword that every call takes",
    "aclnnAB: {params: {self: in tensor}}\n  aclnnAb: {params: {self: in tensor}}": "in snake_case",
}


@pytest.mark.parametrize("line", WRONG)
def test_a_line_that_cannot_be_is_a_finding_at_its_place(tmp_path: Path, line: str) -> None:
    shutil.copytree(SPECS, tmp_path / "specs")
    (tmp_path / "specs" / "signatures.yaml").write_text(f"signatures:\n  {line}\n", encoding="utf-8")
    _, findings = load_specs(tmp_path / "specs")
    (finding,) = [one for one in findings if one.file.endswith("signatures.yaml")]
    assert WRONG[line] in finding.message
    assert finding.at.line >= 2
    with pytest.raises(SpecErrors):
        generate(tmp_path / "specs", tmp_path / "out", "other")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("params", "messages"),
    [
        ("self: in tensor, turns: in int64, out: const out tensor", []),
        (
            "self: in tensor, out: out tensor, turns: in int64",
            ["The parameters (self, out, turns) are not those in TABLE; expected self, turns, out."],
        ),
        (
            "self: inout tensor, turn: in int64, out: out tensor",
            [
                "The parameters (self, turn, out) are not those in TABLE; expected self, turns, out.",
                "A parameter (self) is inout tensor; expected in tensor, as in TABLE.",
            ],
        ),
        (
            "self: in tensor, turns: in int32, out: out tensor",
            ["A parameter (turns) is in int32; expected in int64, as in TABLE."],
        ),
    ],
)
def test_a_spec_whose_signature_the_table_has_otherwise(tmp_path: Path, params: str, messages: list[str]) -> None:
    shutil.copytree(SPECS, tmp_path / "specs")
    text = f"op: aclnnWhirl\nlevel: declared\nparams: {{{params}}}\n"
    file = tmp_path / "specs" / "custom" / "whirl.yaml"
    file.write_text(text, encoding="utf-8")
    found = [one.message for one in lint([file])]
    assert found == [text.replace("TABLE", "the table of signatures for aclnnWhirl") for text in messages]


def test_an_unknown_direction_of_the_table_is_any(tmp_path: Path) -> None:
    shutil.copytree(SPECS, tmp_path / "specs")
    params = "gradOutput: inout tensor, parts: in tensor_list, sizes: in int_array, mode: in string"
    file = tmp_path / "specs" / "custom" / "some_lists.yaml"
    file.write_text(f"op: aclnnSomeLists\nlevel: declared\nparams: {{{params}}}\n", encoding="utf-8")
    assert lint([file]) == []


def test_specs_of_ones_own_are_compared_with_the_table_of_the_project(tmp_path: Path) -> None:
    file = tmp_path / "specs" / "custom" / "ada_layer_norm_backward.yaml"
    file.parent.mkdir(parents=True)
    file.write_text("op: aclnnAdaLayerNormBackward\nlevel: declared\nparams: {gradOut: in tensor}\n", encoding="utf-8")
    (finding,) = lint([tmp_path / "specs"])
    assert (finding.severity, finding.kind, finding.at.line) == ("warning", "signature", 3)


def test_the_form_of_two_words_is_a_short_form_of_every_spec(tmp_path: Path) -> None:
    shutil.copytree(SPECS, tmp_path / "specs")
    (tmp_path / "specs" / "signatures.yaml").unlink()
    text = "op: aclnnTwist\nlevel: declared\nparams: {self: in tensor, out: out tensor}\n"
    folder = next(path for path in (tmp_path / "specs").iterdir() if path.is_dir())
    (folder / "twist.yaml").write_text(text, encoding="utf-8")
    project, findings = load_specs(tmp_path / "specs")
    assert project is not None
    assert not [one for one in findings if one.file.endswith("twist.yaml")]
    assert [(one.name, one.direction) for one in project.operator("twist").info.params] == [
        ("self", "in"),
        ("out", "out"),
    ]


def test_all_real_headers_compile(repository: Path, tmp_path: Path, program: Callable[[str], str]) -> None:
    """Every header of the simulator in one C++ file: no name clashes, no type is unknown."""
    import subprocess

    from aclspec import ops
    from aclspec.codegen.render.headers import declared, render_headers
    from aclspec.codegen.simulator.compile import SOURCES

    infos = [ops.get(name).info for name in ops.names(declared=True)]
    assert len(infos) > 900
    headers = render_headers(map(declared, infos))
    for path, text in headers.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    source = tmp_path / "all.cpp"
    source.write_text("".join(f'#include "{path}"\n' for path in headers), encoding="utf-8")
    command = [
        program("g++"),
        "-fsyntax-only",
        "-Wall",
        "-Werror",
        f"-I{tmp_path}",
        f"-I{SOURCES / 'include'}",
        str(source),
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]


def test_a_new_operator_starts_from_its_known_signature(tmp_path: Path) -> None:
    """Its parameters, products and header; it lints and generates as it stands."""
    place = Place.outside(tmp_path / "specs", "kernels")
    table = yaml.safe_load((find_specs() / SIGNATURES).read_text(encoding="utf-8"))["signatures"]
    known = [(name, Signature.model_validate_json(json.dumps(table[name]))) for name in [*table][::40]]
    assert known
    for name, signature in known:
        (spec, text), (kernel, code) = scaffold(name, "custom", place).items()
        spec.parent.mkdir(parents=True, exist_ok=True)
        spec.write_text(text, encoding="utf-8")
        module: dict[str, Any] = {}
        exec(compile(code, kernel.name, "exec"), module)
        arguments = list(inspect.signature(module[kernel.stem]).parameters)
        assert len(arguments) == len(signature.params) + 1
    assert [str(one) for one in lint([tmp_path / "specs"]) if one.severity == "error"] == []
    project, _ = load_specs(tmp_path / "specs")
    assert project is not None
    for operator in project.operators:
        signature = dict(known)[operator.info.name]
        said = {one.name: f"{one.direction} {one.type}" for one in operator.info.params}
        wanted = {key: text.removeprefix("const ") for key, text in signature.params.items()}
        assert {key: one for key, one in said.items() if not wanted[key].startswith("unknown")} == {
            key: one for key, one in wanted.items() if not one.startswith("unknown")
        }
        assert operator.info.header.endswith(signature.header or f"aclnn_{operator.info.snake}.h")


def test_a_new_operator_without_a_signature_copies_its_input(tmp_path: Path) -> None:
    text = next(iter(scaffold("aclnnNobodyKnows", "custom", Place.outside(tmp_path, "kernels")).values()))
    assert "kernel: kernels.nobody_knows:nobody_knows" in text
