"""What `explain` answers: the verdict of each product in both conformance modes, with reasons and fixes."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from aclspec.runtime.abi.errors import Violation
from aclspec.runtime.abi.status import Status
from aclspec.runtime.api.fixes import Fix
from aclspec.runtime.rules.answer_words import ANSWER_WORDS
from aclspec.runtime.rules.interpreter import Outcome
from aclspec.runtime.rules.judgement import Verdict
from aclspec.runtime.rules.levels import Level
from aclspec.runtime.rules.operator_info import MODES, Effect, Mode
from aclspec.runtime.rules.sentences import Lang

ProductAnswer: TypeAlias = Verdict | Literal["not portable", "undocumented"]
"""Not portable: CANN takes the call and its document forbids it; undocumented: nobody says that the product has it."""
VERSION: Final = 1
"""Of what `Explanation.to_dict` gives; a key that it has stays."""
_MOST_REASONS: Final = 4
_MOST_LINES: Final = 40


@dataclass(frozen=True, slots=True)
class ModeVerdict:
    """What one product says to a call in one conformance mode.

    ``status`` is the answer of phase one, decided by the first of ``violations``; these are all the rules that fail,
    in the order of the checks. ``outcomes`` has every rule by its full id. ``shortcut`` is the rule that ends the
    checks of a good call early, explained by ``note``, with its ``effect`` on the outputs. Where no rule of the
    operator is known, or the call is not judged, there is no status, and ``note`` says why; where there is no kernel,
    it says how that is known. ``caveat`` is the full id of what the spec says so. Of a call that works ``note`` names
    an element outside its bounds, which phase one does not see.
    ``whole`` has the sentences of ``violations`` with every element of long arrays, for JSON.
    """

    status: Status | None
    violations: tuple[Violation, ...]
    outcomes: Mapping[str, Outcome]
    shortcut: str | None = None
    effect: Effect | None = None
    note: str = ""
    verdict: Verdict = "works"
    caveat: str | None = None
    whole: tuple[str, ...] = ()

    @property
    def works(self) -> bool | None:
        """Whether the call works; None where that is unknown or not judged."""
        return None if self.status is None else self.verdict == "works"

    @property
    def ok(self) -> bool | None:
        """The same as ``works``."""
        return self.works

    @property
    def rule(self) -> str | None:
        """The full id of the rule that decides the status, if one fails."""
        return self.violations[0].rule if self.violations else None

    @property
    def lists_product(self) -> bool:
        """Whether the operator is known for the product in this mode; where it is not, no other rule is asked."""
        return self.rule is None or not self.rule.endswith(".product")

    @property
    def reasons(self) -> tuple[str, ...]:
        """The sentence of every rule that fails, the deciding one first."""
        return tuple(one.sentence for one in self.violations)

    def to_dict(self) -> dict[str, Any]:
        """The verdict as plain values."""
        return {
            "verdict": self.verdict,
            "works": self.works,
            "ok": self.works,
            "status": None if self.status is None else int(self.status),
            "status_name": None if self.status is None else self.status.name,
            "rule": self.rule,
            "violations": [
                {"rule": one.rule, "status": int(one.status), "sentence": sentence}
                for one, sentence in zip(self.violations, self.whole or self.reasons, strict=True)
            ],
            "caveat": self.caveat,
            "shortcut": self.shortcut,
            "effect": self.effect,
            "outcomes": dict(self.outcomes),
            **({"note": self.note} if self.note else {}),
        }


@dataclass(frozen=True)
class ProductVerdict:
    """What one product says to a call, in both conformance modes: ``document`` and ``library``.

    ``works``, ``status``, ``rule``, ``reasons`` and the rest are those of the call's own ``conformance``. ``fixes`` are
    single changes that make the call work in that mode. Modes and fixes are evaluated when they are asked for.
    """

    product: str
    conformance: Mode
    lang: Lang
    judge: Callable[[Mode], ModeVerdict] = field(repr=False)
    find_fixes: Callable[[Mode], Sequence[Fix]] = field(default=lambda mode: (), repr=False)
    _memo: dict[object, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def _once(self, key: object, compute: Callable[[], Any]) -> Any:
        if key not in self._memo:
            self._memo[key] = compute()
        return self._memo[key]

    def mode(self, mode: Mode) -> ModeVerdict:
        """The verdict in a conformance mode."""
        found: ModeVerdict = self._once(mode, lambda: self.judge(mode))
        return found

    @property
    def document(self) -> ModeVerdict:
        """The verdict by every rule of the document."""
        return self.mode("document")

    @property
    def library(self) -> ModeVerdict:
        """The verdict by the rules that the vendor's library enforces: what CANN itself answers."""
        return self.mode("library")

    @property
    def own(self) -> ModeVerdict:
        """The verdict in the call's own conformance mode."""
        return self.mode(self.conformance)

    @property
    def works(self) -> bool | None:
        """Whether the call works; None where that is unknown."""
        return self.own.works

    @property
    def ok(self) -> bool | None:
        """The same as ``works``."""
        return self.own.works

    @property
    def status(self) -> Status | None:
        """The answer of phase one."""
        return self.own.status

    @property
    def rule(self) -> str | None:
        """The full id of the rule that decides the status, if one fails."""
        return self.own.rule

    @property
    def violations(self) -> tuple[Violation, ...]:
        """All rules that fail, in the order of the checks."""
        return self.own.violations

    @property
    def reasons(self) -> tuple[str, ...]:
        """The sentence of every rule that fails, the deciding one first."""
        return self.own.reasons

    @property
    def outcomes(self) -> Mapping[str, Outcome]:
        """The outcome of every rule, by its full id."""
        return self.own.outcomes

    @property
    def shortcut(self) -> str | None:
        """The rule that ends the checks of a good call early."""
        return self.own.shortcut

    @property
    def effect(self) -> Effect | None:
        """The effect of the shortcut on the outputs."""
        return self.own.effect

    @property
    def note(self) -> str:
        """The explanation of the shortcut or of an unknown answer, or the element outside its bounds."""
        return self.own.note

    @property
    def fixes(self) -> tuple[Fix, ...]:
        """Single changes, each checked, with which the call works in its conformance mode; none where it works."""
        find = self.find_fixes
        refused = self.own.verdict == "refused"
        found: tuple[Fix, ...] = self._once("fixes", lambda: tuple(find(self.conformance)) if refused else ())
        return found

    @property
    def deciding(self) -> ModeVerdict:
        """The verdict whose reasons are shown: the document's where the library takes the call, else the library's."""
        return self.document if self.library.verdict == "works" or self.verdict == "undocumented" else self.library

    @property
    def verdict(self) -> ProductAnswer:
        """The verdict on the product: that of the library, or where that takes the call, what the document says."""
        found = self.library.verdict
        if found in ("works", "not judged") and not self.document.lists_product:
            return "undocumented"
        if found == "works" and self.document.verdict == "refused":
            return "not portable"
        return "not judged" if found == "works" and self.document.verdict == "not judged" else found

    @property
    def answer(self) -> str:
        """The verdict in words, with the status where CANN does not take the call."""
        status, key = self.library.status, str(self.verdict)
        if key == "refused" and self.document.works:
            key = "refused only"
        if key == "no kernel" and status is not None:
            key = "no kernel status"
        return ANSWER_WORDS[self.lang][key].format("" if status is None else f"{int(status)} ({status.name})")

    def __str__(self) -> str:
        """The product, its answer, and a line for every reason and fix."""
        return "\n".join([f"{self.product}: {self.answer}", *self.lines()])

    def lines(self) -> list[str]:
        """The reasons, with the id of each rule, and the fixes, as indented lines."""
        words, decided = ANSWER_WORDS[self.lang], self.deciding
        if decided.verdict in ("unknown", "not judged", "no kernel"):
            return [f"  {decided.note}"]
        lines = [f"  {one.rule} ({int(one.status)}): {one.sentence}" for one in decided.violations[:_MOST_REASONS]]
        if len(decided.violations) > _MOST_REASONS:
            lines.append("  " + words["more"].format(len(decided.violations) - _MOST_REASONS))
        for fix in self.fixes:
            text = fix.sentence if fix.portable else words["not portable fix"].format(fix.sentence)
            lines.append("  " + words["fix"].format(text))
        if self.own.shortcut:
            return [*lines, f"  {self.own.shortcut}: {self.own.note}"]
        return [*lines, f"  {self.own.note}"] if self.own.note else lines

    def to_dict(self) -> dict[str, Any]:
        """The verdict as plain values: that of the call's conformance, with both modes below it."""
        modes: dict[str, dict[str, Any]] = {mode: self.mode(mode).to_dict() for mode in MODES}
        fixes = [
            {"sentence": fix.sentence, "changes": {name: _plain(one) for name, one in fix.changes.items()}}
            for fix in self.fixes
        ]
        own = {**modes[self.conformance], "verdict": self.verdict, "answer": self.answer}
        return {**own, "fixes": fixes, **modes}


