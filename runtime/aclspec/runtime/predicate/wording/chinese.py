"""The words of the Chinese sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from aclspec.runtime.predicate.wording.language import Lang, Language, Last, Quantity

_RELATIONS = {
    ("<", True): "小于",
    ("<", False): "不小于",
    ("<=", True): "不大于",
    ("<=", False): "大于",
    (">", True): "大于",
    (">", False): "不大于",
    (">=", True): "不小于",
    (">=", False): "小于",
}
_EFFECTS = {"unwritten": "，输出保持原样", "zeros": "，输出填 0"}


def _spaced(text: str) -> str:
    """One space between Chinese and Latin text, none between Chinese characters or beside Chinese punctuation."""
    text = re.sub(r"(?<=[一-鿿])(?=[A-Za-z0-9(\[\"-])", " ", text)
    text = re.sub(r"(?<=[A-Za-z0-9)\]\"])(?=[一-鿿])", " ", text)
    text = re.sub(r"(?<=[一-鿿”]) +(?=[一-鿿“])", "", text)
    return re.sub(r" *([，；：、。（）]) *", r"\1", text)


class Chinese(Language):
    """Chinese: no articles, the value in parentheses after its noun."""

    code: ClassVar[Lang] = "zh"
    either: ClassVar[str] = ""

    def nouns(self, items: Sequence[str], *, last: Last) -> str:
        """An enumeration: 甲、乙与丙."""
        *head, tail = items
        word = "与" if last == "and" else "或"
        return f"{'、'.join(head)} {word} {tail}" if head else tail

    def clauses(self, items: Sequence[str], *, last: Last) -> str:
        """Several clauses as one."""
        compound = any(re.search("[，；且或]", item) for item in items)
        words = ("，并且" if compound else "，且") if last == "and" else ("，或者" if compound else "或")
        return words.join(items)

    def predicates(self, subject: str, verbs: Sequence[str], *, last: Last) -> str:
        """A subject with several predicates; a repeated 为 is said once."""
        first, *rest = verbs
        if first.startswith("为 ") and all(verb.startswith("为 ") for verb in rest):
            verbs = [first, *(verb.removeprefix("为 ") for verb in rest)]
        return f"{subject} {('且' if last == 'and' else '或').join(verbs)}"

    def neither(self, subject: str, nouns: Sequence[str]) -> str:
        """The subject is none of these."""
        return f"{subject} {self.one_of(False, nouns, True)}"

    def relation(self, op: str, truth: bool, right: str, literal: bool) -> str:
        """The predicate of a comparison."""
        if op in ("==", "!="):
            equal = truth == (op == "==")
            return f"{'' if equal else '不'}{'为' if literal else '等于'} {right}"
        return f"{_RELATIONS[op, truth]} {right}"

    def same(self, truth: bool, right: str) -> str:
        """The predicate that a fact of one thing is that of another."""
        return f"与 {right} {'一致' if truth else '不一致'}"

    def one_of(self, truth: bool, items: Sequence[str], given: bool) -> str:
        """The predicate of membership in a list."""
        if not items:
            return self.element_of(truth, "()")
        if truth:
            return f"为 {self.nouns(items, last='or')} {'之一' if given and len(items) > 1 else ''}".rstrip()
        match items:
            case [only]:
                return f"不为 {only}"
            case [one, other]:
                return f"既不为 {one}，也不为 {other}"
            case _:
                return f"不是 {'、'.join(items)} 中的任何一个"

    def element_of(self, truth: bool, collection: str) -> str:
        """The predicate of membership in an array."""
        return f"{'是' if truth else '不是'} {collection} 的元素"

    def boolean(self, subject: str, truth: bool) -> str:
        """A flag is true, or false."""
        return f"{subject} 为 {'true' if truth else 'false'}"

    def applies(self, subject: str, truth: bool) -> str:
        """A named condition holds, or does not."""
        return f"{subject} {'成立' if truth else '不成立'}"

    def constant(self, truth: bool) -> str:
        """A condition that is always true, or never."""
        return f"该条件{'恒成立' if truth else '恒不成立'}"

    def divisible(self, truth: bool, right: str) -> str:
        """The predicate of divisibility."""
        return f"{'能' if truth else '不能'}被 {right} 整除"

    def broadcasts(self, truth: bool, right: str) -> str:
        """The predicate "broadcasts to"."""
        return f"{'可' if truth else '无法'}广播到 {right}"

    def exactly_when(self, left: str, right: str) -> str:
        """Two clauses that are true together."""
        return f"当且仅当 {right} 时，{left}"

    def otherwise(self, condition: str, then: str, orelse: str) -> str:
        """A clause that depends on a condition."""
        return f"当 {condition} 时，{then}；否则，{orelse}"

    def case_by_case(self, cases: Sequence[str]) -> str:
        """Clauses under conditions that exclude each other, as one."""
        return "；".join(cases)

    def choice(self, cases: Sequence[tuple[str, str]], orelse: str) -> str:
        """A noun that depends on conditions."""
        return f"{'、'.join(f'{noun}（{condition} 时）' for condition, noun in cases)}或 {orelse}（否则）"

    def worked(self, value: str, arguments: str) -> str:
        """A value and the arguments that it comes from."""
        return f"{value}，其中{arguments}"

    def whether(self, clause: str) -> str:
        """A clause as a noun."""
        return f"“{clause}”是否成立"

    def element(self, base: str, index: str) -> str:
        """An element of an array."""
        return f"{base} 中下标为 {index} 的元素"

    def quantified(self, quantity: Quantity, collection: str) -> str:
        """Every, some or no element of an array, as a subject."""
        return (
            f"{collection} 中没有元素"
            if quantity == "no"
            else f"{collection} 的{'每个' if quantity == 'every' else '某个'}元素"
        )

    def size(self, quantity: Quantity, tensor: str) -> str:
        """The size of every, some or no axis of a tensor, as a subject."""
        return f"{tensor} {({'every': '各轴', 'some': '某一轴', 'no': '没有任何一轴'})[quantity]}的大小"

    def for_each(self, quantity: Quantity, domain: str, clause: str) -> str:
        """A clause about each, some or none of the things of a domain."""
        if quantity == "every":
            return f"对 {domain}，{clause}"
        return f"{'不存在' if quantity == 'no' else '存在'} {domain}，使得 {clause}"

    def of_each(self, noun: str, domain: str) -> str:
        """A list by its elements."""
        return f"[{noun}，对 {domain}]"

    def element_domain(self, quantity: Quantity, variable: str, collection: str) -> str:
        """The domain of a variable that runs over the elements of an array."""
        return f"{collection} 的{'每个' if quantity == 'every' else ''}元素 {variable}"

    def index_domain(self, quantity: Quantity, variable: str, collection: str) -> str:
        """The domain of a variable that runs over the indices of an array."""
        return f"{collection} 的{'每个' if quantity == 'every' else ''}下标 {variable}"

    def range_domain(self, quantity: Quantity, variable: str, start: str, stop: str) -> str:
        """The domain of a variable that runs over integers."""
        return f"{'每个 ' if quantity == 'every' else ''}{variable}（{start} <= {variable} < {stop}）"

    def not_ordered(self, op: str, right: str) -> str:
        """The predicate of an order that NaN does not have."""
        return f"并非{_RELATIONS[op, True]} {right}"

    def plural(self, phrase: str) -> str:
        """The phrase of a function for several subjects."""
        return phrase.replace("{0} ", "{0} 均")

    def arithmetic(self, op: str, left: str, right: str, plain: bool) -> str:
        """A term in symbols."""
        return f"{left} {'后接' if op == 'followed by' else op} {right}"

    def of_shape(self, tensor: str, shape: str) -> str:
        """A tensor with its actual shape."""
        return f"形状为 {shape} 的 {tensor}"

    def of_strides(self, tensor: str, strides: str) -> str:
        """A tensor with its actual strides."""
        return f"步长为 {strides} 的 {tensor}"

    def row(self, truth: bool, param: str, dtype: str, product: str | None, supported: str) -> str:
        """A dtype that is, or is not, supported."""
        verb = "是" if truth else "不是"
        return f"{param} 的数据类型{dtype}{verb} {product or '所用产品'} 支持的类型{supported}"

    def together(self, truth: bool, params: Sequence[str], product: str | None) -> str:
        """Dtypes that are, or are not, supported together."""
        verb = "支持" if truth else "不支持"
        return f"{product or '所用产品'} {verb} {self.nouns(params, last='and')} 的数据类型组合"

    def all_equal(self, count: int, dtypes: Sequence[str]) -> str:
        """What a product supports where all the dtypes, so many, must be one."""
        return f"；在该产品上须全部为 {self.nouns(dtypes, last='or')}"

    def combinations(self, rows: Sequence[Sequence[tuple[Sequence[str], Sequence[str]]]]) -> str:
        """What a product supports."""
        texts = [
            "、".join(f"{self.nouns(p, last='and')} 取 {self.nouns(d, last='or')}" for p, d in row) for row in rows
        ]
        return f"；该产品支持：{'，或 '.join(texts)}"

    def guarded(self, condition: str, clause: str) -> str:
        """A requirement that holds only under a condition."""
        return f"当 {condition} 时，{clause}"

    def despite(self, condition: str, clause: str, contrast: bool) -> str:
        """A failure under a condition."""
        return f"{condition}，但 {clause}" if contrast else f"在 {condition} 时，{clause}"

    def product(self, supported: Sequence[str], given: str | None) -> str:
        """The products that the operator supports."""
        if given is None:
            return f"算子支持 {self.nouns(supported, last='and')}"
        return f"算子不支持 {given} (支持：{'、'.join(supported)})"

    def shortcut(self, condition: str | None, effect: str | None) -> str:
        """The call succeeds early."""
        told = f"调用成功，workspace 为 0 字节{_EFFECTS[effect] if effect else ''}"
        return f"当 {condition} 时，{told}" if condition else told

    def undefined(self, clause: str) -> str:
        """What the hardware leaves undefined."""
        return f"除非 {clause}，否则结果未定义"

    def sentence(self, clause: str, names: frozenset[str]) -> str:
        """A clause with the spacing of mixed text and a full stop."""
        return _spaced(f"{clause}。")


CHINESE = Chinese()
