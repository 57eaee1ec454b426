"""Nothing that others wrote reaches the terminal as a control character, whichever command prints it."""

from __future__ import annotations

import ast
import json
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aclspec.cli.main import main
from aclspec.cli.printable import printable, printable_json
from aclspec.runtime.testing.amount import amount
from tests.support.terminal import ESCAPES, SEEN, obeyed, require_stripped

TOP = Path(__file__).parents[2]
CHARACTERS = amount(0x3000, 0x110000, 0x110000)
"""All that are taken out are among the first."""
Said = Callable[[int], None]


@pytest.fixture
def said(capfd: pytest.CaptureFixture[str]) -> Said:
    """Takes the status of a command that printed a hostile text, on either stream."""

    def read(status: int) -> None:
        assert status in (0, 1, 2)
        require_stripped("".join(capfd.readouterr()))

    return read


def test_every_character() -> None:
    """What Unicode calls a control or a direction is taken out, and nothing that has a shape."""
    every = "".join(map(chr, range(CHARACTERS)))
    gone = set(every) - set(printable(every))
    assert obeyed(printable(every)) == []
    assert {unicodedata.category(one) for one in gone} == {"Cc", "Cf"}
    assert len(gone) == 63 + 12
    assert printable("self 有 3 个元素\n\tété 😀") == "self 有 3 个元素\n\tété 😀"


def test_json_is_the_same_document() -> None:
    value = {ESCAPES: [ESCAPES, "有\n"]}
    text = json.dumps(value, ensure_ascii=False, indent=1)
    assert json.loads(printable_json(text)) == value
    assert obeyed(printable_json(text)) == []


def recording(path: Path, text: str) -> Path:
    """A recording with a text in its strings, of calls that are refused, unknown, ported and run again."""

    def tensor(*shape: int, more: str = text) -> dict[str, Any]:
        return {"dtype": f"FLOAT{more}", "shape": shape, "format": f"ND{more}"}

    def line(operator: str, arguments: Any, **more: Any) -> dict[str, Any]:
        common = {"operator": operator, "product": f"atlas_a2{text}", "status": 161002, "rule": f"a.b{text}"}
        return common | {"arguments": arguments, "nanoseconds": 1, "second": None} | more

    good = {"self": tensor(4, 2, more=""), "weight": tensor(2, more=""), "out": tensor(4, 2, more="")}
    data = {"inputs": {"self": f"x{text}", "weight": {"missing": text}}, "outputs": {}}
    lines = [
        {"aclspec_record": 3},
        line("aclnnPrelu", good),
        line(f"aclnnPrelu{text}", {f"self{text}": tensor(1), "x": text}),
        line("aclnnPrelu", good | {f"more{text}": text}),
        line("aclnnPrelu", good, status=0, product="atlas_a2", data=data),
        line("aclnnPrelu", good, status=0, product="atlas_a2", data={"missing": text}),
    ]
    path.write_text("".join(f"{json.dumps(one)}\n" for one in lines), encoding="utf-8")
    return path


@pytest.mark.parametrize("words", [["--product", "all"], ["--json", "--product", "all"], ["--backend", "numpy"]])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_recording(tmp_path: Path, words: list[str], lang: str, said: Said) -> None:
    path = recording(tmp_path / f"calls{SEEN}.jsonl", ESCAPES)
    said(main(["replay", str(path), "--lang", lang, *words]))


def test_a_broken_recording_and_its_name(tmp_path: Path, said: Said) -> None:
    path = tmp_path / f"calls{ESCAPES.replace(chr(0), '')}.jsonl"
    said(main(["replay", str(path)]))
    path.write_text("{}\n", encoding="utf-8")
    said(main(["replay", str(path)]))
    path.write_text(json.dumps({"aclspec_record": ESCAPES}) + "\n", encoding="utf-8")
    said(main(["replay", str(path)]))


def test_a_spec(tmp_path: Path, said: Said) -> None:
    """In double quotes YAML has escapes of its own."""
    (tmp_path / "evil.yaml").write_text(f"op: {json.dumps(ESCAPES)}\n{json.dumps(ESCAPES)}: 1\n", encoding="utf-8")
    said(main(["lint", str(tmp_path)]))
    said(main(["lint", str(tmp_path), "--json"]))


def test_words_of_the_command_line(said: Said) -> None:
    """A script may have them from somewhere else."""
    text = ESCAPES.replace("\0", "")
    for words in (["show", text], ["explain", "abs", "--self", text], ["replay", text], ["conform", text], [text]):
        said(main(words))


def test_only_one_module_prints() -> None:
    """The others go through it; but for what a shell evaluates, and for demos, whose texts are aclspec's own."""
    own = {"demo.py", "layer_demo.py", "layer.py", "main.py", "output.py"}
    found = {}
    for path in (TOP / "codegen" / "aclspec" / "cli").glob("*.py"):
        calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
        names = [ast.unparse(call.func) for call in calls]
        found[path.name] = sum(name in ("print", "sys.stdout.write", "sys.stderr.write") for name in names)
    assert {name for name, count in found.items() if count} <= own | {"simulator.py"}
    assert found["simulator.py"] == 4
