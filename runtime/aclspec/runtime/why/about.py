"""What follows from the facts of a text: the sentences about an operator, a call, a code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from aclspec.runtime.abi.errors import AclnnError
from aclspec.runtime.abi.products import KEYS, read_product
from aclspec.runtime.abi.status import RUNTIME_CODES, Status
from aclspec.runtime.api.answers import Explanation
from aclspec.runtime.api.catalog import Catalog
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.rules.answer_words import reason
from aclspec.runtime.rules.operator_info import CaveatInfo, OperatorInfo, RuleInfo
from aclspec.runtime.rules.sentences import Lang, requirement
from aclspec.runtime.why.calls import FoundCall, find
from aclspec.runtime.why.commands import explain_command, text_of
from aclspec.runtime.why.dtypes import keeps_most, taken
from aclspec.runtime.why.facts import Facts
from aclspec.runtime.why.grammar import Failure, grammar
from aclspec.runtime.why.result import Answer
from aclspec.runtime.why.words import WORDS, joined

MOST_RULES: Final = 6
_NULL, _INVALID = int(Status.ACLNN_ERR_PARAM_NULLPTR), int(Status.ACLNN_ERR_PARAM_INVALID)


@dataclass(frozen=True, slots=True)
class About:
    """Makes answers, with the operators of a catalog, in a language, and about the product that the caller names."""

    catalog: Catalog
    lang: Lang
    product: str | None

    def say(self, key: str, *args: object, **named: object) -> str:
        """A sentence of the table of words."""
        return WORDS[self.lang][key].format(*args, **named)

    def call(self, call: FoundCall, facts: Facts) -> Answer:
        """The answer about a whole call: its verdicts, or what it lacks."""
        info = call.operator.info
        products = self._products(facts, call.product)
        given = [param.name for param in info.params if param.name in call.values]
        text = f"{info.name}({', '.join(f'{name}={text_of(call.values[name])}' for name in given)})"
        if call.code is None:
            says = [self.say("read", text)]
        else:
            says = [self.say("read code", line=call.code.line, function=call.code.function, call=text)]
        if call.others:
            says.append(self.say("others", joined(self.lang, call.others, "or")))
        function = call.code.function if call.code else info.name
        says += [self.say("not read", name, function) for name in call.unread]
        explanation = None if call.missing or call.unread else self._explained(call.operator, call, products)
        if explanation is not None:
            return self._answer(info.name, facts, says, [], products, explanation=explanation)
        if call.missing:
            says.append(self.say("ask missing", joined(self.lang, call.missing)))
        says += self._reasons(info, facts, products)
        command = explain_command(info, call.values, dict(facts.pairs), _only(products))
        return self._answer(info.name, facts, says, [command], products)

    def operator(self, facts: Facts) -> Answer:
        """The answer about an operator that a text names without a whole call."""
        assert facts.operator is not None
        try:
            operator = self.catalog.get(facts.operator)
        except LookupError as error:
            return self._answer(facts.operator, facts, [str(error), *self._rest(facts)], [], ())
        info, products = operator.info, self._products(facts, None)
        says = self._reasons(info, facts, products) if operator.has_rules else [self.say("declared", info.name)]
        failures = self._failures(facts)
        next_steps: list[str] = []
        if any(one.is_refusal for one in failures) or all(one.is_vague for one in failures):
            says.append(self.say("ask call"))
            command = explain_command(info, {}, dict(facts.pairs), _only(products))
            next_steps = [command, self.say("record")]
        if products == KEYS:
            says.append(self.say("ask soc"))
        return self._answer(info.name, facts, [*says, *self._rest(facts)], next_steps, products)

    def loose(self, facts: Facts) -> Iterator[Answer]:
        """The answers to a text that names no operator: by its functions of PyTorch, its types, and its codes."""
        operators: dict[str, list[str]] = {}
        unknown: list[str] = []
        for name in facts.all("torch"):
            found = self.catalog.of_torch(name)
            sentence = self.say("torch", name, joined(self.lang, found)) if found else self.say("torch unknown", name)
            unknown += [] if found else [sentence]
            for one in found[:1]:
                operators.setdefault(one, []).append(sentence)
        for kind in facts.all("type"):
            known = find(self.catalog, f"aclnn{kind}")
            if known is None:
                unknown.append(self.say("type unknown", kind))
            else:
                operators.setdefault(known.name, []).append(self.say("type", kind, known.name))
        for name, sentences in operators.items():
            answer = self.operator(Facts(name, dict(facts.by_kind), list(facts.pairs)))
            yield replace(answer, says=(*sentences, *answer.says))
        rest = [*unknown, *self._rest(facts)]
        if not operators and not rest and facts.pairs:
            rest = [self.say("ask operator"), *self._rest(facts)]
        if not operators and (rest or self._failures(facts)):
            yield self._answer(None, facts, rest, [], self._products(facts, None))

    def _products(self, facts: Facts, own: str | None) -> tuple[str, ...]:
        """The products that are meant: the caller's, that of the call, those of the text, or all."""
        if (key := self.product or own) is not None:
            return (key,)
        found: list[str] = []
        for name in (*facts.all("product"), *facts.all("soc")):
            try:
                found.append(read_product(name).key)
            except ValueError:
                continue
        return tuple(dict.fromkeys(found)) or KEYS

    def _explained(self, operator: Operator, call: FoundCall, products: Sequence[str]) -> Explanation | None:
        product = products[0] if len(products) == 1 else "all"
        try:
            found: Explanation = operator.explain(product=product, lang=self.lang, **call.values)
        except (TypeError, ValueError, AclnnError):
            return None
        return found

    def _reasons(self, info: OperatorInfo, facts: Facts, products: Sequence[str]) -> list[str]:
        """What the rules of the operator say about the parameters, dtypes, rules and codes of a text."""
        if not info.facts.has_rules:
            return []
        says = [sentence for pair in facts.pairs for sentence in self._dtype(info, facts, products, *pair)]
        if not says:
            says = [
                sentence for dtype in facts.all("dtype") for sentence in self._refused(info, facts, products, dtype)
            ]
        names = {param.name.lower(): param.name for param in info.params}
        nouns = [one for one in facts.all("noun") if one.lower() in names or _is_identifier(one)]
        mentioned = (*facts.all("parameter"), *nouns)
        told = [one for one in mentioned if one.lower() in names]
        for name in mentioned:
            if name.lower() not in names:
                listed = joined(self.lang, tuple(param.name for param in info.params))
                says.append(self.say("no parameter", name, listed))
        says += [sentence for rule in facts.all("rule") for sentence in self._rule(info, rule)]
        if not facts.pairs or not says:
            params = tuple(names[one.lower()] for one in told)
            says += [] if facts.all("rule") else self._rules(info, facts, products, params)
        if any(not one.is_refusal for one in self._failures(facts)):
            says += [reason(one, self.lang) for one in info.caveats if _is_known(one, products)]
        unlisted = [key for key in products if products != KEYS and key not in dict(info.products)]
        return says + [self.say("not listed", info.name, key) for key in unlisted]

    def _dtype(
        self, info: OperatorInfo, facts: Facts, products: Sequence[str], parameter: str, dtype: str
    ) -> Iterator[str]:
        names = {param.name.lower(): param.name for param in info.params}
        name = names.get(parameter.lower())
        allowed = None if name is None else taken(info, name, products)
        if name is None or allowed is None:
            return
        where = self.say("all") if tuple(products) == KEYS else joined(self.lang, tuple(products))
        told = tuple((facts.first("dtypes") or "").split(", ")) if facts.all("dtypes") else ()
        if told and dtype not in told and dtype in allowed:
            yield self._kept("told", dtype, told, param=name, told=joined(self.lang, told))
            yield self.say("other list", taken=joined(self.lang, allowed))
        elif dtype in allowed:
            yield self.say("takes", param=name, dtype=dtype, product=where)
        elif not allowed:
            yield self.say("none taken", param=name, dtype=dtype, product=where)
        else:
            listed = joined(self.lang, allowed, "or")
            yield self._kept("refuses", dtype, allowed, param=name, product=where, taken=listed)

    def _refused(self, info: OperatorInfo, facts: Facts, products: Sequence[str], dtype: str) -> Iterator[str]:
        """What there is to say of a dtype that stands beside no parameter: of the first input, where all refuse it."""
        found = [(param.name, taken(info, param.name, products)) for param in info.params if param.direction != "out"]
        columns = [(name, allowed) for name, allowed in found if allowed is not None]
        if columns and all(dtype not in allowed for _, allowed in columns):
            yield from self._dtype(info, facts, products, columns[0][0], dtype)

    def _kept(self, key: str, dtype: str, allowed: Sequence[str], **named: str) -> str:
        """A sentence about a dtype that is not taken, and the one that keeps the most of it."""
        sentence, best = self.say(key, dtype=dtype, **named), keeps_most(dtype, allowed)
        return sentence if best is None else f"{sentence}{'' if self.lang == 'zh' else ' '}{self.say('keeps', best)}"

    def _rule(self, info: OperatorInfo, full: str) -> Iterator[str]:
        short = full.partition(".")[2]
        rule = next((one for one in info.checks if one.id == short), None)
        if full.partition(".")[0] != info.name:
            return
        if rule is None:
            yield self.say("unknown rule", full)
        else:
            yield self.say("rule", id=full, says=requirement(rule, self.lang))

    def _rules(
        self, info: OperatorInfo, facts: Facts, products: Sequence[str], params: tuple[str, ...]
    ) -> Iterator[str]:
        """The checks that answer the code of a text, of the parameters that it names."""
        status = _refusal(facts, self._failures(facts))
        if status is None:
            return
        name = Status(status).name
        rules = [rule for rule in info.checks if _answers(rule, name, products, facts.first("subject"))]
        if params:
            rules = [rule for rule in rules if set(params) & set(rule.params)] or rules
        if not rules:
            yield self.say("no rules of", status=f"{status} ({name})")
            return
        key = "rules of" if params else "rules"
        yield self.say(key, status=f"{status} ({name})", names=joined(self.lang, params))
        for rule in rules[:MOST_RULES]:
            yield " - " + self.say("rule", id=f"{info.name}.{rule.id}", says=requirement(rule, self.lang))
        if len(rules) > MOST_RULES:
            ids = ", ".join(rule.id for rule in rules[MOST_RULES:])
            yield " - " + self.say("more rules", len(rules) - MOST_RULES, ids)

    def _failures(self, facts: Facts) -> list[Failure]:
        """What the codes and messages of a text mean, the telling ones first."""
        known = grammar()
        found = [known.failures[name] for name in facts.all("failure") if name in known.failures]
        found += [one for code in facts.all("code") if (one := known.failure_of(code)) is not None]
        unique = list({one.name: one for one in found}.values())
        telling = [one for one in unique if not one.is_vague]
        return telling or unique

    def _rest(self, facts: Facts) -> list[str]:
        """Sentences about what a text names beside operators."""
        known = grammar()
        says = [self.say("code", _coded(code)) for code in facts.all("code") if known.failure_of(code) is None]
        for kind in ("function", "library", "symbol", "cann"):
            says += [self.say(kind, text) for text in facts.all(kind)]
        return says

    def _answer(
        self,
        operator: str | None,
        facts: Facts,
        says: Sequence[str],
        next_steps: Sequence[str],
        products: Sequence[str],
        explanation: Explanation | None = None,
    ) -> Answer:
        failures = self._failures(facts)
        means = [self._means(one) for one in failures]
        checks = tuple(getattr(check, self.lang) for one in failures for check in one.checks)
        codes = [_coded(code) for code in facts.all("code")]
        where = [] if tuple(products) == KEYS or not products else [", ".join(products)]
        parts = [*([operator] if operator else []), *codes, *where]
        told = (text for texts in facts.by_kind.values() for text in texts)
        title = ", ".join(parts) or next(told, "")
        kinds = {kind: tuple(texts) for kind, texts in facts.by_kind.items()}
        lines = (*means, *says)
        return Answer(operator, title, lines, tuple(dict.fromkeys(checks)), tuple(next_steps), kinds, explanation)

    def _means(self, failure: Failure) -> str:
        title, doc = getattr(failure.title, self.lang), getattr(failure.doc, self.lang)
        return self.say("means", title=title, doc=doc)


