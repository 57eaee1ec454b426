"""The commands as a person or a program runs them: answers, exit statuses, one sentence for what is wrong."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import yaml

from aclspec import ops
from aclspec.cli.main import main
from aclspec.codegen.source.folders import find_specs
from tests.support.operators import some

PRELU = ["--grad-output", "float32[4,2]", "--self", "float32[4,2]", "--weight"]


class Answer:
    """What a command said."""

    def __init__(self, status: int, out: str, err: str) -> None:
        self.status, self.out, self.err = status, out, err

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Answer]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run the command line in an empty folder."""
    monkeypatch.chdir(tmp_path)
    for name in ("ACLSPEC_PRODUCT", "ACLSPEC_CONFORMANCE", "ACLSPEC_BACKEND", "ACLSPEC_PACKAGES"):
        monkeypatch.delenv(name, raising=False)

    def run(*words: str) -> Answer:
        status = main(words)
        said = capsys.readouterr()
        return Answer(status, said.out, said.err)

    return run


def test_what_stops_a_command_is_json_where_answers_are(cli: Run) -> None:
    for words in (["show", "nosuch"], ["explain", "prelu", "--self", "float3[2]"], ["list", "--nosuch"]):
        plain, told = cli(*words), cli(*words, "--json")
        assert (told.status, told.err) == (2, "")
        assert told.json == {"error": plain.err.removeprefix("aclspec: ").rstrip("\n"), "status": 2}
        assert plain.out == ""


