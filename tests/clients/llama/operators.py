"""ggml's own cases of its backend for CANN on the simulator: one line of `../ggml_operators.csv` for each operator.

Run by `aclspec simulator run -- python tests/clients/llama/operators.py BUILD [NAME...]`, where BUILD is the folder
that `prepare.py` filled (`build/clients/llama-build`). A case that ends the program, as ggml does where CANN refuses a
call, is counted by its reason, and the cases after it run in another process.

- right: the numbers are those of ggml's CPU backend, within ggml's own tolerance; wrong: they are not.
- missing: an operator that the simulator does not compute; refused: a rule that the call breaks.
- ended: the program stopped for another reason; hung: it did not end within two minutes and four seconds a case.
- A case that the backend itself leaves out when it runs is in no column.
- reason: the operators, rules and complaints, each with the number of its cases.
"""

from __future__ import annotations

import csv
import io
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from programs import HUNG, execute

TABLE = Path(__file__).parents[1] / "ggml_operators.csv"
RESULTS = ("right", "wrong", "missing", "refused", "ended", "hung")
BACKEND = "CANN0"
SECONDS, EACH = 120, 4
"""So long a process may run, and so much longer for each case."""
LENGTH = 100_000
"""The most characters of cases that a process is given: Linux takes 131,072 in one argument."""
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_MISSING = re.compile(
    r"(aclnn\w+?)(?:GetWorkspaceSize)? (?:has no kernel|is not known)|No (?:rule|kernel) of (aclnn\w+)"
)
_RULE = re.compile(r"while checking rule (aclnn\w+\.[\w-]+)")
_ENDING = re.compile(r"\b(OK|FAIL|not supported)\b(?=[^)]*$)")
_TYPE = re.compile(r"\btype\w*=(\w+)")
_STOPPED = re.compile(r"GGML_ASSERT\(.*\) failed|CANN error: .*|.*: fatal error.*")


def run(program: Path, *words: str, count: int = 0) -> subprocess.CompletedProcess[str]:
    """A run of this number of cases; an operator that the simulator lacks is refused in phase one."""
    variables = {"ACLSPEC_MISSING": "refuse", "GGML_NO_BACKTRACE": "1"}
    return execute(program, *words, timeout=SECONDS + EACH * count, **variables)


def cases(program: Path) -> dict[str, list[str]]:
    """The cases that the backend says it supports, by operator."""
    out = run(program, "support", "-b", BACKEND, "--output", "csv").stdout
    found: dict[str, list[str]] = defaultdict(list)
    for row in csv.DictReader(io.StringIO(out)):
        if row["supported"] == "1":
            found[row["op_name"]].append(f"{row['op_name']}({row['op_params']})")
    return dict(found)


def chunk(left: Sequence[str]) -> list[str]:
    """As many of the first cases as one process takes."""
    taken, length = [], 0
    for one in left:
        length += len(one) + 1
        if length > LENGTH:
            break
        taken.append(one)
    return taken


def reason(err: str) -> tuple[str, str]:
    """Why a case ended the program: the kind, and the operator, the rule or the complaint."""
    if (missing := _MISSING.search(err)) is not None:
        return "missing", missing[1] or missing[2]
    if (rule := _RULE.search(err)) is not None:
        return "refused", rule[1]
    stopped = _STOPPED.search(err)
    return "ended", re.sub(r"\[PID: \d+\] \S+ ", "", stopped[0])[:160] if stopped else "no complaint"


def operator(program: Path, name: str, left: list[str]) -> tuple[Counter[str], Counter[str]]:
    """How many cases of an operator end in which way, and the reasons."""
    results, reasons = Counter[str](), Counter[str]()
    while left:
        given = chunk(left)
        ended = run(program, "test", "-b", BACKEND, "-o", ",".join(given), count=len(given))
        done = 0
        for line in _COLOUR.sub("", ended.stdout).splitlines():
            ending = _ENDING.search(line)
            if ending is None or f"{name}(" not in line:
                continue
            done += 1
            if ending[0] == "FAIL":
                reasons["type " + ", ".join(_TYPE.findall(line))] += 1
            results[{"OK": "right", "FAIL": "wrong"}.get(ending[0], "not supported")] += 1
        if ended.returncode == HUNG:
            results["hung"] += 1
            reasons["hung"] += 1
        elif done < len(given):
            kind, why = reason(ended.stderr)
            results[kind] += 1
            reasons[why] += 1
        left = left[done + (done < len(given) or ended.returncode == HUNG) :]
    return results, reasons


def main(words: Sequence[str]) -> None:
    """Try the operators of these names, or all, and write the table."""
    program = Path(words[0], "build", "bin", "test-backend-ops")
    total, lines = Counter[str](), []
    for name, some in sorted(cases(program).items()):
        if words[1:] and name not in words[1:]:
            continue
        results, reasons = operator(program, name, some)
        total += results
        told = "; ".join(f"{why} {count}" for why, count in reasons.most_common())
        lines.append((name, *(results[result] for result in RESULTS), told))
        print(*lines[-1], flush=True)
    if not words[1:]:
        with TABLE.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerows([("operator", *RESULTS, "reason"), *lines])
    print(dict(total.most_common()))


if __name__ == "__main__":
    main(sys.argv[1:])
