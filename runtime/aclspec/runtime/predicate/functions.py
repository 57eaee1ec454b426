"""The fixed library of the predicate language: one table of names, types and phrases.

The type checker, the interpreter, the emitter of generated checks, the sentence writer and the grammar page all
read this table; what a function computes is written by the interpreter and by the emitter, each for itself.

A predicate type is one of `TYPES`. A list type names its element type in `ELEMENTS`. Every function is strict:
an undefined argument makes the result undefined. An argument is undefined where it is a fact of a null parameter;
``is_null`` alone looks at the parameter itself.
"""

from __future__ import annotations

from aclspec.runtime.info import Text
from aclspec.runtime.predicate.signatures import Function, Overload, extreme, one, windowed

ELEMENTS: dict[str, str] = {
    "ints": "int",
    "bools": "bool",
    "floats": "float",
    "strings": "string",
    "dtypes": "dtype",
    "formats": "format",
    "tensors": "tensor",
    "scalars": "scalar",
}
LISTS: dict[str, str] = {element: name for name, element in ELEMENTS.items()}
TYPES: tuple[str, ...] = ("bool", "int", "float", "string", "dtype", "format", "tensor", "scalar", *ELEMENTS)
NULLABLE: tuple[str, ...] = ("tensor", "scalar", "string", "ints", "bools", "floats", "tensors", "scalars")
MAX_RANGE = 65_536
"""``range`` of more integers than this is undefined, so that no predicate can run for ever."""

