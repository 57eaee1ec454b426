"""The two pointers through which phase one answers, for each operator that follows an original document."""

from __future__ import annotations

from pathlib import Path

import pytest

from aclspec.codegen.load import load_project
from aclspec.runtime.info import OperatorInfo
from aclspec.runtime.paramtypes import PARAM_TYPES
from tests.support.simulators import Simulator

PROJECT = load_project(Path(__file__).parents[2] / "specs")
FOLLOWED = {file.operator for file in PROJECT.clauses}
OPERATORS = [operator.info for operator in PROJECT.operators if operator.info.name in FOLLOWED]
PROGRAM = """#include <cstdio>
#include "acl/acl.h"
{includes}

static void tell(const char* what, int code) {{
  const char* said = aclGetRecentErrMsg();
  std::printf("%s %d %s\\n", what, code, said == nullptr ? "-" : said);
}}

int main() {{
  if (aclInit(nullptr) != 0) return 1;
  uint64_t size = 77;
  aclOpExecutor* executor = nullptr;
{calls}
  std::printf("%d %d\\n", static_cast<int>(size), executor == nullptr);
  return aclFinalize();
}}
"""


def call(info: OperatorInfo, size: str, executor: str) -> str:
    values = ["nullptr" if PARAM_TYPES[param.type].pointer else "0" for param in info.params]
    return f'  tell("{info.name}", {info.name}GetWorkspaceSize({", ".join([*values, size, executor])}));'


@pytest.mark.clause("000.param.workspaceSize.2", "000.param.executor.2", "001.param.workspaceSize.2")
@pytest.mark.clause("001.param.executor.2", "003.param.workspaceSize.2", "003.param.executor.2")
@pytest.mark.clause("004.param.workspaceSize.2", "004.param.executor.2")
def test_null_answer_pointers(simulator: Simulator) -> None:
    """Each must be given; a null one is told by its name, before anything else, and nothing is answered."""
    includes = "\n".join(f'#include "aclnnop/{info.header}"' for info in OPERATORS)
    pairs = [(one, other) for one, other in (("nullptr", "&executor"), ("&size", "nullptr"))]
    calls = "\n".join(call(info, *pair) for info in OPERATORS for pair in pairs)
    done = simulator.run(simulator.compile(PROGRAM.format(includes=includes, calls=calls)))
    assert done.status == 0, done
    told = [line for line in done.out.splitlines() if line.startswith("aclnn")]
    assert [line.split()[:2] for line in told] == [[info.name, "161001"] for info in OPERATORS for _ in pairs]
    found = [
        name
        for line in done.out.splitlines()
        for name in ("workspaceSize", "executor")
        if f"pointer {name} is null" in line
    ]
    assert found == ["workspaceSize", "executor"] * len(OPERATORS)
    assert done.out.splitlines()[-1] == "77 1"