@dataclass(frozen=True, slots=True)
class Explanation(Mapping[str, ProductVerdict]):
    """The verdict of each product asked about, by its key; ``level`` is that of the operator's spec.

    Of an explanation of one product, ``works``, ``status``, ``rule``, ``reasons`` and ``fixes`` are those of it.
    ``note`` says how the product's name was understood, where that is not plain. ``cann`` is the version of CANN that
    it is about; None is the newest.
    """

    operator: str
    conformance: Mode
    verdicts: Mapping[str, ProductVerdict]
    level: Level = "computed"
    lang: Lang = "en"
    note: str = ""
    cann: str | None = None

    def __getitem__(self, product: str) -> ProductVerdict:
        """The verdict of one product."""
        return self.verdicts[product]

    def __iter__(self) -> Iterator[str]:
        """The products, in the order of their table."""
        return iter(self.verdicts)

    def __len__(self) -> int:
        """How many products were asked about."""
        return len(self.verdicts)

    @property
    def ok(self) -> bool | None:
        """Whether the call works on every product asked about; None where that is unknown."""
        answers = {verdict.ok for verdict in self.verdicts.values()}
        return False if False in answers else None if None in answers else True

    def _only(self) -> ProductVerdict:
        if len(self.verdicts) != 1:
            keys = ", ".join(self.verdicts)
            raise ValueError(f"The explanation is about {len(self.verdicts)} products; take that of one of {keys}.")
        return next(iter(self.verdicts.values()))

    @property
    def works(self) -> bool | None:
        """Whether the call works on the one product asked about; ValueError where there are several."""
        return self._only().works

    @property
    def status(self) -> Status | None:
        """The status on the one product asked about; ValueError where there are several."""
        return self._only().status

    @property
    def rule(self) -> str | None:
        """The deciding rule on the one product asked about; ValueError where there are several."""
        return self._only().rule

    @property
    def reasons(self) -> tuple[str, ...]:
        """The reasons on the one product asked about; ValueError where there are several."""
        return self._only().reasons

    @property
    def fixes(self) -> tuple[Fix, ...]:
        """The fixes on the one product asked about; ValueError where there are several."""
        return self._only().fixes

    def groups(self) -> list[tuple[str, list[ProductVerdict]]]:
        """Each answer with its lines, and the products that give it."""
        found: dict[tuple[str, ...], list[ProductVerdict]] = {}
        for verdict in self.verdicts.values():
            found.setdefault((verdict.answer, *verdict.lines()), []).append(verdict)
        return [(key[0], verdicts) for key, verdicts in found.items()]

    def __str__(self) -> str:
        """Every product with its answer, reasons and fixes; products that say the same stand together."""
        lines = [
            ANSWER_WORDS[self.lang]["head"].format(self.operator, self.level, self.conformance),
            *([self.note] if self.note else []),
        ]
        for answer, verdicts in self.groups():
            lines.append(f"{', '.join(one.product for one in verdicts)}: {answer}")
            lines += verdicts[0].lines()
        return "\n".join(lines)

    def __repr__(self) -> str:
        """The same text, at most 40 lines of it."""
        lines = str(self).splitlines()
        if len(lines) > _MOST_LINES:
            lines = [*lines[: _MOST_LINES - 1], ANSWER_WORDS[self.lang]["more"].format(len(lines) - _MOST_LINES + 1)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """A table of products and their answers, for notebooks: each with a mark and in a colour."""
        rows = []
        for answer, verdicts in self.groups():
            mark, colour = _mark(verdicts[0])
            names = "<br>".join(html.escape(one.product) for one in verdicts)
            first, *others = (html.escape(line.strip()) for line in (answer, *verdicts[0].lines()))
            text = "<br>".join([f"<b>{mark} {first}</b>", *others])
            edge = f"text-align: left; border-left: 4px solid {colour}"
            rows.append(f"<tr><th style='{edge}'>{names}</th><td style='text-align: left'>{text}</td></tr>")
        caption = html.escape(ANSWER_WORDS[self.lang]["head"].format(self.operator, self.level, self.conformance))
        return f"<table><caption>{caption}</caption>{''.join(rows)}</table>"

    def to_dict(self) -> dict[str, Any]:
        """The explanation as plain values, for JSON."""
        return {
            "version": VERSION,
            "operator": self.operator,
            "level": self.level,
            "conformance": self.conformance,
            "cann": self.cann,
            "ok": self.ok,
            **({"note": self.note} if self.note else {}),
            "products": {product: verdict.to_dict() for product, verdict in self.verdicts.items()},
        }


def _mark(verdict: ProductVerdict) -> tuple[str, str]:
    """A mark and a colour: it works, it is refused, only the document forbids it, or nobody knows."""
    library, document = verdict.library.works, verdict.document.works
    if library is None or document is None:
        return "?", "#737373"
    if not library:
        return "✗", "#c62828"
    return ("✓", "#2e7d32") if document else ("!", "#b26a00")


def _plain(value: Any) -> Any:
    """A value of a fix as JSON has it: a tensor as its literal."""
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
