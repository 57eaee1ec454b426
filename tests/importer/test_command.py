"""The command ``aclspec import``."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
import yaml

from aclspec.cli.main import main
from aclspec.codegen.importer import page as page_module
from tests.support.terminal import ESCAPES, require_stripped


def run(*arguments: object) -> int:
    return main(["import", *map(str, arguments)])


@pytest.fixture
def drafted(page_file: Path, tmp_path: Path) -> Path:
    assert run(page_file, "--out", tmp_path / "drafts") == 0
    return tmp_path / "drafts"


def spec(folder: Path) -> dict[str, object]:
    found = yaml.safe_load((folder / "toy_blend.yaml").read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def test_it_writes_a_spec_and_its_questions(
    page_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(page_file, "--out", tmp_path / "drafts", "--json") == 0
    drafts = json.loads(capsys.readouterr().out)["drafts"]
    assert [Path(file).name for file in drafts[0]["files"]] == ["toy_blend.yaml", "toy_blend.questions.yaml"]
    assert (drafts[0]["op"], drafts[0]["questions"]) == ("aclnnToyBlend", 3)


def test_it_does_not_write_over_a_draft(drafted: Path, page_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(page_file, "--out", drafted) == 2
    assert "exists already" in capsys.readouterr().err


def test_nothing_is_written_where_two_pages_declare_one_operator(
    page_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = page_file.with_name("other.md")
    other.write_text(page_file.read_text(encoding="utf-8"), encoding="utf-8")
    assert run(page_file, other, "--out", tmp_path / "both") == 2
    assert page_file.name in (error := capsys.readouterr().err)
    assert "other.md" in error
    assert not (tmp_path / "both").exists()


def test_a_draft_does_not_go_to_the_specs(page_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(page_file, "--out", "specs") == 2
    assert "a draft belongs in another one" in capsys.readouterr().err


def test_a_folder_of_pages_and_the_report(page_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (page_file.parent / "other.md").write_text("# nothing\n", encoding="utf-8")
    assert run("--report", page_file.parent, "--json") == 0
    counts = json.loads(capsys.readouterr().out)
    assert counts["pages"] == {"read": 1, "functions": 1, "refused": 1}
    assert counts["findings"] == {"no-prototype": 1}
    assert counts["error rows"] == {"checks": 5, "not understood": 1}
    assert counts["facts"]["dtype cells"] == counts["facts"]["dtype cells with dtypes"] == 15
    assert run("--report", page_file.parent) == 0
    assert "error rows" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"# nothing\n", "declares no function"),
        (b"\xff\xfe\x00", "not a text"),
        ("这不是一页".encode("gbk"), "not UTF-8"),
        (b"x" * 2000, "more than 1000 bytes"),
    ],
)
def test_what_is_no_page_is_a_finding(
    data: bytes, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_module, "MOST_BYTES", 1000)
    path = tmp_path / "page.md"
    path.write_bytes(data)
    assert run(path, "--out", tmp_path / "drafts") == 1
    found = capsys.readouterr().err
    assert sentence in found
    assert "page.md:1:1: " in found
    assert not (tmp_path / "drafts").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "Name at least one page"),
        (("nowhere.md", "--out", "x"), "does not exist"),
        (("--review", "aclnnToyBlend"), "Give --out"),
        (("--review", "aclnnNone", "--out", "nowhere"), "has no draft"),
        (("{page}",), "Give --out"),
        (("{page}", "--out", "x", "--facts", "{page}"), "is not JSON"),
        (("{page}", "--against", "nowhere.yaml"), "does not exist"),
    ],
)
def test_usage_errors(
    arguments: tuple[str, ...], sentence: str, page_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*(one.format(page=page_file) for one in arguments)) == 2
    assert sentence in capsys.readouterr().err


def review(folder: Path, answers: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(answers))
    assert run("--review", "aclnnToyBlend", "--out", folder) == 0


def test_a_review_shows_the_lines_and_writes_the_answer(
    drafted: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    review(drafted, "rank(glaze) > 1\nrank(paint) > 1 when wet\n", monkeypatch)
    shown = capsys.readouterr().out
    assert "toy.md:" in shown
    assert "glaze" in shown
    rules = [entry for entry in spec(drafted)["checks"] if str(entry.get("id", "")).startswith("answer-")]  # type: ignore[attr-defined]
    assert [(rule["require"], rule["when"]) for rule in rules] == [("rank(paint) > 1", "wet")]
    sidecar = yaml.safe_load((drafted / "toy_blend.questions.yaml").read_text(encoding="utf-8"))
    assert next(one["answer"] for one in sidecar["questions"]) == "rank(paint) > 1 when wet"
    assert sidecar["provenance"][-1]["source"] == "answer"


def test_an_empty_line_leaves_a_question_open(
    drafted: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = spec(drafted)
    review(drafted, "\n" * 9, monkeypatch)
    assert spec(drafted) == before
    assert "left" in capsys.readouterr().out


def test_answers_about_ranks_formats_dtypes_and_outputs(
    page_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = page_file.read_text(encoding="utf-8")
    text = text.replace("<td>不超过5维</td>", "<td>随意</td>").replace("<td>NCHW、ND</td>", "<td>-</td>")
    text = text.replace("<td>FLOAT</td><td>ND</td><td>0-8</td>", "<td>-</td><td>ND</td><td>0-8</td>")
    text = text.replace("<tr><td>mixed的shape不是paint与canvas做broadcast后的shape。</td></tr>", "")
    page_file.write_text(text, encoding="utf-8")
    folder = tmp_path / "drafts"
    assert run(page_file, "--out", folder) == 0
    sidecar = yaml.safe_load((folder / "toy_blend.questions.yaml").read_text(encoding="utf-8"))
    answers = {"rank": "9\n2-3\n", "formats": "ND\n", "dtypes": "INT8\n", "infer-shape": "shape(paint)\n"}
    review(folder, "".join(answers.get(one["kind"], "none\n") for one in sidecar["questions"]), monkeypatch)
    found = spec(folder)
    canvas = next(entry for entry in found["params"] if entry["name"] == "canvas")  # type: ignore[attr-defined]
    assert (canvas["rank"], canvas["formats"]) == ([2, 3], ["ND"])
    assert all(row["row"]["layers"] == "INT8" for row in found["dtypes"])  # type: ignore[attr-defined]
    assert found["infer"]["mixed"]["shape"] == "shape(paint)"  # type: ignore[index]


def test_a_spec_against_its_page(drafted: Path, page_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = drafted / "toy_blend.yaml"
    assert run("--against", path, page_file) == 0
    assert "say the same" in capsys.readouterr().out
    text = path.read_text(encoding="utf-8")
    assert "rank: [1, 4]" in text
    path.write_text(text.replace("rank: [1, 4]", "rank: [1, 3]"), encoding="utf-8")
    assert run("--against", path, page_file, "--json") == 1
    found = json.loads(capsys.readouterr().out)["differences"]
    assert [(one["about"], one["spec"], one["page"]) for one in found] == [("params.paint.rank", "1-3", "1-4")]
    assert "toy.md:" in found[0]["places"][0]


def test_a_line_that_is_not_understood_is_no_agreement(
    drafted: Path, page_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = "<tr><td>ACLNN_ERR_PARAM_INVALID</td><td>161002</td><td>paint应随心情变化。</td></tr>"
    spec, lines, found = drafted / "toy_blend.yaml", page_file.read_text("utf-8").splitlines(), []
    at = next(at for at, line in enumerate(lines) if "161002" in line)
    for text in (lines, [*lines[:at], row, *lines[at:]]):
        page_file.write_text("\n".join(text), "utf-8")
        capsys.readouterr()
        assert run("--against", spec, page_file, "--json") == 0
        found.append(json.loads(capsys.readouterr().out)["not_compared"])
    assert len(found[1]) == len(found[0]) + 1
    assert at + 1 in found[1]
    assert run("--against", spec, page_file) == 0
    told = capsys.readouterr().out
    assert "spec and page say the same in what was compared" in told
    assert f"{len(found[1])} lines of the page: {', '.join(map(str, found[1]))}" in told


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("- {null: [", "- {null: [nobody, ", "nobody"),
        ("axis, type: int64", "axis, type: nothing", "nothing"),
        ("op: aclnnToyBlend", "nothing: here", "op"),
    ],
)
def test_a_spec_that_lint_refuses_never_says_the_same(
    old: str, new: str, said: str, drafted: Path, page_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = drafted / "toy_blend.yaml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    capsys.readouterr()
    assert run("--against", path, page_file) == 1
    shown = capsys.readouterr()
    assert "say the same" not in shown.out
    assert said in shown.err
    assert "toy_blend.yaml:" in shown.err


def test_a_folder_of_drafts_lints_and_generates(
    drafted: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The questions beside a draft are no spec."""
    assert main(["lint", str(drafted)]) == 0
    assert "questions" not in capsys.readouterr().out
    assert main(["lint", str(drafted / "toy_blend.yaml")]) == 0
    out = ["--out", str(tmp_path / "out"), "--package", "toy_ops"]
    assert main(["generate", "--specs", str(drafted), *out]) == 0
    assert [path.stem for path in (tmp_path / "out" / "tests").glob("test_toy*.py")] == ["test_toy_blend"]


def test_without_the_libraries_the_extra_is_named(
    page_file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert run(page_file, "--report") == 2
    assert "pip install 'aclspec[import]'" in capsys.readouterr().err


def test_escapes_of_a_page_do_not_reach_the_terminal(
    page_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In its sentences and in its cells: what the draft wants, what differs, what is asked, and as JSON."""
    text = page_file.read_text(encoding="utf-8")
    hostile = ESCAPES.replace("\r", "").replace("\0", "")
    for word in ("颜料。", "缓慢漂移", "<td>1-4</td>", "BOOL<!--", "FLOAT、FLOAT16、BFLOAT16"):
        assert word in text
        text = text.replace(word, word.replace("</td>", "") + hostile + ("</td>" if "</td>" in word else ""))
    page_file.write_text(text, encoding="utf-8")
    drafts = tmp_path / "drafts"
    run(page_file, "--out", drafts)
    monkeypatch.setattr("sys.stdin", io.StringIO("\n" * 9))
    run("--review", "aclnnToyBlend", "--out", drafts)
    require_stripped("".join(capsys.readouterr()))
