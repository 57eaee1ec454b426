"""Code of Python is read as a tree: what it calls, with which tensors, and never run."""

from __future__ import annotations

from pathlib import Path

import pytest

from aclspec import ops
from aclspec.runtime.api.answers import Explanation
from aclspec.runtime.why.answer import Why
from aclspec.runtime.why.python_code import code_calls


def explained(code: str) -> Explanation:
    (answer,) = ops.why(code, "atlas_a2").answers
    assert answer.explanation is not None, answer
    return answer.explanation


@pytest.mark.parametrize(
    "code",
    [
        "x = torch.randn(4, 2)\nF.softmax(x, dim=3)",
        "x: torch.Tensor = torch.empty((4, 2))\ny = torch.softmax(x, 3)",
        "with torch.no_grad():\n    x = torch.zeros([4, 2]).npu()\n    x.softmax(3)",
        "a, d = torch.ones(2, 4).t(), 3\nprint(torch.softmax(a, d))",
        "def f():\n    x = torch.rand(4, 2, dtype=torch.double).npu().to(torch.float32)\n    return F.softmax(x, 3)",
        '  File "a.py", line 3, in f\n    y = F.softmax(torch.rand(4, 2), dim=3)\nRuntimeError: made up',
    ],
)
def test_an_axis_out_of_range_is_found_in_code(code: str) -> None:
    assert explained(code).rule == "aclnnSoftmax.axis-in-range"


def test_dtypes_follow_from_constructors_and_methods() -> None:
    for made in ("torch.rand(2).half()", "torch.rand(2, dtype=torch.half)", "torch.rand(2).to(torch.float16)"):
        (call,) = code_calls(f"x = {made}\ntorch.abs(x)")
        assert str(call.args[0]) == "float16[2]"


def test_what_depends_on_something_else_is_asked_for() -> None:
    found = ops.why("y = F.softmax(load(), dim=0)")
    (answer,) = found.answers
    assert answer.explanation is None
    assert "The argument 1 of F.softmax was not understood." in answer.says
    assert answer.next == ("aclspec explain softmax --self 'DTYPE[SHAPE]' --dim 0",)


def test_lines_of_a_traceback_on_the_way_are_no_calls() -> None:
    text = (
        '  File "net.py", line 7, in forward\n    h = torch.relu(self.first(x))\n'
        '  File "net.py", line 9, in forward\n    y = F.softmax(torch.rand(4, 2), dim=3)\n'
        "RuntimeError: call aclnnSoftmax failed, error code is 161002\n"
    )
    (answer,) = ops.why(text, "atlas_a2").answers
    assert answer.operator == "aclnnSoftmax"
    assert answer.explanation is not None
    assert answer.explanation.rule == "aclnnSoftmax.axis-in-range"


def test_code_of_which_nothing_is_known_says_only_what_it_calls() -> None:
    (answer,) = ops.why("y = F.softmax(x)").answers
    assert answer.says[0] == "F.softmax calls aclnnSoftmax on an NPU."
    (answer,) = ops.why("y = F.softmax(x)\nRuntimeError: call aclnnSoftmax failed, error code is 161002").answers
    assert not any("read as" in one for one in answer.says)
    assert answer.next[-1] == "aclspec layer run --record calls.jsonl -- PROGRAM"


def test_code_is_never_run(tmp_path: Path) -> None:
    target = tmp_path / "made"
    ops.why(f"x = open({str(target)!r}, 'w').write('x')\n__import__('os').mkdir({str(target)!r})\ntorch.abs(x)")
    assert not target.exists()


@pytest.mark.parametrize(
    "code",
    [
        "(" * 5000 + ")" * 5000,
        "x = " + "-" * 9000 + "1\ntorch.abs(x)",
        "torch.abs(" * 300 + ")" * 300,
        "torch.abs(torch.rand(99999999999999999999999))",
        "torch.abs(torch.rand(*x, **y))",
        "torch.rand(-1, True).half().abs()",
        "torch = 1\ntorch.abs(2)",
        "x = torch.rand(1)\nfor _ in x: x = x.half()\nx.to(dtype=x.dtype).abs()",
        "torch.abs(torch.rand(1)).T.T[0].abs() if x else torch.abs(y := 2)",
        "f(\x00)",
        "torch.full((2,), 1).abs()",
        "(torch.abs)(lambda: 1)\ntorch.abs(1j, -True)",
    ],
)
def test_odd_code_gives_an_answer(code: str) -> None:
    assert isinstance(ops.why(code), Why)
