"""How sentences and the reference page speak of the functions of the predicate language, in both languages."""

from __future__ import annotations

from typing import Final, NamedTuple

from aclspec.runtime.language.functions import MAX_RANGE
from aclspec.runtime.rules.operator_info import Text


class Window(NamedTuple):
    """The phrases of a function of many arguments: its name beside its value, and its arguments behind that."""

    brief: Text
    arguments: Text


def _window(en: str, zh: str, *more: tuple[str, str]) -> tuple[Text, Window]:
    """The phrase, and those of a sentence with values, of the output size of a sliding window along one axis."""
    names = (
        *(("size", "大小"), ("kernel", "核"), ("stride", "步长")),
        *(("padding before", "前填充"), ("padding after", "后填充"), ("dilation", "膨胀")),
        *more,
    )
    places = [(f"{name} {{{at}}}", f"{other} {{{at}}}") for at, (name, other) in enumerate(names)]
    arguments = Text(", ".join(one for one, _ in places), "、".join(one for _, one in places))
    listed = Text(
        "; ".join(f"{name}: {{{at}}}" for at, (name, _) in enumerate(names)),
        "；".join(f"{name}：{{{at}}}" for at, (_, name) in enumerate(names)),
    )
    brief = Text(f"the output size of the {en}", f"{zh}的输出大小")
    phrase = Text(f"the output size of a {en} ({listed.en})", f"{zh}（{listed.zh}）的输出大小")
    return phrase, Window(brief, arguments)


