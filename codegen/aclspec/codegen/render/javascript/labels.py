"""The words of the question "Would this call work?" on a page, in English and Chinese."""

from __future__ import annotations

from typing import Final

LABELS: Final[dict[str, tuple[str, str]]] = {
    # The form
    "example": ("Start from", "从示例开始"),
    "own_call": ("your own call", "自定义调用"),
    "example_of": ("example: {0}", "示例：{0}"),
    "fails_by": ("a call that fails: {0}", "不通过的调用：{0}"),
    "product": ("Product", "产品"),
    "mode": ("Mode", "模式"),
    "inputs": ("Inputs", "输入"),
    "outputs": ("Outputs", "输出"),
    "null": ("null", "空指针"),
    "inferred": ("as inferred", "自动推导"),
    "dtype": ("dtype", "数据类型"),
    "shape": ("shape", "形状"),
    "format": ("format", "数据格式"),
    "strides": ("strides", "步长"),
    "offset": ("offset", "偏移"),
    "storage": ("storage", "存储形状"),
    "value": ("value", "值"),
    "of_param": ("{0} of {1}", "{1} 的{0}"),
    "default_format": ("default", "默认"),
    "others": ("others", "其他"),
    "memory": ("memory", "内存布局"),
    "contiguous": ("contiguous", "连续"),
    "unknown": ("does not follow from the inputs", "无法由输入推导"),
    # The answer
    "answer": ("Answer", "结论"),
    "works": ("works", "可行"),
    "fails": ("fails", "不通过"),
    "works_early": ("works, and ends early", "可行，提前结束"),
    "cannot_read": ("The form has a value that cannot be read.", "表单中有无法识别的值。"),
    "on_product": ("On {0} in {1} mode:", "{0}，{1} 模式："),
    "no_failure": ("Every rule that applies holds.", "适用的规则全部成立。"),
    "failing_rules": ("Rules that fail", "不成立的规则"),
    "decides": ("decides the status", "决定返回码"),
    "all_rules": ("All rules on all products", "全部规则与全部产品"),
    "rule": ("Rule", "规则"),
    "holds": ("holds", "成立"),
    "n/a": ("does not apply", "不适用"),
    "off": ("not checked here", "此处不检查"),
    "skipped": ("not reached", "未执行到"),
    "link": ("Link to this call", "此调用的链接"),
    "copy_link": ("Copy the link", "复制链接"),
    "copy_python": ("Copy as Python", "复制为 Python"),
    "copied": ("Copied.", "已复制。"),
    "python": ("The call in Python", "此调用的 Python 代码"),
    # What cannot be read
    "bad_tensor": (
        "The tensor ({0}) is not of the form float32[4,2]:NCHW.",
        "张量 ({0}) 不符合 float32[4,2]:NCHW 的写法。",
    ),
    "bad_strides": (
        "The number of strides ({0}) is not the number of dimensions ({1}).",
        "步长个数 ({0}) 不等于维数 ({1})。",
    ),
    "bad_storage": (
        "The view ends at element {0} and leaves its storage, which has {1} elements.",
        "视图终止于第 {0} 个元素，超出了仅有 {1} 个元素的存储。",
    ),
    "bad_int": ("The value ({0}) is not an integer.", "值 ({0}) 不是整数。"),
    "bad_range": ("The value ({0}) is outside its range, {1} to {2}.", "值 ({0}) 超出范围 {1} 至 {2}。"),
    "bad_float": ("The value ({0}) is not a number that the type has.", "值 ({0}) 不是该类型可表示的数。"),
    "bad_bool": ("The value ({0}) is neither true nor false.", "值 ({0}) 既不是 true 也不是 false。"),
    "bad_string": ("The value ({0}) is not a string.", "值 ({0}) 不是字符串。"),
    "bad_dtype": ("The dtype ({0}) is unknown.", "数据类型 ({0}) 未知。"),
    "bad_format": ("The format ({0}) is unknown.", "数据格式 ({0}) 未知。"),
}
