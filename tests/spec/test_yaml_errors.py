"""Files that are no YAML of ours."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from aclspec.codegen.pipeline.load import load_project
from aclspec.codegen.source.findings import SpecErrors
from aclspec.codegen.source.yaml_tree import Mapping, Scalar, Source, find, parse, plain, read

FILES = {
    "a tab": ("op: x\nlet:\n\ta: 1\n", "3:1: The line is indented with a tab; expected spaces."),
    "an open bracket": ("op: [a, b\nlet: 1\n", None),
    "a bracket in braces": (
        "op: {a: b[1] == 2}\n",
        "1:10: The text is not YAML: did not find expected ',' or '}' while parsing a flow mapping; quote a text that "
        "holds a bracket, a brace, a colon or a comma.",
    ),
    "an open quote": ("op: 'a\n", None),
    "a key twice": (
        "op: a\nlet:\n  x: 1\n  y: 2\n  x: 3\n",
        "5:3: The key (x) stands twice in one mapping; the first is on line 3.",
    ),
    "two documents": ("op: a\n---\nop: b\n", "2:1: A second document starts here; expected one document a file."),
    "an anchor": ("op: &a b\n", "1:5: A YAML anchor (a) is used; expected plain YAML without it."),
    "an alias": ("op: *a\n", "1:5: An alias (a) is used; expected plain YAML without it."),
    "a tag": (
        "op: !!python/object:os.system x\n",
        "1:5: A YAML tag (tag:yaml.org,2002:python/object:os.system) is used; expected plain YAML without it.",
    ),
    "a leading zero": ("op: 004\n", "1:5: A number (004) starts with 0; quote it if it is a string."),
    "a number with a leading zero": ("op: 004.1\n", "1:5: A number (004.1) starts with 0; quote it if it is a string."),
    "a list as a key": ("? [a]\n: b\n", "1:3: A key is a list or a mapping; expected a word."),
    "deep nesting": ("op: " + "[" * 100 + "]" * 100 + "\n", "1:36: The nesting is deeper than 32 levels."),
    "a control character": (
        "op: 中\nlet: a\0b\n",
        "2:7: A control character (U+0000) stands in the text; expected printable text.",
    ),
    "nothing": ("", "1:1: The file is empty; expected a mapping."),
    "only a comment": ("# nothing\n", "1:1: The file is empty; expected a mapping."),
    "null": ("~\n", "1:1: The file is empty; expected a mapping."),
    "a list": ("- op\n", "1:1: The file is a list; expected a mapping."),
    "lines": ('"a\\n\\x85b"\n', "1:1: The file is a string (a\\n\\x85b); expected a mapping."),
    "a word": ("op\n", "1:1: The file is a string (op); expected a mapping."),
}


@pytest.mark.parametrize("case", [name for name, (_, message) in FILES.items() if message], ids=str)
def test_refused(specs: Path, case: str) -> None:
    text, message = FILES[case]
    (specs / "math" / "x.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(SpecErrors) as caught:
        load_project(specs)
    assert f"specs/math/x.yaml:{message}" in [str(finding) for finding in caught.value.findings]


@pytest.mark.parametrize("case", ["an open bracket", "an open quote"], ids=str)
def test_no_yaml(specs: Path, case: str) -> None:
    (specs / "math" / "x.yaml").write_text(FILES[case][0], encoding="utf-8")
    with pytest.raises(SpecErrors, match=r"^specs/math/x\.yaml:\d+:\d+: The text is not YAML: "):
        load_project(specs)


def test_not_utf8(specs: Path) -> None:
    (specs / "math" / "x.yaml").write_bytes(b"op: a\nlet: \xff\n")
    with pytest.raises(SpecErrors, match=r"^specs/math/x\.yaml:2:1: The file is not UTF-8 text\.$"):
        load_project(specs)


def test_no_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SpecErrors, match=r"^nothing:1:1: The directory of specs \(nothing\) does not exist\.$"):
        load_project("nothing")


def test_no_operator(specs: Path) -> None:
    with pytest.raises(SpecErrors, match=r"^specs:1:1: The directory of specs holds no YAML file of an operator\.$"):
        load_project(specs)


def _tree(text: str) -> Source:
    return parse(Source(Path("x.yaml"), text, None))


def test_scalars_follow_yaml_1_2() -> None:
    text = "a: off\nb: yes\nc: 1e3\nd: 12:30\ne: 2020-01-01\nf: .nan\ng: 0x1F\nh: '1'\ni: ~\nnull: 3\ntrue: 4\n5: x\n"
    tree = _tree(text).tree
    assert tree is not None
    values = plain(tree)
    assert isinstance(values, dict)
    assert str(values.pop("f")) == "nan"
    assert values == {
        "a": "off",
        "b": "yes",
        "c": 1000.0,
        "d": "12:30",
        "e": "2020-01-01",
        "g": 31,
        "h": "1",
        "i": None,
        "null": 3,
        "true": 4,
        5: "x",
    }


def test_positions_count_characters() -> None:
    tree = _tree("a: 中文\nb: {键: [x, 'y']}\n").tree
    assert tree is not None
    node = find(tree, ("b", "键", 1))
    assert isinstance(node, Scalar)
    assert (node.at.line, node.at.column) == (2, 12)
    parent = find(tree, ("b",))
    assert isinstance(parent, Mapping)
    assert parent.keys["键"].at.column == 5
    assert find(tree, ("b", "键", 2)) is None


def test_many_digits_are_a_string() -> None:
    tree = _tree(f"a: {'9' * 10_000}\n").tree
    assert tree is not None
    assert isinstance(plain(tree), dict)


def test_read(tmp_path: Path, load: Callable[..., object]) -> None:
    path = tmp_path / "x.yaml"
    path.write_text("a: 1\n", encoding="utf-8")
    assert read(path).findings == []


def test_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes(b"\xef\xbb\xbfop: a\nnull: [self]\n")
    source = read(tmp_path / "a.yaml")
    assert source.tree is not None
    assert plain(source.tree) == {"op": "a", "null": ("self",)}
    assert find(source.tree, ("op",)) is not None
