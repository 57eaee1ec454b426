"""The grammar of pasted texts as JSON, which the runtime and the form of the site read."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from aclspec.codegen.render.build import header_line
from aclspec.codegen.spec.pasted import Pasted
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.rules.operator_data import MARK
from aclspec.runtime.rules.operator_info import OperatorInfo


def render_grammar(pasted: Pasted) -> str:
    """The text of the file: a form and a failure a line each."""
    return (
        f'{{\n"{MARK}": {json.dumps(header_line("specs/common/pasted.yaml and failures.yaml"))},\n'
        f'"forms": {_lines(forms(pasted))},\n"failures": {_lines(failures(pasted))}\n}}\n'
    )


def render_script(pasted: Pasted, operators: Iterable[OperatorInfo]) -> str:
    """The same as a script of the site, with the dtypes, the operators and the functions of PyTorch by name."""
    infos = tuple(operators)
    torch: dict[str, list[str]] = {}
    for info in infos:
        for name in info.torch:
            torch.setdefault(name, []).append(info.name)
    spelled = (
        (name.lower(), one.name) for one in DType if one != DType.HFLOAT32 for name in (one.name, *one.spellings)
    )
    data = {
        "forms": forms(pasted),
        "failures": failures(pasted),
        "dtypes": dict(spelled),
        "operators": {info.name: info.snake for info in infos},
        "torch": {name: " ".join(sorted(found)) for name, found in torch.items()},
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return f"// {header_line('specs')}\n(globalThis.aclspecWhy ??= {{}}).data = {text};\n"


def forms(pasted: Pasted) -> dict[str, Any]:
    """The forms by name, without their examples."""
    found = pasted.forms.forms if pasted.forms else {}
    return {
        name: {
            "pattern": form.pattern,
            "yields": form.yields,
            "implies": form.implies,
            "doc": {"en": form.doc.en, "zh": form.doc.zh},
        }
        for name, form in found.items()
    }


def failures(pasted: Pasted) -> dict[str, Any]:
    """The failures by name."""
    found = pasted.failures.failures if pasted.failures else {}
    return {name: failure.model_dump() for name, failure in found.items()}


def _lines(values: dict[str, Any]) -> str:
    inner = ",\n".join(f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in values.items())
    return f"{{\n{inner}\n}}"
