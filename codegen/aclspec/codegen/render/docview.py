"""The docstring of an operator's Python function, as its template sees it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aclspec.codegen.load import Operator
from aclspec.codegen.render.params import OutputView, ParamView
from aclspec.codegen.told import sentence


@dataclass(frozen=True, slots=True)
class DocView:
    """What the template of a function's docstring sees."""

    operator: Operator
    inputs: Sequence[ParamView]
    outputs: Sequence[OutputView]

    @property
    def summary(self) -> str:
        """What the operator does."""
        return self.operator.info.summary.en

    @property
    def result_names(self) -> str:
        """The fields of the result."""
        return ", ".join(output.snake for output in self.outputs)

    @property
    def formulas(self) -> list[dict[str, str]]:
        """The formulas of the manual."""
        return [
            {"latex": f"$$ {formula.latex} $$", "doc": formula.doc.en if formula.doc else ""}
            for formula in self.operator.spec.formula
        ]

    @property
    def rules(self) -> list[dict[str, str]]:
        """The rules that are about more than one parameter or fact."""
        info = self.operator.info
        return [
            {"id": f"{info.name}.{rule.id}", "sentence": sentence(info, rule, "en")}
            for rule in info.rules
            if rule.kind in ("dtypes", "rule", "shortcut")
        ]

    @property
    def source(self) -> str:
        """Where all of this is from."""
        source, spec = self.operator.spec.source, self.operator.info.spec
        return f"{spec}." if source is None else f"{spec}, after document {source.document}."
