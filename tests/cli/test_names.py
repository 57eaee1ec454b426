"""Names that people use, torch.matmul, f32, 910B2, lead to operators, dtypes, products; pasted texts to answers."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aclspec import ops
from aclspec.cli.main import main

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run the command line in an empty folder: status, output and errors."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> tuple[int, str, str]:
        status = main(words)
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


@pytest.mark.parametrize(
    ("name", "operator"),
    [
        ("torch.nn.functional.softmax", "aclnnSoftmax"),
        ("F.softmax", "aclnnSoftmax"),
        ("aten::mm", "aclnnMm"),
        ("aten::mm.default", "aclnnMm"),
        ("torch.ops.aten.mm.default", "aclnnMm"),
        ("torch_npu.npu_rotary_mul", "aclnnRotaryPositionEmbedding"),
        ("npu_rotary_mul", "aclnnRotaryPositionEmbedding"),
        ("torch.Tensor.bmm", "aclnnBatchMatMul"),
        ("torch.matmul", "aclnnMatmul"),
    ],
)
def test_a_function_of_pytorch_is_a_name_of_its_operator(cli: Run, name: str, operator: str) -> None:
    status, out, err = cli("show", name)
    assert (status, out.split()[0], err) == (0, operator, "")


def test_a_function_of_several_operators_asks_for_one(cli: Run) -> None:
    names = ops.CATALOG.of_torch("torch.fft.fft")
    assert len(names) > 1
    status, out, err = cli("show", "torch.fft.fft")
    assert (status, out) == (2, "")
    assert f"torch.fft.fft calls {' and '.join(names)}; name one of them" in err


def test_a_function_of_several_operators_means_that_of_its_name_and_says_so(
    cli: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ops.CATALOG, "of_torch", lambda name: ("aclnnMul", "aclnnMuls"))
    status, out, err = cli("show", "torch.mul_")
    assert (status, out.split()[0]) == (0, "aclnnMul")
    assert err == "torch.mul_ means aclnnMul here; it calls aclnnMuls too.\n"


def test_the_c_name_needs_no_prefix(cli: Run) -> None:
    status, out, err = cli("show", "QuantMatmulV4")
    assert (status, out.split()[0], err) == (0, "aclnnQuantMatmulV4", "")


def test_a_name_of_nothing_is_unknown(cli: Run) -> None:
    assert "The operator (torch.made_up) is unknown" in cli("explain", "torch.made_up")[2]


def test_list_names_the_functions_and_what_they_call(cli: Run) -> None:
    _, out, _ = cli("list", "--torch", "--json")
    found = json.loads(out)
    assert found["torch.nn.functional.softmax"] == ["aclnnSoftmax"]
    told = {info.name: info.torch for info in (ops.get(name).info for name in ("softmax", "mm", "gelu"))}
    for operator, names in told.items():
        assert names
        assert all(operator in found[name] for name in names)


def test_show_names_the_functions(cli: Run) -> None:
    assert "Functions of PyTorch that call it on an NPU: " in cli("show", "mm")[1]
    assert "aten::mm" in json.loads(cli("show", "mm", "--json")[1])["torch"]


def test_dtypes_shapes_and_products_as_people_write_them(cli: Run) -> None:
    for tensor in ("f32(4,2)", "float32[4x2]", "torch.float32[torch.Size([4, 2])]"):
        status, out, _ = cli("explain", "F.softmax", "--self", tensor, "--dim", "3", "--product", "Ascend910B2")
        assert status == 1
        assert "atlas_a2: CANN refuses this" in out
        assert "less than 2, the axis count of self" in out


def test_why_reads_a_text_a_file_and_standard_input(cli: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    text = "call aclnnPrelu failed, error code is 161002"
    status, out, err = cli("why", text)
    assert (status, err) == (0, "")
    (tmp_path / "log.txt").write_text(text, encoding="utf-8")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert cli("why", "log.txt")[1] == out == cli("why", "-")[1]


def test_why_answers_programs_and_both_languages(cli: Run) -> None:
    data: Any = json.loads(cli("why", "aclnnPrelu 161002", "--product", "910B", "--json")[1])
    assert (data["version"], data["answers"][0]["operator"]) == (1, "aclnnPrelu")
    assert data["answers"][0]["next"][0].endswith("--product atlas_a2")
    assert "下一步：" in cli("why", "aclnnPrelu 161002", "--lang", "zh")[1]


def test_why_without_an_answer_is_a_finding(cli: Run, tmp_path: Path) -> None:
    status, out, _ = cli("why", "hello")
    assert status == 1
    assert out.startswith("Nothing in this text is known here.")
    assert cli("why", str(tmp_path))[0] == 2
    assert cli("why", "x", "--product", "made up")[0] == 2
    for long in ("x" * 300 + "/y", "\u7b97" * 200, "a\0b"):  # names that no file can have
        assert cli("why", long)[0] == 1
