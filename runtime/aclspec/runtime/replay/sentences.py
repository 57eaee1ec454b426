"""Why something cannot be done with a call, in both languages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from aclspec.runtime.rules.sentences import Lang

SENTENCES: Final[Mapping[str, Mapping[Lang, str]]] = {
    "no spec": {"en": "The operator has no spec.", "zh": "该算子没有规格。"},
    "no kernel": {"en": "The operator has no kernel.", "zh": "该算子没有计算实现。"},
    "refused": {"en": "The call is refused by {rule}.", "zh": "该调用被规则 {rule} 拒绝。"},
    "complex": {"en": "Complex numbers are not compared.", "zh": "复数不作比较。"},
    "undefined": {"en": "The result of the call is undefined.", "zh": "该调用的结果未定义。"},
    "unexplained": {"en": "No rule of the specs explains this.", "zh": "规格中没有规则可解释此失败。"},
    "phase two": {"en": "Phase two failed.", "zh": "第二段接口失败。"},
    "alone": {
        "en": "Phase two was refused; its phase one was not recorded.",
        "zh": "第二段接口被拒绝；其第一段接口未录制。",
    },
    "unknown product": {"en": "an unknown product", "zh": "未知产品"},
    "another signature": {
        "en": "The operator has no parameter {name}: the recording has another signature.",
        "zh": "该算子没有参数 {name}：录制使用了另一种签名。",
    },
    "no argument": {"en": "The recording has no {name}.", "zh": "录制中没有 {name}。"},
    "destroyed": {
        "en": "The content of {name} was destroyed before the call.",
        "zh": "{name} 的内容在调用前已被销毁。",
    },
    "unknown": {
        "en": "The content of {name} was not seen when it was created.",
        "zh": "{name} 创建时未被看到，其内容未知。",
    },
    "cut": {
        "en": "The value of {name} was cut: it is longer than a recording holds.",
        "zh": "{name} 的值已截断：其长度超出录制所能容纳的范围。",
    },
    "unreadable value": {
        "en": "The value of {name} ({value}) cannot be read.",
        "zh": "无法读取 {name} 的值（{value}）。",
    },
    "no data": {"en": "The recording has no data of {name}.", "zh": "录制中没有 {name} 的数据。"},
    "not recorded": {"en": "The data of {name} was not recorded.", "zh": "未录制 {name} 的数据。"},
    "missing": {"en": "The data of {name} is missing: {why}.", "zh": "缺少 {name} 的数据：{why}。"},
    "all missing": {"en": "Recorded data is missing: {why}.", "zh": "缺少录制的数据：{why}。"},
    "private": {
        "en": "The format of {name} ({format}) is private: nothing here computes on its storage.",
        "zh": "{name} 的格式（{format}）是私有格式：此处无法用其存储计算。",
    },
    "no arithmetic": {
        "en": "The dtype of {name} ({dtype}) has no arithmetic here.",
        "zh": "此处无法计算 {name} 的数据类型（{dtype}）。",
    },
    "outside": {
        "en": "The data of {name} ({file}) is no regular file below the folder of the recording.",
        "zh": "{name} 的数据（{file}）不是录制所在目录下的普通文件。",
    },
    "unreadable file": {
        "en": "The data of {name} ({file}) cannot be read.",
        "zh": "无法读取 {name} 的数据（{file}）。",
    },
    "another shape": {
        "en": "The data of {name} ({file}) is of another shape or dtype than the call.",
        "zh": "{name} 的数据（{file}）与调用的形状或数据类型不同。",
    },
    "no number": {
        "en": "There is no number within the bounds of an input.",
        "zh": "某个输入的取值范围内没有任何数。",
    },
    "size": {
        "en": "The size of {name} ({tensor}) is not one to make numbers for.",
        "zh": "{name} 的大小（{tensor}）不适合生成数据。",
    },
    "kernels numpy": {
        "en": "The kernels of NumPy compute on the host.",
        "zh": "主机上由 NumPy 内核计算。",
    },
    "kernels torch": {
        "en": "The kernels of PyTorch compute on the host, and those of NumPy where PyTorch has none.",
        "zh": "主机上由 PyTorch 内核计算，PyTorch 没有的内核由 NumPy 计算。",
    },
    "computed": {
        "en": "{output} of {backend} ({found:.6g}, expected {expected:.6g})",
        "zh": "{backend} 的 {output}（{found:.6g}，应为 {expected:.6g}）",
    },
    "as recorded": {
        "en": "{output} as recorded ({found:.6g}, expected {expected:.6g})",
        "zh": "录制的 {output}（{found:.6g}，应为 {expected:.6g}）",
    },
    "cut off": {"en": "{where} is cut off and left out.", "zh": "{where} 不完整，已略去。"},
    "not read": {"en": "A refused call cannot be shown: {why}.", "zh": "无法显示一个被拒绝的调用：{why}。"},
    "no call": {"en": "The file {path} holds no call.", "zh": "文件 {path} 中没有调用。"},
}
MISSING: Final[Mapping[str, Mapping[Lang, str]]] = {
    "captured": {"en": "a graph was captured", "zh": "当时正在捕获图"},
    "limit": {"en": "the limit of bytes was reached", "zh": "已达到字节上限"},
    "failed": {"en": "phase two or the copy failed", "zh": "第二段接口或拷贝失败"},
    "dtype": {"en": "its elements fill no whole bytes", "zh": "其元素不足整字节"},
    "kept": {"en": "CANN had kept the executor", "zh": "执行器是 CANN 缓存的"},
    "busy": {"en": "another thread ran the executor", "zh": "另一线程正在运行该执行器"},
    "cut": {"en": "the call has more tensors than a line holds", "zh": "调用的张量数超出一行所能容纳的范围"},
    "moved": {"en": "an address was set of a tensor that is not known", "zh": "为未知的张量设置了地址"},
    "unseen": {"en": "the creation of its tensors was not seen", "zh": "未看到其张量的创建"},
}
"""The reasons that a recording gives."""


def say(key: str, lang: Lang, **values: object) -> str:
    """A sentence of these values."""
    return SENTENCES[key][lang].format(**values)


class Unable(Exception):
    """Something cannot be done with a call; it is said in the reader's language."""

    def __init__(self, key: str, **values: object) -> None:
        """By the key of a sentence, and its values; ``why`` is a reason that a recording gives."""
        self.key, self.values = key, values
        super().__init__(self.sentence("en"))

    def sentence(self, lang: Lang) -> str:
        """The sentence in a language."""
        why = self.values.get("why")
        known = {"why": MISSING[why][lang]} if isinstance(why, str) and why in MISSING else {}
        return say(self.key, lang, **self.values | known)
