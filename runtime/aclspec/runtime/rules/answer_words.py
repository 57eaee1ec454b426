"""The words of an answer to a call, for Python, the command line and the form of the site alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from aclspec.runtime.rules.operator_info import CaveatInfo
from aclspec.runtime.rules.sentences import Lang

ANSWER_WORDS: Final[Mapping[Lang, Mapping[str, str]]] = {
    "en": {
        "works": "works",
        "unknown": "unknown",
        "refused": "CANN refuses this with {0}",
        "refused only": "CANN refuses this with {0}, though its document allows it",
        "not portable": "CANN takes this, its document forbids it: not portable",
        "not judged": "not judged",
        "no kernel": "CANN has no kernel for this",
        "no kernel status": "CANN has no kernel for this: {0}",
        "undocumented": "undocumented: the document does not list the product, no check refuses it; do not rely on it",
        "because": "{0} {1}",
        "before": "CANN before {0} refuses this. {1}",
        "until": "CANN before {0} takes this. {1}",
        "overflow": "It is computed in FLOAT16, in which numbers beyond 65504 are infinite.",
        "no overflow": "With {0} = {1} it is not.",
        "document": "The document says so.",
        "library": "The library's sources say so.",
        "report": "Public reports say so.",
        "fix": "fix: {0}",
        "more": "and {0} more",
        "not portable fix": "{0} (CANN takes that, its document does not)",
        "head": "{0} (conformance: {2}, level: {1})",
    },
    "zh": {
        "works": "可用",
        "unknown": "未知",
        "refused": "CANN 以 {0} 拒绝该调用",
        "refused only": "CANN 以 {0} 拒绝该调用，尽管其文档允许",
        "not portable": "CANN 接受该调用，但其文档禁止：不可移植",
        "not judged": "未判断",
        "no kernel": "CANN 没有用于该调用的内核",
        "no kernel status": "CANN 没有用于该调用的内核：{0}",
        "undocumented": "文档未列出该产品，也没有检查拒绝该调用：请勿依赖",
        "because": "{0}{1}",
        "before": "{0} 之前的 CANN 拒绝该调用。{1}",
        "until": "{0} 之前的 CANN 接受该调用。{1}",
        "overflow": "该调用以 FLOAT16 计算，超过 65504 的数变为无穷。",
        "no overflow": "{0} 取 {1} 时则否。",
        "document": "依据：文档。",
        "library": "依据：库的源码。",
        "report": "依据：公开报告。",
        "fix": "修改建议：{0}",
        "more": "另有 {0} 条",
        "not portable fix": "{0}（CANN 接受，但其文档不允许）",
        "head": "{0}（{2} 模式，级别：{1}）",
    },
}


def reason(caveat: CaveatInfo, lang: Lang) -> str:
    """Why a call that no rule refuses is not judged, or what has no kernel and where that is known from."""
    words, because = ANSWER_WORDS[lang], caveat.because.zh if lang == "zh" else caveat.because.en
    return words["because"].format(because, words[caveat.source]) if caveat.source else because


def of_versions(caveat: CaveatInfo, lang: Lang, is_refused: bool = False) -> str:
    """That versions of CANN before one refuse a call that the newest takes, or take one that the newest refuses."""
    key, bound = ("until", caveat.until) if is_refused or not caveat.since else ("before", caveat.since)
    return ANSWER_WORDS[lang][key].format(bound, reason(caveat, lang))


FIX_WORDS: Final[Mapping[Lang, Mapping[str, str]]] = {
    "en": {
        "dtype": "Give {names} the dtype {new}.",
        "small": "Give {names} the dtype {new}, in which numbers beyond 65504 are infinite.",
        "format": "Give {names} the format {new}.",
        "strides": "Make {names} contiguous.",
        "value": "Set {names} to {new}.",
        "shape": "Give {names} the shape {new}.",
        "padded": "Add axes of size 1 to {names}, so that the shape is {new}.",
        "flat": "Flatten the leading axes of {names} to the shape {new}.",
        "null": "Pass {new} as {names}.",
        "nothing": "no tensor (null)",
    },
    "zh": {
        "dtype": "将 {names} 的数据类型改为 {new}。",
        "small": "将 {names} 的数据类型改为 {new}（超过 65504 的数变为无穷）。",
        "format": "将 {names} 的数据格式改为 {new}。",
        "strides": "使 {names} 连续。",
        "value": "将 {names} 设为 {new}。",
        "shape": "将 {names} 的形状改为 {new}。",
        "padded": "为 {names} 增加长度为 1 的轴，使形状为 {new}。",
        "flat": "将 {names} 的前部各轴合为一轴，形状为 {new}。",
        "null": "{names} 传入 {new}。",
        "nothing": "空指针",
    },
}
"""The sentence of a fix for each facet of an argument that it changes."""

ELEMENT_WORDS: Final[Mapping[Lang, Mapping[str, str]]] = {
    "en": {
        "outside": "The element of {name} at {place} ({element}) is outside its range, {range}.",
        "undefined": "The bound of the elements of {name} ({bound}) has no value in this call.",
    },
    "zh": {
        "outside": "{name} 在 {place} 处的元素 ({element}) 超出范围 {range}。",
        "undefined": "{name} 的元素界限 ({bound}) 在该调用中没有值。",
    },
}
"""The sentences about an element outside its bounds, and about a bound that the spec states without a value."""
