"""What codes and messages mean, and the functions of PyTorch with the operators that they call, for the site."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from aclspec.codegen.pages.checkout import project_of
from aclspec.codegen.pages.predicate_reference import table
from aclspec.codegen.render.manual.markdown import code, escaped
from aclspec.codegen.render.manual.words import Lang
from aclspec.codegen.source.folders import find_specs
from aclspec.codegen.spec.pasted import FailureSpec, PastedForm
from aclspec.runtime.abi.status import RUNTIME_CODES, Status

_FORM_HEADS: dict[Lang, tuple[str, str]] = {"en": ("what it is", "made-up example"), "zh": ("内容", "虚构示例")}
_NAME_HEADS: dict[Lang, tuple[str, str]] = {
    "en": ("function of PyTorch", "operators that it calls"),
    "zh": ("PyTorch 函数", "调用的算子"),
}


def failures(lang: Lang) -> str:
    """A section for each failure: its codes, what it means, what to check."""
    found = project_of(find_specs().parent).pasted.failures
    return "\n".join(_section(name, one, lang) for name, one in (found.failures if found else {}).items())


def _section(name: str, failure: FailureSpec, lang: Lang) -> str:
    lines = [f"## {escaped(getattr(failure.title, lang))} {{: #{name}}}", ""]
    if failure.codes:
        lines += [", ".join(_named(one) for one in failure.codes), ""]
    lines += [getattr(failure.doc, lang), ""]
    lines += [f"{at}. {getattr(check.doc, lang)}" for at, check in enumerate(failure.checks, 1)]
    return "\n".join([*lines, ""])


def _named(text: str) -> str:
    """A code with its name in C, where it has one."""
    number = int(text) if text.isdigit() else -1
    name = next((one.name for one in Status if one == number), RUNTIME_CODES.get(number))
    return f"{code(text)} {code(name)}" if name else code(text)


def forms(lang: Lang) -> str:
    """The table of all forms of a pasted text."""
    found = project_of(find_specs().parent).pasted.forms
    return table(_FORM_HEADS[lang], (_row(one, lang) for one in (found.forms if found else {}).values()))


def _row(form: PastedForm, lang: Lang) -> tuple[str, str]:
    return getattr(form.doc, lang), code(form.examples[0].text.strip())


def torch_names(lang: Lang) -> str:
    """The table of all functions, each with links to the operators."""
    return table(_NAME_HEADS[lang], _functions())


def _functions() -> Iterator[tuple[str, str]]:
    found: dict[str, list[str]] = {}
    for operator in project_of(find_specs().parent).operators:
        link = f"[{operator.info.name}](../operators/{operator.info.snake}.md)"
        for name in operator.info.torch:
            found.setdefault(name, []).append(link)
    for name in sorted(found, key=lambda one: (one.rpartition(".")[2].rpartition(":")[2], one)):
        yield code(name), " ".join(found[name])


PARTS: dict[str, Callable[[Lang], str]] = {"failures": failures, "pasted-forms": forms, "torch-names": torch_names}