def _only(products: Sequence[str]) -> str | None:
    return products[0] if len(products) == 1 else None


def _is_identifier(noun: str) -> bool:
    """Whether a noun looks like a name in code, so that its absence is worth a sentence."""
    return any(one.isdigit() or one == "_" for one in noun) or any(one.isupper() for one in noun[1:])


def _is_known(caveat: CaveatInfo, products: Sequence[str]) -> bool:
    """Whether it is known that some calls on one of the products, of those that are meant, have no kernel."""
    return caveat.kind == "no kernel" and bool(set(caveat.products) & set(products)) and tuple(products) != KEYS


def _coded(code: str) -> str:
    """``161002 (ACLNN_ERR_PARAM_INVALID)``; a code without a name as it is."""
    if code.isdigit():
        number = int(code)
        name = next((one.name for one in Status if one == number), RUNTIME_CODES.get(number))
        return f"{code} ({name})" if name else code
    return code


def _refusal(facts: Facts, failures: Sequence[Failure]) -> int | None:
    """The status of a refusal that a text names; that of a wrong argument where a parameter is told and no code."""
    codes = {int(code) for code in facts.all("code") if code.isdigit()}
    for status in (_NULL, _INVALID):
        if status in codes:
            return status
    if failures:
        return _INVALID if any(one.is_refusal for one in failures) else None
    return _INVALID if facts.all("parameter") else None


def _answers(rule: RuleInfo, status: str, products: Sequence[str], subject: str | None) -> bool:
    """Whether a rule answers with this status in CANN's library, on one of the products, about the subject."""
    if rule.outcome != "error" or rule.kind == "shortcut" or dict(rule.status).get("library") != status:
        return False
    if subject == "shape" and rule.kind not in ("rule", "rank", "empty"):
        return False
    return not rule.products or bool(set(rule.products) & set(products))
