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
    "all_dtypes": ("dtype of all tensors", "所有张量的数据类型"),
    "paste": ("Paste a call", "粘贴一次调用"),
    "paste_here": ("a line of a log or of a recording, or C++", "日志或录制文件中的一行，或 C++ 代码"),
    "pasted": ("{0} arguments filled in.", "已填入 {0} 个参数。"),
    "not_pasted": ("Not found in it: {0}.", "未找到：{0}。"),
    "bad_paste": (
        "The text is neither a line of a log or a recording nor a call of {0} in C++.",
        "该文本既不是日志或录制文件中的一行，也不是 {0} 的 C++ 调用。",
    ),
    "other_operator": ("The text is a call of {0}, not of {1}.", "该文本是 {0} 的调用，而不是 {1} 的调用。"),
    "product_note": (
        "{0} means {1} here; a SoC of {2} has that name.",
        "此处 {0} 指 {1}；{2} 的一款 SoC 也使用该名称。",
    ),
    "bad_product": (
        "The product ({0}) is unknown; the products are {1}.",
        "产品 ({0}) 未知；可选产品为 {1}。",
    ),
    "ambiguous_product": ("The product ({0}) is ambiguous: it may mean {1}.", "产品 ({0}) 有歧义：可能指 {1}。"),
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
    "other_value": ("other value", "其他值"),
    "of_param": ("{0} of {1}", "{1} 的{0}"),
    "default_format": ("default", "默认"),
    "others": ("others", "其他"),
    "memory": ("memory", "内存布局"),
    "contiguous": ("contiguous", "连续"),
    "unknown": ("does not follow from the inputs", "无法由输入推导"),
    # The answer
    "answer": ("Answer of each product", "各产品的结论"),
    "cannot_read": ("The form has a value that cannot be read.", "表单中有无法识别的值。"),
    "all_rules": ("All rules on all products", "全部规则与全部产品"),
    "two_marks": ("two marks: CANN, its document", "两个标记：CANN、其文档"),
    "apply": ("Apply", "应用"),
    "fails": ("fails", "不通过"),
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