def test_a_reader_who_has_enough_is_no_mistake() -> None:
    """Of a long answer only the first line is read."""
    words = [sys.executable, "-m", "aclspec.cli", "show", "fused_infer_attention_score_v4"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.stdout.readline().startswith("aclnnFusedInferAttentionScoreV4")
        running.stdout.close()
        assert running.wait(60) == 0
        assert running.stderr.read() == ""


def test_lines_stay_whole_in_a_file(cli: Run) -> None:
    lines = cli("show", "prelu_backward").out.splitlines()
    rule = "The dtypes of gradOutput, self, weight, gradInput and gradWeight are supported together on the product."
    assert [line.endswith(rule) for line in lines].count(True) == 1
    assert all(line == line.rstrip() for line in lines)


def test_brackets_of_a_spec_survive_in_the_help(cli: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    param = ops.get("prelu").info.param("weight")
    monkeypatch.setattr(type(param.doc), "en", "One [for] all or [C] of them.")
    shown = cli("explain", "prelu", "--help").out
    assert "[for]" in shown
    assert "[C]" in shown


def refused(answer: Answer, *says: str) -> None:
    """A usage error: status 2, nothing on standard output, one sentence on standard error."""
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.count("\n") == 1
    assert answer.err.startswith("aclspec: ")
    assert answer.err.rstrip()[-1] in ".?!"
    for part in says:
        assert part in answer.err


def test_help_and_version(cli: Run) -> None:
    assert cli("--version").out.startswith("aclspec 0.")
    assert cli().out == cli("--help").out
    for command in ("list", "show", "explain", "run", "generate", "lint", "new", "trace"):
        shown = cli(command, "--help")
        assert shown.status == 0
        assert "Example: aclspec" in shown.out
        assert command in cli("--help").out


def test_the_help_of_an_operator_has_its_parameters(cli: Run) -> None:
    shown = cli("explain", "aclnnPreluBackward", "--help").out
    assert "--grad-output" in shown
    assert "--grad-weight" in shown
    assert "--grad-weight" not in cli("run", "prelu_backward", "--help").out


def test_list(cli: Run) -> None:
    assert "aclnnPreluBackward" in cli("list").out
    listed = cli("list", "--json").json
    assert [one["snake"] for one in listed] == sorted(ops.names())


@pytest.mark.parametrize("name", some(8))
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_show(cli: Run, name: str, lang: str) -> None:
    info = ops.get(name).info
    shown = cli("show", name, "--lang", lang).out
    assert all(rule.id in shown for rule in info.checks)
    assert all(param.name in shown for param in info.params)
    document = cli("show", info.name, "--lang", lang, "--json").json
    assert [rule["id"] for rule in document["rules"]] == [f"{info.name}.{rule.id}" for rule in info.checks]
    assert len(document["parameters"]) == len(info.params)
    assert all(rule["requirement"] for rule in document["rules"])


def test_the_matrix_has_a_line_for_every_combination(cli: Run) -> None:
    lines = cli("show", "prelu_backward", "--json").json["dtypes"]
    bf16 = next(line for line in lines if line["parameters"]["self"] == ["BF16"])
    assert set(bf16["products"]) == {"atlas_a2", "atlas_a3", "ascend_950"}
    f32 = next(line for line in lines if line["parameters"]["self"] == ["FLOAT"])
    assert f32["products"]["atlas_inference"] == "library"
    assert f32["products"]["atlas_training"] == "both"


def test_show_filters(cli: Run) -> None:
    def rules(*options: str) -> list[str]:
        return [rule["id"].split(".")[1] for rule in cli("show", "prelu_backward", "--json", *options).json["rules"]]

    everything = rules()
    weight = rules("--param", "weight")
    assert {"null-weight", "weight-numel"} < set(weight) < set(everything)
    assert rules("--rule", "aclnnPreluBackward.weight-numel") == rules("--rule", "weight-numel") == ["weight-numel"]
    assert rules("--param", "gradOutput") == rules("--param", "grad-output")
    shown = cli("show", "convolution_backward", "--product", "950").out
    assert "largest-groups" not in shown
    assert "largest-groups" in cli("show", "convolution_backward", "--product", "910B").out
    assert cli("show", "abs", "--param", "selff").status == 2
    assert "did you mean weight-numel?" in cli("show", "prelu_backward", "--rule", "weight-nume").err


def test_show_tells_the_precision(cli: Run) -> None:
    shown = " ".join(cli("show", "convolution_backward").out.split())
    assert "Precision: the first row that holds" in shown
    assert "sums run in FLOAT" in shown
    assert "cubeMathType is 2" in shown
    rows = cli("show", "convolution_backward", "--json").json["precision"]
    assert rows[0]["products"] == ["atlas_inference", "atlas_training"]
    assert rows[0]["roles"]["operand"] == "FLOAT16"
    assert rows[-1] | {"meaning": ""} == {
        "products": [],
        "when": None,
        "roles": dict.fromkeys(("operand", "result", "accumulate"), "FLOAT"),
        "meaning": "",
    }


def test_explain_a_good_call(cli: Run) -> None:
    answer = cli("explain", "prelu_backward", *PRELU, "float32[2]", "--product", "Ascend910A")
    assert answer.status == 0
    assert "atlas_training: works" in answer.out


def test_explain_a_bad_call(cli: Run) -> None:
    answer = cli("explain", "prelu_backward", *PRELU, "float32[3]")
    assert answer.status == 1
    assert "aclnnPreluBackward.weight-numel" in answer.out
    assert "161002" in answer.out
    assert "weight is 3" in answer.out


def test_the_product_that_is_meant_decides_the_status(cli: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    call = [
        "explain",
        "prelu_backward",
        "--grad-output",
        "bfloat16[4]",
        "--self",
        "bfloat16[4]",
        "--weight",
        "bfloat16[1]",
    ]
    assert cli(*call).status == 0
    assert cli(*call, "--product", "atlas_training").status == 1
    assert cli(*call, "--product", "all").status == 1
    monkeypatch.setenv("ACLSPEC_PRODUCT", "atlas_training")
    assert cli(*call).status == 1


def test_explain_for_programs(cli: Run) -> None:
    answer = cli("explain", "prelu_backward", *PRELU, "null", "--json")
    products = answer.json["products"]
    assert answer.status == 1
    assert answer.json["judged"] == "atlas_a2"
    assert products["atlas_a2"]["status"] == 161001
    assert products["atlas_a2"]["rule"] == "aclnnPreluBackward.null-weight"
    assert products["atlas_inference"]["rule"] == "aclnnPreluBackward.product"


def test_explain_in_chinese_and_with_every_rule(cli: Run) -> None:
    assert "weight 不得为空指针" in cli("explain", "prelu_backward", *PRELU, "null", "--lang", "zh").out
    shown = cli("explain", "prelu_backward", *PRELU, "float32[2]", "--rules").out
    assert "empty-input" in shown
    assert "holds" in shown


def test_outputs_may_be_explained_too(cli: Run) -> None:
    answer = cli("explain", "prelu_backward", *PRELU, "float32[2]", "--gradWeight", "float32[3]", "--json")
    assert answer.json["products"]["atlas_a2"]["rule"] == "aclnnPreluBackward.grad-weight-per-channel"


def test_library_mode(cli: Run) -> None:
    call = ["explain", "abs", "--self", "float32[1,1,1,1]:NCHW", "--out", "float32[1,1,1,1]:NCHW"]
    assert cli(*call).status == 1
    assert cli(*call, "--conformance", "library").status == 0


@pytest.mark.parametrize(
    ("call", "verdict", "status"),
    [
        ("abs --self complex32[4] --product ascend_950", "not judged", 3),
        ("abs --self complex32[4] --product atlas_a3", "refused", 1),
        ("abs --self complex32[4] --product all", None, 1),
        ("layer_norm --input float32[2,2] --normalized-shape 2 --product atlas_200i_500_a2", "no kernel", 4),
        ("dot --self float16[3] --tensor float16[3] --product atlas_200i_500_a2", "no kernel", 4),
        ("layer_norm --input float16[2,2] --normalized-shape 2 --product atlas_200i_500_a2", "works", 0),
        ("layer_norm --input float16[2,2] --normalized-shape 2 --product atlas_inference", "undocumented", 5),
        ("layer_norm --input float16[2,2] --normalized-shape 2 --product all", None, 5),
        ("inplace_copy --self-ref float8_e5m2[4] --src float8_e5m2[4] --product atlas_a2", "no kernel", 4),
        ("elu --self float32[2] --alpha 1 --scale 1 --input-scale 1 --out complex64[2]", "not judged", 3),
    ],
)
def test_the_exit_status_is_the_verdict(cli: Run, call: str, verdict: str | None, status: int) -> None:
    answer = cli("explain", *call.split(), "--json")
    assert answer.status == status
    assert answer.json["version"] == 1
    if verdict is not None:
        assert answer.json["products"][answer.json["judged"]]["verdict"] == verdict
        assert cli("explain", *call.split(), "--conformance", "library").status == status


def test_the_version_of_cann(cli: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    size = ["--input", "float16[1,2,3,3,3]:NCDHW", "--weight", "float16[2,1,1,1,1]:NCDHW", "--bias", "null"]
    axes = ["--stride", "1,1,1", "--padding", "0,0,0", "--dilation", "1,1,1", "--output-padding", "0,0,0"]
    call = ["explain", "convolution", *size, *axes, "--transposed", "false", "--groups", "2", "--cube-math-type", "0"]
    assert cli(*call).status == 0
    assert "CANN before 8.1 refuses this." in cli(*call).out
    assert cli(*call, "--cann", "8.0.RC3").status == 1
    assert cli(*call, "--cann", "8.2.RC1").status == 0
    monkeypatch.setenv("ACLSPEC_CANN", "8.0.RC3")
    assert cli(*call, "--json").json["cann"] == "8.0.RC3"
    assert cli(*call).status == 1
    assert cli(*call, "--cann", "8.x").status == 2


@pytest.mark.parametrize("spelling", ["--gradOutput", "--grad_output", "--grad-output"])
def test_every_spelling_of_a_parameter(cli: Run, spelling: str) -> None:
    words = ["--self", "float32[4]", "--weight", "float32[1]", spelling, "float32[4]"]
    assert cli("explain", "aclnnPreluBackward", *words).status == 0


def test_flags_and_optional_parameters(cli: Run) -> None:
    words = ["--grad-out", "float32[4,2]=1", "--input", "float32[4,2]=2", "--mean", "[1, 1]", "--invstd", "[1, 1]"]
    flags = ["--input-g", "true", "--weight-g", "false", "--bias-g", "true"]
    outputs = cli("run", "batch_norm_reduce_backward", *words, *flags, "--json").json
    assert outputs["sum_dy"]["values"] == [4.0, 4.0]
    assert outputs["grad_weight"] is None


def test_run_prints_the_outputs(cli: Run) -> None:
    call = ["--grad-output", "float32[2,2]=1", "--self", "[[-1, 2], [3, -4]]", "--weight", "[0.25]"]
    shown = cli("run", "prelu_backward", *call)
    assert shown.status == 0
    assert "grad_input: float32[2,2]" in shown.out
    assert cli("run", "prelu_backward", *call, "--json").json["grad_weight"] == {
        "dtype": "FLOAT",
        "shape": [1],
        "values": [-5.0],
    }


def test_run_on_files_and_into_a_file(cli: Run, tmp_path: Path) -> None:
    x = np.array([[-1, 2], [3, -4]], ml_dtypes.bfloat16)
    np.save("x.npy", x)
    np.savez("data.npz", w=np.array([0.5], ml_dtypes.bfloat16), g=np.ones_like(x))
    call = ["--grad-output", "data.npz:g", "--self", "x.npy", "--weight", "data.npz:w", "--out", "r.npz"]
    answer = cli("run", "prelu_backward", *call)
    assert answer.status == 0
    assert "wrote r.npz" in answer.out
    with np.load("r.npz") as written:
        grad_input = written["grad_input"].view(ml_dtypes.bfloat16)
    assert grad_input.astype(float).tolist() == [[0.5, 1.0], [1.0, 0.5]]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.npz", "r.npz", "x.npy"]


def test_run_of_a_call_that_is_refused_is_a_finding(cli: Run) -> None:
    call = ["--grad-output", "float32[2]=1", "--self", "float32[2]=1", "--weight", "float32[3]=1"]
    answer = cli("run", "prelu_backward", *call, "--out", "r.npz")
    assert answer.status == 1
    assert "weight-numel" in answer.out
    assert not Path("r.npz").exists()
    assert cli("run", "prelu_backward", *call, "--json").json["error"]["status"] == 161002


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["show", "prelu_backwrd"], ["(prelu_backwrd)", "did you mean prelu_backward?"]),
        (["show", "AclnnPreluBackward"], ["did you mean aclnnPreluBackward?"]),
        (["explain", "nothing_like_it"], ["(nothing_like_it) is unknown"]),
        (["shw", "x"], ["shw", "show"]),
        (["show"], ["OP"]),
        (["list", "--jsn"], ["--jsn"]),
        (["show", "prelu_backward", "--lang", "fr"], ["(fr) is neither en nor zh"]),
        (
            ["explain", "prelu_backward"],
            ["The parameter gradOutput is missing; give --grad-output TENSOR (null for a null pointer)."],
        ),
        (["explain", "prelu_backward", *PRELU, "float33[2]"], ["float33", "did you mean float32?"]),
        (["explain", "prelu_backward", *PRELU, "float32[2]", "--product", "atlas"], ["atlas", "atlas_a2"]),
        (["explain", "prelu_backward", *PRELU, "float32[2]", "--conformance", "lib"], ["(lib)", "document"]),
        (["explain", "prelu_backward", *PRELU, "missing.npy"], ["missing.npy", "no such file"]),
        (["run", "prelu_backward", *PRELU, "float32[2]"], ["no data", "bytes"]),
        (["run", "prelu_backward", *PRELU, "float32[2]=1", "--out", "r.txt"], ["(r.txt)", ".npz"]),
        (["run", "prelu_backward", *PRELU, "float32[2]=1", "--out", "no/r.npz"], ["no/r.npz", "folder"]),
        (["run", "prelu_backward", *PRELU, "float32[2]=1", "--backend", "nump"], ["(nump)", "did you mean numpy?"]),
        (["--package", "no_such_package", "list"], ["(no_such_package)"]),
        (["lint", "nowhere"], ["(nowhere) does not exist"]),
        (["new", "scaled_add"], ["(scaled_add)", "aclnnScaledAdd"]),
        (["new", "aclnnX", "--category", "Math"], ["(Math)"]),
        (["new", "aclnnX", "--kernels", "a-b"], ["(a-b)"]),
        (["generate", "--specs", "nowhere", "--out", "o", "--package", "p"], ["nowhere"]),
        (["trace", "--specs", "nowhere"], ["nowhere"]),
        (["trace", "--out", "nowhere"], ["nowhere"]),
    ],
)
def test_a_usage_error_is_one_sentence(cli: Run, words: list[str], says: list[str]) -> None:
    refused(cli(*words), *says)


def test_what_cannot_be_written_is_named_as_it_was_asked_for(cli: Run) -> None:
    call = ["--grad-output", "float32[2]=1", "--self", "float32[2]=1", "--weight", "float32[1]=1"]
    answer = cli("run", "prelu_backward", *call, "--out", "/proc/r.npz")
    refused(answer, "/proc/r.npz")
    assert ".r.npz." not in answer.err


def test_lint_of_ones_own_specs_beside_an_installed_aclspec(cli: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aclspec.cli.specs.find_specs", lambda: Path("site-packages/aclspec/specs").absolute())
    cli("new", "aclnnMine")
    spec = Path("specs/custom/mine.yaml")
    spec.write_text(spec.read_text().replace("direction: in\n", "direction: tensorr\n"))
    answer = cli("lint")
    assert answer.status == 1
    assert "specs/custom/mine.yaml" in answer.out
    assert "(tensorr)" in answer.out


def test_new_never_writes_over_a_file(cli: Run) -> None:
    assert cli("new", "aclnnMine", "--json").json == {"written": ["specs/custom/mine.yaml", "kernels/mine.py"]}
    Path("kernels/mine.py").write_text("mine")
    refused(cli("new", "aclnnMine"), "exists already")
    Path("specs/custom/mine.yaml").unlink()
    refused(cli("new", "aclnnMine"), "kernels/mine.py exists already")
    Path("specs/other").mkdir()
    Path("specs/other/yours.yaml").touch()
    refused(cli("new", "aclnnYours"), "The operator aclnnYours has a spec already, specs/other/yours.yaml.")
    assert Path("kernels/mine.py").read_text() == "mine"
    assert not Path("specs/custom/mine.yaml").exists()


def test_an_operator_that_aclspec_has_is_a_warning(cli: Run) -> None:
    """Of ``new``, and of a package that is registered, whose other operators are known all the same."""
    answer = cli("new", "aclnnAbs")
    assert (answer.status, answer.err.count("\n")) == (0, 1)
    assert "warning: aclspec has the operator aclnnAbs already" in answer.err
    assert cli("new", "aclnnOfMine").err == ""
    assert cli("generate", "--specs", "specs", "--out", ".", "--package", "own_ops").status == 0
    program = "from aclspec.cli.main import main; raise SystemExit(main(['--package', 'own_ops', 'list']))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "own_ops has operators that are there already, which stay: abs." in done.stderr
    assert "UserWarning" not in done.stderr
    assert "of_mine" in done.stdout


@pytest.mark.parametrize("text", ["op: [", "\tx", "op: aclnnMine\nop: aclnnMine\n", "", "- a", "\0", "&a [*a]"])
def test_broken_yaml_is_a_finding_with_its_place(cli: Run, text: str) -> None:
    cli("new", "aclnnMine")
    Path("specs/custom/mine.yaml").write_text(text)
    for words in (["lint", "specs"], ["lint", "specs/custom/mine.yaml"]):
        answer = cli(*words)
        assert answer.status == 1
        assert answer.out.startswith("specs/custom/mine.yaml:1:") or "mine.yaml:2:" in answer.out
        assert "Traceback" not in answer.out + answer.err
    found = cli("lint", "specs", "--json").json["findings"]
    assert found[0]["file"].endswith("mine.yaml")
    generated = cli("generate", "--specs", "specs", "--out", "o", "--package", "p")
    assert generated.status == 1
    assert "mine.yaml:" in generated.err
    assert not Path("o").exists()


def test_a_file_that_cannot_be_read_is_no_traceback(cli: Run) -> None:
    cli("new", "aclnnMine")
    Path("specs/custom/mine.yaml").write_bytes(b"\xff\xfe\x00op")
    answer = cli("lint", "specs")
    assert answer.status in (1, 2)
    assert "mine.yaml" in answer.out + answer.err
    assert "Traceback" not in answer.out + answer.err


@pytest.mark.all
def test_lint_of_the_project(cli: Run) -> None:
    assert cli("lint").status == 0
    file = next(find_specs().glob("activation/*.yaml"))
    assert "nothing wrong" in cli("lint", str(file)).out
    assert cli("lint", "--json").json == {"findings": []}


@pytest.mark.whole  # it reads every spec
def test_the_trace_follows_generated_files_of_another_folder(cli: Run, tmp_path: Path) -> None:
    """One that has none lacks the tests of every operator."""
    (tmp_path / "tests").mkdir()
    answer = cli("trace", "--out", str(tmp_path))
    assert answer.status == 1
    assert "No generated test file has a suite of aclnnPrelu." in answer.out


@pytest.mark.whole  # make check runs both
def test_generate_check_and_trace_of_the_project(cli: Run) -> None:
    assert cli("generate", "--check").status == 0
    assert cli("trace").status == 0
    assert cli("trace", "--json").status == 0


def test_generate_elsewhere_and_what_check_says(cli: Run) -> None:
    cli("new", "aclnnMine")
    words = ["generate", "--specs", "specs", "--out", "o", "--package", "mine_ops"]
    assert cli(*words).status == 0
    assert cli(*words, "--check").status == 0
    module = Path("o/mine_ops/mine.py")
    module.write_text(module.read_text() + "# edited\n")
    Path("o/mine_ops/orphan.py").write_text("# aclspec\n")
    next(Path("o/tests").glob("*.py")).unlink()
    answer = cli(*words, "--check")
    assert answer.status == 1
    assert "-# edited" in answer.out


def test_an_internal_error_is_no_traceback_unless_asked_for(cli: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(declared: bool = False) -> tuple[str, ...]:
        raise RuntimeError("a\nbug")

    monkeypatch.setattr("aclspec.cli.operators.names", fail)
    answer = main(["list"])
    assert answer == 70
    monkeypatch.setenv("ACLSPEC_TRACEBACK", "1")
    with pytest.raises(RuntimeError, match="bug"):
        main(["list"])


def test_the_command_is_installed_and_leaves_quietly_when_its_reader_does() -> None:
    program = Path(sys.executable).parent / "aclspec"
    done = subprocess.run(
        ["bash", "-c", f"{program} show prelu_backward | head -1; exit ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
    )
    assert "Traceback" not in done.stderr
    assert done.stdout.startswith("aclnnPreluBackward")


def complete(words: str, at: int) -> list[str]:
    """What bash would offer."""
    environment = {**os.environ, "_ACLSPEC_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(at)}
    program = Path(sys.executable).parent / "aclspec"
    return subprocess.run([str(program)], env=environment, capture_output=True, text=True, check=False).stdout.split()


def test_shell_completion() -> None:
    assert complete("aclspec sh", 1) == ["show"]
    assert complete("aclspec show prelu_b", 2) == ["prelu_backward"]
    assert complete("aclspec explain batch_norm_r", 2) == ["batch_norm_reduce_backward"]
    assert complete("aclspec explain ", 2)[: len(ops.names())] == sorted(ops.names())
    assert complete("aclspec explain aclnnPrelu", 2) == ["aclnnPrelu", "aclnnPreluBackward"]
    assert complete("aclspec show aclnnPreluB", 2) == ["aclnnPreluBackward"]
    assert complete("aclspec explain abs --product atlas_2", 4) == ["atlas_200i_500_a2"]
    assert complete("aclspec explain abs --conformance l", 4) == ["library"]
    assert complete("aclspec explain prelu_backward --grad-o", 3) == ["--grad-output"]


def test_repeated_options_of_a_list_all_count(cli: Run) -> None:
    words = ("run", "avg_pool2d", "--self", "float32[1,1,4,4]=1", "--cube-math-type", "0", "--json")
    once = cli(*words, "--kernel-size", "2,4", "--strides", "1,1")
    repeated = cli(*words, "--kernel-size", "2", "--kernel-size", "4", "--strides", "1", "--strides", "1")
    assert (once.status, once.json) == (0, repeated.json)


def test_reference_of_a_key_and_of_a_function(cli: Run) -> None:
    keys = cli("reference", "relies_on", "--json").json["keys"]
    assert [(one["key"], one["of"]) for one in keys] == [("relies_on", "Inference")]
    assert keys[0]["meaning"].startswith("Rules about the inputs")
    meanings = {one["key"]: one["meaning"] for one in cli("reference", "tolerance", "--json").json["keys"]}
    assert meanings["tolerance"] == "The tolerance of each output."
    assert meanings["terms"] == "The number of terms that each element sums."
    function = cli("reference", "ceil_div", "--json", "--lang", "zh").json["functions"]
    assert function[0]["signatures"] == ["ceil_div(int, int) -> int"]
    assert "dim(tensor, int) -> int" in cli("reference", "dim").out
    assert "one dtype for all tensors" in cli("reference", "same").out
    (usual,) = cli("reference", "usual", "--json", "--lang", "zh").json["short_forms"]
    assert usual["form"] == "usual: {bias: [null, INT32]}"
    assert "OperatorSpec" in cli("reference").out
    refused(cli("reference", "reliez_on"), "(reliez_on)", "did you mean relies_on?")


def test_reference_of_types_formulas_and_families(cli: Run) -> None:
    (scalar,) = cli("reference", "scalar", "--json").json["types"]
    assert (scalar["in C"], scalar["in a predicate"]) == ("aclScalar*", "scalar")
    assert cli("reference", "int64", "--json").json["types"][0]["in C"] == "int64_t"
    (along,) = cli("reference", "along", "--json").json["formulas"]
    assert along["signatures"] == ["along(x, axis, rank)"]
    assert "A tensor of zeros." in cli("reference", "zeros").out
    (unary,) = cli("reference", "unary", "--json", "--lang", "zh").json["families"]
    spec = yaml.safe_load(unary.pop("spec"))["spec"]
    assert unary == {"family": "unary", "names": "self, out", "operators": "一个张量输入，一个同形张量输出。"}
    assert (list(spec["params"]), spec["rules"][1]["shortcut"]) == (["$self", "$out"], "empty")
    shown = cli("reference", "moved").out
    assert "$out: {out: tensor, dtype: dtype($self)}" in shown
    assert "unary" not in shown
    assert all("spec" not in one for one in cli("reference", "--json").json["families"])
    assert "unary" in cli("reference").out
    refused(cli("reference", "alon"), "(alon)", "did you mean along?")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "gbk", "utf-8"])
def test_what_the_encoding_lacks_is_replaced(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Output is never an error: a question mark stands for a character, and JSON escapes it."""

    def said(*arguments: str) -> str:
        stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, write_through=True)
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", stream)
            assert main(arguments) == 1
        stream.seek(0)
        return stream.read()

    call = ("explain", "prelu_backward", *PRELU, "float32[3]", "--lang", "zh")
    assert ("???" in said(*call)) == (encoding in ("ascii", "latin-1"))
    answer = json.loads(said(*call, "--json"))
    assert "元素" in answer["products"]["atlas_a2"]["violations"][0]["sentence"]
