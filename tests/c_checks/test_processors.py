"""The checks in C as programs, here and on an emulated aarch64: on calls that stand in C they answer as Python does.

The other tests load the checks into Python, which no emulator does.
"""

from __future__ import annotations

import math
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from aclspec import ops
from aclspec.codegen.render.c.files import render_c
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.abi.products import KEYS
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.rules.operator_info import Mode
from aclspec.runtime.rules.sentences import failure
from aclspec.runtime.testing.amount import amount
from aclspec.runtime.testing.expected import arguments
from aclspec.runtime.testing.suite import Suite
from tests.c_checks.agreeing import LANGUAGES, PLACES
from tests.c_checks.random_calls import random_calls
from tests.support.c_checks import FLAGS, as_in_c, write

CHOSEN = ("adds", "cat", "convolution_backward", "div_mod", "prelu_backward", "reduce_sum")
NAMES = amount(CHOSEN, CHOSEN, tuple(ops.names()))
"""Together they have arguments of every kind that a check reads."""
DERIVED, RANDOM = amount((60, 60), (60, 60), (None, 500))
DRIVER = """
#include <math.h>
#include <stdio.h>

#include "aclspec_checks.h"

typedef struct {{
    const char *operator, *product;
    bool library;
    const aclspec_argument *arguments;
}} call;

static const call calls[] = {{
{calls}
}};

int main(void) {{
    for (size_t at = 0; at < sizeof calls / sizeof *calls; at++) {{
        const aclspec_operator *op = aclspec_find_operator(calls[at].operator);
        const int product = aclspec_find_product(calls[at].product);
        aclspec_verdict verdict = {{0}};
        char sentence[1 << 15];
        op->check(product, calls[at].library, calls[at].arguments, &verdict);
        printf("%zu %s %d %d %s\\n", at, verdict.rule != NULL ? verdict.rule : "-", verdict.document, verdict.library,
               verdict.effect != NULL ? verdict.effect : "-");
        for (int language = ACLSPEC_EN; language <= ACLSPEC_ZH; language++) {{
            op->explain(product, calls[at].arguments, &verdict, (aclspec_language)language, sentence, sizeof sentence);
            printf("%s\\n", sentence);
        }}
    }}
}}
"""
MEMBERS = {"string": "text", "int": "integer", "dtype": "integer", "float": "real", "bool": "boolean"}
"""The members of an argument that are not called as the kind that predicates know."""


def integer(value: int) -> str:
    return f"(int64_t){int(value) & (1 << 64) - 1:#x}u"


def real(value: float) -> str:
    if math.isfinite(value):
        return float(value).hex()
    return "NAN" if math.isnan(value) else "-INFINITY" if value < 0 else "INFINITY"


def listed(kind: str, items: Iterable[str]) -> str:
    """An array of a kind, never an empty one."""
    return f"(const {kind}[]){{{', '.join(items) or '0'}}}"


def literal(kind: str, value: Any) -> str:
    """A value as C, of a kind that predicates know."""
    if value is None:
        return "NULL"
    match kind:
        case "tensor":
            shape, strides, storage = (
                listed("int64_t", map(integer, sizes)) for sizes in (value.shape, value.strides, value.storage_shape)
            )
            ranks = len(value.shape), len(value.storage_shape)
            end = f"{storage}, {ranks[1]}, {int(value.dtype)}, {int(value.format)}"
            return f"&(aclspec_tensor){{{shape}, {ranks[0]}, {strides}, 0, {end}}}"
        case "scalar":
            number = complex(value.value)
            whole = value.value if isinstance(value.value, int) else 0
            parts = f"{integer(whole)}, {real(number.real)}, {real(number.imag)}"
            return f"&(aclspec_scalar){{{int(value.dtype)}, true, {parts}}}"
        case "tensors" | "scalars":
            one = kind.removesuffix("s")
            items = listed(f"aclspec_{one} *const", (literal(one, item) for item in value))
            return f"&(aclspec_{one}_list){{{items}, {len(value)}, true}}"
        case "ints" | "floats" | "bools":
            one = kind.removesuffix("s")
            items = listed({"int": "int64_t"}.get(one, one), (literal(one, item) for item in value))
            return f"&(aclspec_{one}_array){{{items}, {len(value)}, true}}"
        case "string":
            return '"' + "".join(f"\\{byte:03o}" for byte in value.encode()) + '"'
        case "float":
            return real(value)
        case "bool":
            return "true" if value else "false"
    return integer(value)


def written(operator: Operator, call: Mapping[str, Any], product: str, mode: Mode) -> str:
    """A call as an element of the driver's table."""
    values = []
    for param in operator.info.params:
        kind = PARAM_TYPES[param.type].predicate
        values.append(f"{{.{MEMBERS.get(kind, kind)} = {literal(kind, call[param.name])}}}")
    given = listed("aclspec_argument", values)
    return f'{{"{operator.name}", "{product}", {"true" if mode == "library" else "false"}, {given}}},'


def answered(operator: Operator, call: Mapping[str, Any], product: str, mode: Mode) -> list[str]:
    """What Python says of a call, as the driver prints it, without the call's number."""
    info, verdict = operator.info, operator.check(product, mode == "library", *call.values())
    if verdict is None:
        return ["- 0 0 -", "", ""]
    rule = info.rule(verdict.rule.rpartition(".")[2])
    head = f"{verdict.rule} {verdict.document} {verdict.library} {verdict.effect or '-'}"
    return [head, *(failure(info, rule, call, product, mode, lang) for lang in LANGUAGES)]


def chosen(operator: Operator, suite: Suite) -> Iterator[tuple[dict[str, Any], str, Mode]]:
    """Derived calls, on one product after the other, and random ones."""
    for at, case in enumerate(suite.cases[:: max(1, len(suite.cases) // DERIVED) if DERIVED else 1]):
        yield arguments(operator.info, suite.call(case)), *PLACES[at % len(PLACES)]
    yield from islice(random_calls(operator, suite), RANDOM)


@pytest.mark.parametrize("processor", ["native", "aarch64"])
def test_same_answers(
    processor: str, tmp_path: Path, program: Callable[[str], str], suites: Mapping[str, Suite]
) -> None:
    emulator: list[str] = []
    compiler = program("gcc" if processor == "native" else "aarch64-linux-gnu-gcc")
    if processor != "native":
        emulator = [program("qemu-aarch64"), "-L", "/usr/aarch64-linux-gnu"]
    calls, expected = list[str](), list[str]()
    for operator in map(ops.get, NAMES):
        for call, product, mode in chosen(operator, suites[operator.name]):
            in_c = as_in_c(call)
            head, *sentences = answered(operator, in_c, product, mode)
            expected += [f"{len(calls)} {head}", *sentences]
            calls.append(written(operator, in_c, product, mode))
    write(tmp_path, render_c([ops.get(name).info for name in NAMES], KEYS))
    (tmp_path / "driver.c").write_text(DRIVER.format(calls="\n".join(calls)), encoding="utf-8")
    command = [compiler, *FLAGS, f"-I{tmp_path}", *map(str, sorted(tmp_path.rglob("*.c"))), "-o", "driver"]
    built = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr[:4000]
    done = subprocess.run([*emulator, str(tmp_path / "driver")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == expected
    rules = {line.split()[1] for line in expected[::3]}
    assert len(rules) > 10 * len(NAMES) // 2, rules
