"""The words of the answers to pasted texts, in both languages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from aclspec.runtime.rules.sentences import Lang

WORDS: Final[Mapping[Lang, Mapping[str, str]]] = {
    "en": {
        "check": "Check, in this order:",
        "next": "next:",
        "for": "{0} on {1}",
        "refuses": "{param} may not be {dtype} on {product}; it must be {taken}.",
        "none taken": "{param} may not be {dtype} on {product}: no dtype of it is taken there.",
        "keeps": "{0} keeps the most.",
        "takes": "{param} may be {dtype} on {product}; the other arguments decide.",
        "told": "The installed CANN takes {told} for {param}, and not {dtype}.",
        "other list": "The rules known here, those of the newest CANN, list {taken}.",
        "no parameter": "The operator has no parameter {0}; its parameters are {1}.",
        "rules": "These checks of the operator answer {status}:",
        "rules of": "These checks of {names} answer {status}:",
        "no rules of": "No check that is known here answers {status}.",
        "rule": "{id}: {says}",
        "more rules": "and {0} more: {1}",
        "unknown rule": "The operator has no rule {0}; this aclspec may be of another version than the text.",
        "declared": "Only the signature of {0} is known here, so no check of it can be named.",
        "not listed": "The document of {0} does not list {1}.",
        "code": "{0} is a code about which no more is known here.",
        "means": "{title}. {doc}",
        "type": "The operator type {0} belongs to {1}, as far as its name says.",
        "type unknown": "No operator that is known here has the type {0}.",
        "torch": "{0} calls {1} on an NPU.",
        "torch unknown": "It is not known here which operator {0} calls.",
        "function": "The backend of ggml called CANN in {0}.",
        "library": "The library is {0}.",
        "symbol": "The symbol is {0}.",
        "cann": "The text names CANN {0}; the rules known here are those of the newest.",
        "ask operator": "The text does not name the operator; a line with aclnn... or a function of PyTorch does.",
        "ask soc": "The text does not name the SoC; npu-smi info shows it. Then: --product SOC",
        "ask call": "The text does not hold the call. Give the dtype and the shape of each tensor:",
        "ask missing": "The text does not say {0}.",
        "record": "aclspec layer run --record calls.jsonl -- PROGRAM",
        "read": "Read as: {0}",
        "read code": "Line {line}, {function}, read as: {call}",
        "not read": "The argument {0} of {1} was not understood.",
        "others": "The function may also call {0}.",
        "cut": "The text has {0} characters; the first {1} were read.",
        "binary": "The text holds characters that are no text; they were left out.",
        "nothing": "Nothing in this text is known here. A line with the name of an operator (aclnn...), "
        "a code such as 161002, a call, a line of a recording or Python code is.",
        "or": " or ",
        "comma": ", ",
        "and": " and ",
        "all": "all products",
    },
    "zh": {
        "check": "请依次检查：",
        "next": "下一步：",
        "for": "{0}，{1}",
        "refuses": "{param} 在 {product} 上不能为 {dtype}；应为 {taken}。",
        "none taken": "{param} 在 {product} 上不能为 {dtype}：不支持它的任何数据类型。",
        "keeps": "{0} 保留的信息最多。",
        "takes": "{param} 在 {product} 上可以为 {dtype}；取决于其他参数。",
        "told": "安装的 CANN 对 {param} 接受 {told}，不接受 {dtype}。",
        "other list": "此处已知的规则（对应最新 CANN）列出 {taken}。",
        "no parameter": "该算子没有参数 {0}；其参数为 {1}。",
        "rules": "该算子的以下检查返回 {status}：",
        "rules of": "{names} 的以下检查返回 {status}：",
        "no rules of": "此处已知的检查都不返回 {status}。",
        "rule": "{id}：{says}",
        "more rules": "另有 {0} 条：{1}",
        "unknown rule": "该算子没有规则 {0}；文本可能来自其他版本的 aclspec。",
        "declared": "此处仅知 {0} 的签名，无法指出其检查。",
        "not listed": "{0} 的文档未列出 {1}。",
        "code": "此处没有错误码 {0} 的更多信息。",
        "means": "{title}。{doc}",
        "type": "从名称看，算子类型 {0} 属于 {1}。",
        "type unknown": "此处已知的算子中没有类型 {0}。",
        "torch": "{0} 在 NPU 上调用 {1}。",
        "torch unknown": "此处不知道 {0} 调用哪个算子。",
        "function": "ggml 后端在 {0} 中调用了 CANN。",
        "library": "涉及的库为 {0}。",
        "symbol": "涉及的符号为 {0}。",
        "cann": "文本提到 CANN {0}；此处的规则对应最新版本。",
        "ask operator": "文本未给出算子；含 aclnn... 或 PyTorch 函数名的行会给出。",
        "ask soc": "文本未给出 SoC；可用 npu-smi info 查看，然后加上：--product SOC",
        "ask call": "文本不含完整调用。请给出每个张量的数据类型与形状：",
        "ask missing": "文本未给出 {0}。",
        "record": "aclspec layer run --record calls.jsonl -- PROGRAM",
        "read": "读作：{0}",
        "read code": "第 {line} 行的 {function} 读作：{call}",
        "not read": "未能理解 {1} 的参数 {0}。",
        "others": "该函数也可能调用 {0}。",
        "cut": "文本有 {0} 个字符；只读取了前 {1} 个。",
        "binary": "文本含有非文本字符，已忽略。",
        "nothing": "此文本中没有可识别的内容。可识别的有："
        "含算子名（aclnn...）的行、161002 之类的错误码、一次调用、录制中的一行，或 Python 代码。",
        "or": " 或 ",
        "comma": "、",
        "and": " 与 ",
        "all": "所有产品",
    },
}


def joined(lang: Lang, items: tuple[str, ...], last: str = "and") -> str:
    """Several nouns as one: "a, b and c"."""
    words = WORDS[lang]
    *head, tail = items or ("",)
    return f"{words['comma'].join(head)}{words[last]}{tail}" if head else tail