_TABLE = (
    Function(
        "rank",
        one("tensor", "int"),
        Text("the rank of {0}", "{0} 的维数"),
        Text("The number of dimensions of the view shape.", "视图形状的维数。"),
    ),
    Function(
        "numel",
        one("tensor", "int"),
        Text("the number of elements of {0}", "{0} 的元素个数"),
        Text("The product of the view shape; 1 for rank 0.", "视图形状各维之积；0 维时为 1。"),
    ),
    Function(
        "dim",
        one("tensor int", "int"),
        Text("the size of axis {1} of {0}", "{0} 第 {1} 轴的大小"),
        Text(
            "The size of one axis; undefined unless 0 <= axis < rank.", "某一轴的大小；轴号不在 [0, 维数) 内时无定义。"
        ),
    ),
    Function(
        "shape",
        one("tensor", "ints"),
        Text("the shape of {0}", "{0} 的形状"),
        Text("The view shape.", "视图形状。"),
    ),
    Function(
        "dtype",
        (Overload(("tensor",), "dtype"), Overload(("scalar",), "dtype")),
        Text("the dtype of {0}", "{0} 的数据类型"),
        Text("The dtype of a tensor or of a scalar.", "张量或标量的数据类型。"),
    ),
    Function(
        "format",
        one("tensor", "format"),
        Text("the format of {0}", "{0} 的数据格式"),
        Text("The format of a tensor.", "张量的数据格式。"),
    ),
    Function(
        "is_null",
        tuple(Overload((kind,), "bool") for kind in NULLABLE),
        Text("{0} is null", "{0} 为空指针"),
        Text("Whether a parameter is a null pointer; never undefined.", "参数是否为空指针；总有定义。"),
        Text("{0} is not null", "{0} 不为空指针"),
    ),
    Function(
        "is_empty",
        one("tensor", "bool"),
        Text("{0} is empty", "{0} 为空张量"),
        Text("Whether some dimension is 0.", "是否有某一维为 0。"),
        Text("{0} is not empty", "{0} 不为空张量"),
    ),
    Function(
        "is_contiguous",
        one("tensor", "bool"),
        Text("{0} is contiguous", "{0} 连续"),
        Text("Whether the strides are those of row-major order.", "步长是否为行主序步长。"),
        Text("{0} is not contiguous", "{0} 不连续"),
    ),
    Function(
        "is_private",
        one("format", "bool"),
        Text("{0} is private to the hardware", "{0} 是硬件私有格式"),
        Text("Whether a format is private to the hardware.", "数据格式是否为硬件私有格式。"),
        Text("{0} is not private to the hardware", "{0} 不是硬件私有格式"),
    ),
    Function(
        "len",
        tuple(Overload((kind,), "int") for kind in ELEMENTS),
        Text("the length of {0}", "{0} 的长度"),
        Text("The number of elements of a list or an array parameter.", "列表或数组参数的元素个数。"),
    ),
    Function(
        "prod",
        one("ints", "int"),
        Text("the product of {0}", "{0} 各元素之积"),
        Text("The product of the elements; 1 for an empty list.", "各元素之积；空列表时为 1。"),
    ),
    Function(
        "sum",
        one("ints", "int"),
        Text("the sum of {0}", "{0} 各元素之和"),
        Text("The sum of the elements; 0 for an empty list.", "各元素之和；空列表时为 0。"),
    ),
    extreme("min", "smallest", "最小值"),
    extreme("max", "largest", "最大值"),
    Function(
        "abs",
        (Overload(("int",), "int"), Overload(("float",), "float")),
        Text("the absolute value of {0}", "{0} 的绝对值"),
        Text("The absolute value.", "绝对值。"),
    ),
    Function(
        "ceil_div",
        one("int int", "int"),
        Text("{0} divided by {1}, rounded up", "{0} 除以 {1} 向上取整"),
        Text("The quotient rounded up; undefined when the divisor is 0.", "向上取整的商；除数为 0 时无定义。"),
    ),
    windowed(
        "pool_out",
        Text("pooling", "池化"),
        (("bool", "ceil mode", "向上取整"),),
        Text(
            "pool_out(size, kernel, stride, pad_before, pad_after, dilation, ceil_mode): "
            "(size + pad_before + pad_after - dilation * (kernel - 1) - 1) // stride + 1, with stride - 1 added to "
            "the dividend in ceil mode; in ceil mode, one less when (out - 1) * stride >= size + pad_before, so that "
            "the last window starts inside.",
            "pool_out(size, kernel, stride, pad_before, pad_after, dilation, ceil_mode)："
            "(size + pad_before + pad_after - dilation * (kernel - 1) - 1) // stride + 1，"
            "向上取整模式下被除数加 stride - 1；此时若 (out - 1) * stride >= size + pad_before，则再减 1，"
            "使最后一个窗口从输入之内开始。",
        ),
    ),
    windowed(
        "conv_out",
        Text("convolution", "卷积"),
        (),
        Text(
            "conv_out(size, kernel, stride, pad_before, pad_after, dilation): "
            "(size + pad_before + pad_after - dilation * (kernel - 1) - 1) // stride + 1.",
            "conv_out(size, kernel, stride, pad_before, pad_after, dilation)："
            "(size + pad_before + pad_after - dilation * (kernel - 1) - 1) // stride + 1。",
        ),
    ),
    windowed(
        "conv_transpose_out",
        Text("transposed convolution", "转置卷积"),
        (("int", "output padding", "输出填充"),),
        Text(
            "conv_transpose_out(size, kernel, stride, pad_before, pad_after, dilation, output_padding): "
            "(size - 1) * stride - pad_before - pad_after + dilation * (kernel - 1) + output_padding + 1.",
            "conv_transpose_out(size, kernel, stride, pad_before, pad_after, dilation, output_padding)："
            "(size - 1) * stride - pad_before - pad_after + dilation * (kernel - 1) + output_padding + 1。",
        ),
    ),
    Function(
        "broadcast",
        one("ints ints", "ints"),
        Text("the shape that {0} and {1} broadcast to", "{0} 和 {1} 广播后的形状"),
        Text(
            "The common shape of two shapes; undefined when they do not broadcast.",
            "两个形状广播后的形状；无法广播时无定义。",
        ),
    ),
    Function(
        "broadcastable",
        one("ints ints", "bool"),
        Text("{0} and {1} broadcast", "{0} 与 {1} 可广播"),
        Text("Whether two shapes broadcast.", "两个形状是否可广播。"),
        Text("{0} and {1} do not broadcast", "{0} 与 {1} 无法广播"),
    ),
    Function(
        "range",
        one("int int", "ints"),
        Text("the range of integers from {0} up to but not including {1}", "从 {0} 起到 {1} 为止（不含）的整数"),
        Text(
            f"The integers start <= i < stop, none when stop <= start; undefined for more than {MAX_RANGE} of them.",
            f"满足 start <= i < stop 的整数，stop <= start 时为空；超过 {MAX_RANGE} 个时无定义。",
        ),
    ),
    Function(
        "promote",
        one("dtype dtype", "dtype"),
        Text("the common dtype of {0} and {1}", "{0} 和 {1} 提升后的数据类型"),
        Text(
            "The dtype that both promote to: the narrowest one above both, where BOOL is below the integers, these are "
            "below the floating dtypes and those below the complex ones; UINT8 and INT8 meet in INT16, FLOAT16 and "
            "BF16 in FLOAT. Undefined where there is no common dtype.",
            "二者提升后的数据类型：不低于二者的最窄类型，次序为 BOOL、整数、浮点、复数；"
            "UINT8 与 INT8 得 INT16，FLOAT16 与 BF16 得 FLOAT。无公共类型时无定义。",
        ),
    ),
    Function(
        "castable",
        one("dtype dtype", "bool"),
        Text("{0} can be converted to {1}", "{0} 可转换为 {1}"),
        Text(
            "Whether values of the first dtype may be converted to the second: never from complex to real, from "
            "floating to integer or bool, nor from integer to bool.",
            "第一种数据类型的值可否转换为第二种：复数不可转实数，浮点不可转整数或布尔，整数不可转布尔。",
        ),
        Text("{0} cannot be converted to {1}", "{0} 不可转换为 {1}"),
    ),
    Function(
        "scaled",
        one("int float", "int"),
        Text("{0} times {1}, rounded down", "{0} 乘以 {1} 向下取整"),
        Text(
            "The product with a factor, rounded down, and no further from 0 than the largest int64; 0 when the product "
            "is not a number.",
            "与系数之积向下取整，绝对值不超过 int64 的最大值；积不是数时为 0。",
        ),
    ),
    Function(
        "slice",
        one("ints int int", "ints"),
        Text("the part of {0} from index {1} up to but not including {2}", "{0} 中下标 {1} 至 {2}（不含）的部分"),
        Text(
            "The elements start <= i < stop; undefined unless 0 <= start <= stop <= length.",
            "下标 start <= i < stop 的元素；不满足 0 <= start <= stop <= 长度时无定义。",
        ),
    ),
)

FUNCTIONS: dict[str, Function] = {function.name: function for function in _TABLE}
