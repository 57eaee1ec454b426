"""The grammar of pasted texts as JSON, which the runtime and the form of the site read."""

from __future__ import annotations

import json
from typing import Any

from aclspec.codegen.render.build import header_line
from aclspec.codegen.spec.pasted import Pasted
from aclspec.runtime.rules.operator_data import MARK


def render_grammar(pasted: Pasted) -> str:
    """The text of the file: a form and a failure a line each."""
    return (
        f'{{\n"{MARK}": {json.dumps(header_line("specs/common/pasted.yaml and failures.yaml"))},\n'
        f'"forms": {_lines(forms(pasted))},\n"failures": {_lines(failures(pasted))}\n}}\n'
    )


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