_WINDOWS: Final = {
    "pool_out": _window("pooling", "池化", ("ceil mode", "向上取整")),
    "conv_out": _window("convolution", "卷积"),
    "conv_transpose_out": _window("transposed convolution", "转置卷积", ("output padding", "输出填充")),
}
WINDOWS: Final = {name: window for name, (_, window) in _WINDOWS.items()}
PHRASES: Final = {
    "rank": Text("the rank of {0}", "{0} 的维数"),
    "numel": Text("the number of elements of {0}", "{0} 的元素个数"),
    "dim": Text("the size of axis {1} of {0}", "{0} 第 {1} 轴的大小"),
    "shape": Text("the shape of {0}", "{0} 的形状"),
    "dtype": Text("the dtype of {0}", "{0} 的数据类型"),
    "format": Text("the format of {0}", "{0} 的数据格式"),
    "is_null": Text("{0} is null", "{0} 为空指针"),
    "is_empty": Text("{0} is empty", "{0} 为空张量"),
    "is_contiguous": Text("{0} is contiguous", "{0} 连续"),
    "is_transposed": Text("the last two axes of {0} are transposed in memory", "{0} 的最后两轴在内存中转置"),
    "strides": Text("the list of strides of {0}", "{0} 的步长"),
    "storage_shape": Text("the storage shape of {0}", "{0} 的存储形状"),
    "value": Text("the value of {0}", "{0} 的值"),
    "is_private": Text("{0} is private to the hardware", "{0} 是硬件私有格式"),
    "len": Text("the length of {0}", "{0} 的长度"),
    "prod": Text("the product of {0}", "{0} 各元素之积"),
    "sum": Text("the sum of {0}", "{0} 各元素之和"),
    "min": Text("the smallest of {args}", "{args} 中的最小值"),
    "max": Text("the largest of {args}", "{args} 中的最大值"),
    "abs": Text("the absolute value of {0}", "{0} 的绝对值"),
    "ceil_div": Text("{0} divided by {1}, rounded up", "{0} 除以 {1} 向上取整"),
    "broadcast": Text("the shape that {0} and {1} broadcast to", "{0} 和 {1} 广播后的形状"),
    "broadcastable": Text("{0} and {1} broadcast", "{0} 与 {1} 可广播"),
    "indexable": Text("{0} can be indexed by {1}", "{1} 可作为 {0} 的下标"),
    "index_shape": Text("the shape that {1} choose from {0}", "由 {1} 从 {0} 选取所得的形状"),
    "range_len": Text(
        "the number of elements from {0} up to but not including {1} by {2}",
        "从 {0} 起到 {1} 为止（不含）、步长为 {2} 的元素个数",
    ),
    "range": Text("the range of integers from {0} up to but not including {1}", "从 {0} 起到 {1} 为止（不含）的整数"),
    "promotable": Text("{0} and {1} have a common dtype", "{0} 与 {1} 有公共数据类型"),
    "promote": Text("the common dtype of {0} and {1}", "{0} 和 {1} 提升后的数据类型"),
    "promotable_all": Text("{0} have a common dtype", "{0} 有公共数据类型"),
    "promote_all": Text("the common dtype of {0}", "{0} 提升后的数据类型"),
    "castable": Text("{0} can be converted to {1}", "{0} 可转换为 {1}"),
    "itemsize": Text("the size of an element of {0} in bytes", "{0} 每个元素的字节数"),
    "bits": Text("the number of bits of an element of {0}", "{0} 每个元素的位数"),
    "scaled": Text("{0} times {1}, rounded down", "{0} 乘以 {1} 向下取整"),
    "slice": Text("the part of {0} from index {1} up to but not including {2}", "{0} 中下标 {1} 至 {2}（不含）的部分"),
    "replace": Text("{0} with {2} at index {1}", "{0} 中下标 {1} 处改为 {2} 的结果"),
    "remove": Text("{0} without index {1}", "{0} 去掉下标 {1} 的结果"),
    "insert": Text("{0} with {2} inserted at index {1}", "{0} 在下标 {1} 处插入 {2} 的结果"),
    "reduce": Text("{0} reduced along axes {1} (keeping them as 1: {2})", "{0} 沿轴 {1} 归约（保留为 1：{2}）后的形状"),
    "wrap": Text("{0} counted from the front of {1}", "在 {1} 中自首轴数起的 {0}"),
    "distinct": Text("{0} is free of repeated elements", "{0} 不含相等的元素"),
    **{name: phrase for name, (phrase, _) in _WINDOWS.items()},
}
"""Noun phrases with ``{0}``, ``{1}`` for the arguments (``{args}``: all of them); clauses for a result of type bool."""
NEGATED: Final = {
    "is_null": Text("{0} is not null", "{0} 不为空指针"),
    "is_empty": Text("{0} is not empty", "{0} 不为空张量"),
    "is_contiguous": Text("{0} is not contiguous", "{0} 不连续"),
    "is_transposed": Text("the last two axes of {0} are not transposed in memory", "{0} 的最后两轴在内存中未转置"),
    "is_private": Text("{0} is not private to the hardware", "{0} 不是硬件私有格式"),
    "distinct": Text("{0} is not free of repeated elements", "{0} 含有相等的元素"),
    "broadcastable": Text("{0} and {1} do not broadcast", "{0} 与 {1} 无法广播"),
    "indexable": Text("{0} cannot be indexed by {1}", "{1} 不可作为 {0} 的下标"),
    "castable": Text("{0} cannot be converted to {1}", "{0} 不可转换为 {1}"),
    "promotable": Text("{0} and {1} have no common dtype", "{0} 与 {1} 无公共数据类型"),
    "promotable_all": Text("{0} have no common dtype", "{0} 无公共数据类型"),
}
"""The clauses for a result that is false."""
DOCS: Final = {
    "rank": Text("The number of dimensions of the view shape.", "视图形状的维数。"),
    "numel": Text("The product of the view shape; 1 for rank 0.", "视图形状各维之积；0 维时为 1。"),
    "dim": Text(
        "The size of one axis; undefined unless 0 <= axis < rank.", "某一轴的大小；轴号不在 [0, 维数) 内时无定义。"
    ),
    "shape": Text("The view shape.", "视图形状。"),
    "dtype": Text("The dtype of a tensor or of a scalar.", "张量或标量的数据类型。"),
    "format": Text("The format of a tensor.", "张量的数据格式。"),
    "is_null": Text("Whether a parameter is a null pointer; never undefined.", "参数是否为空指针；总有定义。"),
    "is_empty": Text("Whether some dimension is 0.", "是否有某一维为 0。"),
    "is_contiguous": Text("Whether the strides are those of row-major order.", "步长是否为行主序步长。"),
    "is_transposed": Text(
        "Whether the strides are those of a contiguous tensor with its last two axes swapped; false below rank 2.",
        "步长是否为连续张量交换最后两轴后的步长；不足 2 维时为假。",
    ),
    "strides": Text("The step of each axis, in elements.", "各轴的步长，以元素计。"),
    "storage_shape": Text("The shape of the storage that the tensor views.", "张量所视存储的形状。"),
    "value": Text(
        "The number of a scalar, compared exactly whether it is an integer or not; undefined for a complex dtype.",
        "标量的数值，整数与浮点数均按精确值比较；复数类型时无定义。",
    ),
    "is_private": Text("Whether a format is private to the hardware.", "数据格式是否为硬件私有格式。"),
    "len": Text("The number of elements of a list or an array parameter.", "列表或数组参数的元素个数。"),
    "prod": Text("The product of the elements; 1 for an empty list.", "各元素之积；空列表时为 1。"),
    "sum": Text("The sum of the elements; 0 for an empty list.", "各元素之和；空列表时为 0。"),
    "min": Text(
        "The smallest of the arguments, or of the elements of one list; undefined for an empty list.",
        "各参数（或单个列表的各元素）中的最小值；空列表时无定义。",
    ),
    "max": Text(
        "The largest of the arguments, or of the elements of one list; undefined for an empty list.",
        "各参数（或单个列表的各元素）中的最大值；空列表时无定义。",
    ),
    "abs": Text("The absolute value.", "绝对值。"),
    "ceil_div": Text("The quotient rounded up; undefined when the divisor is 0.", "向上取整的商；除数为 0 时无定义。"),
    "pool_out": Text(
        "pool_out(size, kernel, stride, pad_before, pad_after, dilation, ceil_mode): (size + pad_before + "
        "pad_after - dilation * (kernel - 1) - 1) // stride + 1, with stride - 1 added to the dividend in ceil "
        "mode; in ceil mode, one less when (out - 1) * stride >= size + pad_before, so that the last window "
        "starts inside. Undefined when stride <= 0.",
        "pool_out(size, kernel, stride, pad_before, pad_after, dilation, ceil_mode)：(size + pad_before + "
        "pad_after - dilation * (kernel - 1) - 1) // stride + 1，向上取整模式下被除数加 stride - 1；此时若 (out "
        "- 1) * stride >= size + pad_before，则再减 1，使最后一个窗口从输入之内开始。stride <= 0 时无定义。",
    ),
    "conv_out": Text(
        "conv_out(size, kernel, stride, pad_before, pad_after, dilation): (size + pad_before + pad_after - "
        "dilation * (kernel - 1) - 1) // stride + 1. Undefined when stride <= 0.",
        "conv_out(size, kernel, stride, pad_before, pad_after, dilation)：(size + pad_before + pad_after - "
        "dilation * (kernel - 1) - 1) // stride + 1。stride <= 0 时无定义。",
    ),
    "conv_transpose_out": Text(
        "conv_transpose_out(size, kernel, stride, pad_before, pad_after, dilation, output_padding): (size - 1) * "
        "stride - pad_before - pad_after + dilation * (kernel - 1) + output_padding + 1. Undefined when stride "
        "<= 0.",
        "conv_transpose_out(size, kernel, stride, pad_before, pad_after, dilation, output_padding)：(size - 1) * "
        "stride - pad_before - pad_after + dilation * (kernel - 1) + output_padding + 1。stride <= 0 时无定义。",
    ),
    "broadcast": Text(
        "The common shape of two shapes; undefined when they do not broadcast.",
        "两个形状广播后的形状；无法广播时无定义。",
    ),
    "broadcastable": Text("Whether two shapes broadcast.", "两个形状是否可广播。"),
    "indexable": Text(
        "indexable(shape, indices): whether index_shape has a value.",
        "indexable(shape, indices)：index_shape 是否有定义。",
    ),
    "index_shape": Text(
        "index_shape(shape, indices): the shape of what tensors of indices choose, each for one of the first axes. One "
        "without elements stands for a whole axis. The axes to which the others broadcast take the place of the axes "
        "that these are for, or come first where whole axes stand between. Undefined where the indices do not "
        "broadcast, are more than the axes, or none of them has elements.",
        "index_shape(shape, indices)：由若干下标张量选取所得的形状，各下标依次对应前若干轴，没有元素者表示取整个轴。"
        "其余下标广播后的轴取代其所对应的轴；若其间有整轴，则位于最前。"
        "下标无法广播、多于轴数或均没有元素时无定义。",
    ),
    "range_len": Text(
        "range_len(start, stop, step): the quotient of stop - start and step rounded up, and at least 0; integers are "
        "divided exactly, other numbers in DOUBLE. 0 when the quotient is not a number, undefined when step is 0.",
        "range_len(start, stop, step)：stop - start 除以 step 向上取整，且不小于 0；整数精确相除，"
        "其他数以 DOUBLE 相除。商不是数时为 0；step 为 0 时无定义。",
    ),
    "range": Text(
        f"The integers start <= i < stop, none when stop <= start; undefined for more than {MAX_RANGE} of them.",
        f"满足 start <= i < stop 的整数，stop <= start 时为空；超过 {MAX_RANGE} 个时无定义。",
    ),
    "promotable": Text("Whether promote has a value.", "promote 是否有定义。"),
    "promotable_all": Text("Whether promote_all has a value.", "promote_all 是否有定义。"),
    "promote_all": Text(
        "The dtype that all dtypes of a list promote to, one after the other; undefined for an empty list.",
        "列表中的数据类型依次提升所得的类型；空列表时无定义。",
    ),
    "promote": Text(
        "The dtype that both promote to: the narrowest one above both, where BOOL is below the integers, these "
        "are below the floating dtypes and those below the complex ones; UINT8 and INT8 meet in INT16, FLOAT16 "
        "and BF16 in FLOAT, BF16 and COMPLEX32 in COMPLEX32. A scalar changes the dtype of a tensor only where it "
        "is of a higher kind (bool, integer, floating, complex): an integer gives a BOOL tensor its own dtype, a "
        "floating scalar FLOAT, a complex one COMPLEX64, for a FLOAT16 tensor COMPLEX32 and for a DOUBLE one "
        "COMPLEX128. Undefined where there is no common dtype.",
        "二者提升后的数据类型：不低于二者的最窄类型，次序为 BOOL、整数、浮点、复数；UINT8 与 INT8 得 INT16，"
        "FLOAT16 与 BF16 得 FLOAT，BF16 与 COMPLEX32 得 COMPLEX32。"
        "标量仅在类别（布尔、整数、浮点、复数）高于张量时改变张量的类型：整数标量使 BOOL 张量取标量的类型，"
        "浮点标量得 FLOAT，复数标量得 COMPLEX64（FLOAT16 张量得 COMPLEX32，"
        "DOUBLE 张量得 COMPLEX128）。无公共类型时无定义。",
    ),
    "itemsize": Text(
        "The bytes of an element; 1 for a dtype narrower than a byte, 0 for one without a size.",
        "一个元素的字节数；不足一字节的类型为 1，无大小的类型为 0。",
    ),
    "bits": Text(
        "The bits of an element, such as 4 of INT4; 0 for a dtype without a size.",
        "一个元素的位数，如 INT4 为 4；无大小的类型为 0。",
    ),
    "castable": Text(
        "Whether values of the first dtype may be converted to the second: never from complex to real, from "
        "floating to integer or bool, nor from integer to bool; a dtype that does not promote, such as FLOAT8_E5M2, "
        "only to itself.",
        "第一种数据类型的值可否转换为第二种：复数不可转实数，浮点不可转整数或布尔，整数不可转布尔；"
        "不参与提升的类型（如 FLOAT8_E5M2）只可转换为自身。",
    ),
    "scaled": Text(
        "The product with a factor, rounded down, and no further from 0 than the largest int64; 0 when the "
        "product is not a number.",
        "与系数之积向下取整，绝对值不超过 int64 的最大值；积不是数时为 0。",
    ),
    "slice": Text(
        "The elements start <= i < stop; undefined unless 0 <= start <= stop <= length.",
        "下标 start <= i < stop 的元素；不满足 0 <= start <= stop <= 长度时无定义。",
    ),
    "replace": Text(
        "replace(list, index, value): the list with another value at an index; undefined unless 0 <= index < length.",
        "replace(list, index, value)：将下标 index 处的值换成 value；不满足 0 <= index < 长度时无定义。",
    ),
    "remove": Text(
        "remove(list, index): the list without the value at an index; undefined unless 0 <= index < length.",
        "remove(list, index)：去掉下标 index 处的值；不满足 0 <= index < 长度时无定义。",
    ),
    "insert": Text(
        "insert(list, index, value): the list with one more value before an index, or at its end; undefined unless "
        "0 <= index <= length.",
        "insert(list, index, value)：在下标 index 之前（或末尾）插入 value；不满足 0 <= index <= 长度时无定义。",
    ),
    "reduce": Text(
        "reduce(shape, axes, keep): the shape without these axes, or with size 1 in their place where keep is true. "
        "A negative axis counts from the end, and one named twice counts once; undefined unless -rank <= axis < rank "
        "for each.",
        "reduce(shape, axes, keep)：去掉这些轴后的形状，keep 为真时各轴保留为 1。负轴自末轴数起，重复的轴计一次；"
        "任一轴不满足 -维数 <= 轴 < 维数时无定义。",
    ),
    "wrap": Text(
        "wrap(axis, rank): the axis, or axis + rank where it is negative; undefined unless -rank <= axis < rank.",
        "wrap(axis, rank)：轴号，为负时加上 rank；不满足 -rank <= axis < rank 时无定义。",
    ),
    "distinct": Text("Whether no two elements are equal.", "是否没有相等的元素。"),
}
"""What a function computes, and where it is undefined."""
