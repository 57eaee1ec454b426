"""The two pointers through which phase one answers, which only a C caller has: called with the data of each example."""

from __future__ import annotations

import re

import pytest

from aclspec import ops
from aclspec.codegen.render.samples import render_sample
from tests.support.operators import computed, some
from tests.support.simulators import Simulator

CALL = re.compile(r"  CHECK\((aclnn\w+GetWorkspaceSize)\((.*?)&workspaceSize, &executor\)\);\n", re.DOTALL)
PRINTED = re.compile(r"^  \w+\.print\(.*\);\n", re.MULTILINE)
START = "  uint64_t workspaceSize = 0;\n  aclOpExecutor* executor = nullptr;\n"
MARKED = """\
  aclOpExecutor* const mark = reinterpret_cast<aclOpExecutor*>(&stream);
  uint64_t workspaceSize = 987654321987654321u;
  aclOpExecutor* executor = mark;
  const auto told = [&](int status, const char* without) {
    const char* message = aclGetRecentErrMsg();
    std::printf("%s: %d %d %d\\n", without, status, workspaceSize == 987654321987654321u, executor == mark);
    std::printf("%s\\n", message == nullptr ? "(no message)" : std::strstr(message, "The pointer"));
  };
"""
REFUSALS = """\
  told({name}({arguments}nullptr, &executor), "no workspaceSize");
  told({name}({arguments}&workspaceSize, nullptr), "no executor");
  told({name}({arguments}nullptr, nullptr), "neither");
"""
REFUSED = """\
no workspaceSize: 161001 1 1
The pointer workspaceSize is null.
 - while calling {name}GetWorkspaceSize
no executor: 161001 1 1
The pointer executor is null.
 - while calling {name}GetWorkspaceSize
neither: 161001 1 1
The pointer workspaceSize is null.
 - while calling {name}GetWorkspaceSize
"""
"""After each refused call: the status, whether the size and the executor are as they were (1: they are), and why."""


def program(snake: str) -> str:
    """The sample of an operator, which first asks without each pointer and shows the outputs before and after that."""
    (text,) = render_sample(ops.get(snake).info).values()
    call = CALL.search(text)
    assert call is not None
    assert text.count(START) == 1
    shown = "".join(PRINTED.findall(text))
    refusals = REFUSALS.format(name=call[1], arguments=call[2])
    answered = f'  told(0, "both");\n{shown}  std::puts("--");\n'
    asked = f'{shown}  std::puts("--");\n{refusals}  std::puts("--");\n{call[0]}{answered}'
    return "#include <cstring>\n" + text.replace(call[0], asked).replace(START, MARKED)


@pytest.mark.clause("000.param.workspaceSize.2", "000.param.executor.2")
@pytest.mark.clause("001.param.workspaceSize.2", "001.param.executor.2")
@pytest.mark.clause("003.param.workspaceSize.2", "003.param.executor.2")
@pytest.mark.clause("004.param.workspaceSize.2", "004.param.executor.2")
@pytest.mark.parametrize("snake", some(20, computed(), small=6))
def test_phase_one_answers_through_both_pointers_or_not_at_all(simulator: Simulator, snake: str) -> None:
    info = ops.get(snake).info
    product = (info.examples[0].products or (info.products[0][0],))[0]
    variables = {"ACLSPEC_STRICT": "1", "ACLSPEC_PRODUCT": product}
    done = simulator.run(simulator.compile(program(snake)), variables=variables)
    assert (done.status, done.err) == (0, "")  # strict mode: no refused call leaves an executor behind
    before, refused, answered, computed = done.out.split("--\n")
    assert refused == REFUSED.format(name=info.name)
    still = answered.removeprefix("both: 0 0 0\n(no message)\n")
    assert len(still) < len(answered)
    assert before == still != computed  # only phase two computes
