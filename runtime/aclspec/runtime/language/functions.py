"""The functions of the predicate language: one table of their types, domains, phrases and documentation.

A function is a row of `TABLE`. What it computes is written for the evaluator (`library`), for generated checks in
Python (`aclspec.runtime.rules.shapes`, under the same name), in C (`aclspec.codegen.emit.c.functions`) and for the
pages in JavaScript (``values.js``).

A predicate type is one of `TYPES`. A list type names its element type in `ELEMENTS`. Every function is strict:
an undefined argument makes the result undefined. An argument is undefined where it is a fact of a null parameter;
``is_null`` alone looks at the parameter itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from aclspec.runtime.abi.parameters import MAX_LENGTH
from aclspec.runtime.language.text import Text

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
MAX_RANGE: Final = MAX_LENGTH
"""``range`` of more integers than this is undefined, so that no predicate can run for ever; no list is longer."""


@dataclass(frozen=True, slots=True)
class Overload:
    """Argument types and the result type; with ``variadic`` the last argument may be repeated."""

    args: tuple[str, ...]
    result: str
    variadic: bool = False

    def accepts_count(self, count: int) -> bool:
        """Whether a call may have this many arguments."""
        return count >= len(self.args) if self.variadic else count == len(self.args)


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


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the language.

    ``signature`` has its overloads, with bars between them; a last argument that may be repeated has a star.
    ``phrase`` is a noun phrase with ``{0}``, ``{1}`` for the arguments (``{args}``: all of them), or a clause for a
    result of type bool; ``negated`` is the clause where that is false. One of many arguments also has a `Window`.
    ``domain`` says where it has a value: a predicate of its arguments, ``a`` the first; without one it always has.
    """

    name: str
    signature: str
    phrase: Text | tuple[Text, Window]
    doc: Text
    domain: str = ""
    negated: Text | None = None

    @property
    def overloads(self) -> tuple[Overload, ...]:
        """The overloads of the signature."""
        return tuple(map(_overload, self.signature.split(" | ")))


def _overload(text: str) -> Overload:
    args, _, result = text.partition(" -> ")
    return Overload(tuple(args.removesuffix("*").split()), result, args.endswith("*"))


TABLE: Final = (
    Function(
        "rank",
        "tensor -> int",
        Text("the rank of {0}", "{0} 的维数"),
        Text("The number of dimensions of the view shape.", "视图形状的维数。"),
    ),
    Function(
        "numel",
        "tensor -> int",
        Text("the number of elements of {0}", "{0} 的元素个数"),
        Text("The product of the view shape; 1 for rank 0.", "视图形状各维之积；0 维时为 1。"),
    ),
    Function(
        "dim",
        "tensor int -> int",
        Text("the size of axis {1} of {0}", "{0} 第 {1} 轴的大小"),
        Text(
            "The size of one axis; undefined unless 0 <= axis < rank.", "某一轴的大小；轴号不在 [0, 维数) 内时无定义。"
        ),
    ),
    Function("shape", "tensor -> ints", Text("the shape of {0}", "{0} 的形状"), Text("The view shape.", "视图形状。")),
    Function(
        "dtype",
        "tensor -> dtype | scalar -> dtype",
        Text("the dtype of {0}", "{0} 的数据类型"),
        Text("The dtype of a tensor or of a scalar.", "张量或标量的数据类型。"),
    ),
    Function(
        "format",
        "tensor -> format",
        Text("the format of {0}", "{0} 的数据格式"),
        Text("The format of a tensor.", "张量的数据格式。"),
    ),
    Function(
        "is_null",
        " | ".join(f"{kind} -> bool" for kind in NULLABLE),
        Text("{0} is null", "{0} 为空指针"),
        Text("Whether a parameter is a null pointer; never undefined.", "参数是否为空指针；总有定义。"),
        negated=Text("{0} is not null", "{0} 不为空指针"),
    ),
    Function(
        "is_empty",
        "tensor -> bool",
        Text("{0} is empty", "{0} 为空张量"),
        Text("Whether some dimension is 0.", "是否有某一维为 0。"),
        negated=Text("{0} is not empty", "{0} 不为空张量"),
    ),
    Function(
        "is_contiguous",
        "tensor -> bool",
        Text("{0} is contiguous", "{0} 连续"),
        Text("Whether the strides are those of row-major order.", "步长是否为行主序步长。"),
        negated=Text("{0} is not contiguous", "{0} 不连续"),
    ),
    Function(
        "is_transposed",
        "tensor -> bool",
        Text("the last two axes of {0} are transposed in memory", "{0} 的最后两轴在内存中转置"),
        Text(
            "Whether the strides are those of a contiguous tensor with its last two axes swapped; false below rank 2.",
            "步长是否为连续张量交换最后两轴后的步长；不足 2 维时为假。",
        ),
        negated=Text("the last two axes of {0} are not transposed in memory", "{0} 的最后两轴在内存中未转置"),
    ),
    Function(
        "strides",
        "tensor -> ints",
        Text("the list of strides of {0}", "{0} 的步长"),
        Text("The step of each axis, in elements.", "各轴的步长，以元素计。"),
    ),
    Function(
        "storage_shape",
        "tensor -> ints",
        Text("the storage shape of {0}", "{0} 的存储形状"),
        Text("The shape of the storage that the tensor views.", "张量所视存储的形状。"),
    ),
    Function(
        "value",
        "scalar -> float",
        Text("the value of {0}", "{0} 的值"),
        Text(
            "The number of a scalar, compared exactly whether it is an integer or not; undefined for a complex dtype.",
            "标量的数值，整数与浮点数均按精确值比较；复数类型时无定义。",
        ),
        domain="dtype(a) not in [COMPLEX32, COMPLEX64, COMPLEX128]",
    ),
    Function(
        "is_private",
        "format -> bool",
        Text("{0} is private to the hardware", "{0} 是硬件私有格式"),
        Text("Whether a format is private to the hardware.", "数据格式是否为硬件私有格式。"),
        negated=Text("{0} is not private to the hardware", "{0} 不是硬件私有格式"),
    ),
    Function(
        "len",
        " | ".join(f"{kind} -> int" for kind in ELEMENTS),
        Text("the length of {0}", "{0} 的长度"),
        Text("The number of elements of a list or an array parameter.", "列表或数组参数的元素个数。"),
    ),
    Function(
        "prod",
        "ints -> int",
        Text("the product of {0}", "{0} 各元素之积"),
        Text("The product of the elements; 1 for an empty list.", "各元素之积；空列表时为 1。"),
    ),
    Function(
        "sum",
        "ints -> int",
        Text("the sum of {0}", "{0} 各元素之和"),
        Text("The sum of the elements; 0 for an empty list.", "各元素之和；空列表时为 0。"),
    ),
    Function(
        "min",
        "ints -> int | floats -> float | int int* -> int | float float* -> float",
        Text("the smallest of {args}", "{args} 中的最小值"),
        Text(
            "The smallest of the arguments, or of the elements of one list; undefined for an empty list.",
            "各参数（或单个列表的各元素）中的最小值；空列表时无定义。",
        ),
    ),
    Function(
        "max",
        "ints -> int | floats -> float | int int* -> int | float float* -> float",
        Text("the largest of {args}", "{args} 中的最大值"),
        Text(
            "The largest of the arguments, or of the elements of one list; undefined for an empty list.",
            "各参数（或单个列表的各元素）中的最大值；空列表时无定义。",
        ),
    ),
    Function(
        "abs",
        "int -> int | float -> float",
        Text("the absolute value of {0}", "{0} 的绝对值"),
        Text("The absolute value.", "绝对值。"),
    ),
    Function(
        "ceil_div",
        "int int -> int",
        Text("{0} divided by {1}, rounded up", "{0} 除以 {1} 向上取整"),
        Text("The quotient rounded up; undefined when the divisor is 0.", "向上取整的商；除数为 0 时无定义。"),
        domain="b != 0",
    ),
    Function(
        "pool_out",
        "int int int int int int bool -> int",
        _window("pooling", "池化", ("ceil mode", "向上取整")),
        Text(
            "pool_out(size, kernel, stride, pad_before, pad_after, dilation, ceil_mode): (size + pad_before + "
            "pad_after - dilation * (kernel - 1) - 1) // stride + 1, with stride - 1 added to the dividend in ceil "
            "mode; in ceil mode, one less when (out - 1) * stride >= size + pad_before, so that the last window "
            "starts inside. Undefined when stride <= 0.",
            "pool_out(size, kernel, stride, pad_before, pad_after, dilation, ceil_mode)：(size + pad_before + "
            "pad_after - dilation * (kernel - 1) - 1) // stride + 1，向上取整模式下被除数加 stride - 1；此时若 (out "
            "- 1) * stride >= size + pad_before，则再减 1，使最后一个窗口从输入之内开始。stride <= 0 时无定义。",
        ),
        domain="c > 0",
    ),
    Function(
        "conv_out",
        "int int int int int int -> int",
        _window("convolution", "卷积"),
        Text(
            "conv_out(size, kernel, stride, pad_before, pad_after, dilation): (size + pad_before + pad_after - "
            "dilation * (kernel - 1) - 1) // stride + 1. Undefined when stride <= 0.",
            "conv_out(size, kernel, stride, pad_before, pad_after, dilation)：(size + pad_before + pad_after - "
            "dilation * (kernel - 1) - 1) // stride + 1。stride <= 0 时无定义。",
        ),
        domain="c > 0",
    ),
    Function(
        "conv_transpose_out",
        "int int int int int int int -> int",
        _window("transposed convolution", "转置卷积", ("output padding", "输出填充")),
        Text(
            "conv_transpose_out(size, kernel, stride, pad_before, pad_after, dilation, output_padding): (size - 1) * "
            "stride - pad_before - pad_after + dilation * (kernel - 1) + output_padding + 1. Undefined when stride "
            "<= 0.",
            "conv_transpose_out(size, kernel, stride, pad_before, pad_after, dilation, output_padding)：(size - 1) * "
            "stride - pad_before - pad_after + dilation * (kernel - 1) + output_padding + 1。stride <= 0 时无定义。",
        ),
        domain="c > 0",
    ),
    Function(
        "broadcast",
        "ints ints -> ints",
        Text("the shape that {0} and {1} broadcast to", "{0} 和 {1} 广播后的形状"),
        Text(
            "The common shape of two shapes; undefined when they do not broadcast.",
            "两个形状广播后的形状；无法广播时无定义。",
        ),
        domain="broadcastable(a, b)",
    ),
    Function(
        "broadcastable",
        "ints ints -> bool",
        Text("{0} and {1} broadcast", "{0} 与 {1} 可广播"),
        Text("Whether two shapes broadcast.", "两个形状是否可广播。"),
        negated=Text("{0} and {1} do not broadcast", "{0} 与 {1} 无法广播"),
    ),
    Function(
        "indexable",
        "ints tensors -> bool",
        Text("{0} can be indexed by {1}", "{1} 可作为 {0} 的下标"),
        Text(
            "indexable(shape, indices): whether index_shape has a value.",
            "indexable(shape, indices)：index_shape 是否有定义。",
        ),
        negated=Text("{0} cannot be indexed by {1}", "{1} 不可作为 {0} 的下标"),
    ),
    Function(
        "index_shape",
        "ints tensors -> ints",
        Text("the shape that {1} choose from {0}", "由 {1} 从 {0} 选取所得的形状"),
        Text(
            "index_shape(shape, indices): the shape of what tensors of indices choose, each for one of the "
            "first axes. One "
            "without elements stands for a whole axis. The axes to which the others broadcast take the place "
            "of the axes "
            "that these are for, or come first where whole axes stand between. Undefined where the indices do not "
            "broadcast, are more than the axes, or none of them has elements.",
            "index_shape(shape, indices)：由若干下标张量选取所得的形状，各下标依次对应前若干轴，"
            "没有元素者表示取整个轴。"
            "其余下标广播后的轴取代其所对应的轴；若其间有整轴，则位于最前。"
            "下标无法广播、多于轴数或均没有元素时无定义。",
        ),
        domain="indexable(a, b)",
    ),
    Function(
        "range",
        "int int -> ints",
        Text("the range of integers from {0} up to but not including {1}", "从 {0} 起到 {1} 为止（不含）的整数"),
        Text(
            f"The integers start <= i < stop, none when stop <= start; undefined for more than {MAX_RANGE} of them.",
            f"满足 start <= i < stop 的整数，stop <= start 时为空；超过 {MAX_RANGE} 个时无定义。",
        ),
    ),
    Function(
        "range_len",
        "float float float -> int",
        Text(
            "the number of elements from {0} up to but not including {1} by {2}",
            "从 {0} 起到 {1} 为止（不含）、步长为 {2} 的元素个数",
        ),
        Text(
            "range_len(start, stop, step): the quotient of stop - start and step rounded up, and at least 0; "
            "integers are "
            "divided exactly, other numbers in DOUBLE. 0 when the quotient is not a number, undefined when step is 0.",
            "range_len(start, stop, step)：stop - start 除以 step 向上取整，且不小于 0；整数精确相除，"
            "其他数以 DOUBLE 相除。商不是数时为 0；step 为 0 时无定义。",
        ),
        domain="c != 0",
    ),
    Function(
        "promotable",
        "dtype dtype -> bool | tensor scalar -> bool",
        Text("{0} and {1} have a common dtype", "{0} 与 {1} 有公共数据类型"),
        Text("Whether promote has a value.", "promote 是否有定义。"),
        negated=Text("{0} and {1} have no common dtype", "{0} 与 {1} 无公共数据类型"),
    ),
    Function(
        "promote",
        "dtype dtype -> dtype | tensor scalar -> dtype",
        Text("the common dtype of {0} and {1}", "{0} 和 {1} 提升后的数据类型"),
        Text(
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
        domain="promotable(a, b)",
    ),
    Function(
        "promotable_all",
        "dtypes -> bool",
        Text("{0} have a common dtype", "{0} 有公共数据类型"),
        Text("Whether promote_all has a value.", "promote_all 是否有定义。"),
        negated=Text("{0} have no common dtype", "{0} 无公共数据类型"),
    ),
    Function(
        "promote_all",
        "dtypes -> dtype",
        Text("the common dtype of {0}", "{0} 提升后的数据类型"),
        Text(
            "The dtype that all dtypes of a list promote to, one after the other; undefined for an empty list.",
            "列表中的数据类型依次提升所得的类型；空列表时无定义。",
        ),
        domain="promotable_all(a)",
    ),
    Function(
        "castable",
        "dtype dtype -> bool",
        Text("{0} can be converted to {1}", "{0} 可转换为 {1}"),
        Text(
            "Whether values of the first dtype may be converted to the second: never from complex to real, from "
            "floating to integer or bool, nor from integer to bool; a dtype that does not promote, such as "
            "FLOAT8_E5M2, "
            "only to itself.",
            "第一种数据类型的值可否转换为第二种：复数不可转实数，浮点不可转整数或布尔，整数不可转布尔；"
            "不参与提升的类型（如 FLOAT8_E5M2）只可转换为自身。",
        ),
        negated=Text("{0} cannot be converted to {1}", "{0} 不可转换为 {1}"),
    ),
    Function(
        "itemsize",
        "dtype -> int",
        Text("the size of an element of {0} in bytes", "{0} 每个元素的字节数"),
        Text(
            "The bytes of an element; 1 for a dtype narrower than a byte, 0 for one without a size.",
            "一个元素的字节数；不足一字节的类型为 1，无大小的类型为 0。",
        ),
    ),
    Function(
        "bits",
        "dtype -> int",
        Text("the number of bits of an element of {0}", "{0} 每个元素的位数"),
        Text(
            "The bits of an element, such as 4 of INT4; 0 for a dtype without a size.",
            "一个元素的位数，如 INT4 为 4；无大小的类型为 0。",
        ),
    ),
    Function(
        "scaled",
        "int float -> int",
        Text("{0} times {1}, rounded down", "{0} 乘以 {1} 向下取整"),
        Text(
            "The product with a factor, rounded down, and no further from 0 than the largest int64; 0 when the "
            "product is not a number.",
            "与系数之积向下取整，绝对值不超过 int64 的最大值；积不是数时为 0。",
        ),
    ),
    Function(
        "slice",
        "ints int int -> ints",
        Text("the part of {0} from index {1} up to but not including {2}", "{0} 中下标 {1} 至 {2}（不含）的部分"),
        Text(
            "The elements start <= i < stop; undefined unless 0 <= start <= stop <= length.",
            "下标 start <= i < stop 的元素；不满足 0 <= start <= stop <= 长度时无定义。",
        ),
    ),
    Function(
        "replace",
        "ints int int -> ints",
        Text("{0} with {2} at index {1}", "{0} 中下标 {1} 处改为 {2} 的结果"),
        Text(
            "replace(list, index, value): the list with another value at an index; undefined unless 0 <= index "
            "< length.",
            "replace(list, index, value)：将下标 index 处的值换成 value；不满足 0 <= index < 长度时无定义。",
        ),
        domain="0 <= b < len(a)",
    ),
    Function(
        "remove",
        "ints int -> ints",
        Text("{0} without index {1}", "{0} 去掉下标 {1} 的结果"),
        Text(
            "remove(list, index): the list without the value at an index; undefined unless 0 <= index < length.",
            "remove(list, index)：去掉下标 index 处的值；不满足 0 <= index < 长度时无定义。",
        ),
        domain="0 <= b < len(a)",
    ),
    Function(
        "insert",
        "ints int int -> ints",
        Text("{0} with {2} inserted at index {1}", "{0} 在下标 {1} 处插入 {2} 的结果"),
        Text(
            "insert(list, index, value): the list with one more value before an index, or at its end; undefined unless "
            "0 <= index <= length.",
            "insert(list, index, value)：在下标 index 之前（或末尾）插入 value；不满足 0 <= index <= 长度时无定义。",
        ),
        domain="0 <= b <= len(a)",
    ),
    Function(
        "reduce",
        "ints ints bool -> ints",
        Text("{0} reduced along axes {1} (keeping them as 1: {2})", "{0} 沿轴 {1} 归约（保留为 1：{2}）后的形状"),
        Text(
            "reduce(shape, axes, keep): the shape without these axes, or with size 1 in their place where keep "
            "is true. "
            "A negative axis counts from the end, and one named twice counts once; undefined unless -rank <= "
            "axis < rank "
            "for each.",
            "reduce(shape, axes, keep)：去掉这些轴后的形状，keep 为真时各轴保留为 1。负轴自末轴数起，重复的轴计一次；"
            "任一轴不满足 -维数 <= 轴 < 维数时无定义。",
        ),
        domain="all(-len(a) <= axis < len(a) for axis in b)",
    ),
    Function(
        "wrap",
        "int int -> int",
        Text("{0} counted from the front of {1}", "在 {1} 中自首轴数起的 {0}"),
        Text(
            "wrap(axis, rank): the axis, or axis + rank where it is negative; undefined unless -rank <= axis < rank.",
            "wrap(axis, rank)：轴号，为负时加上 rank；不满足 -rank <= axis < rank 时无定义。",
        ),
        domain="-b <= a < b",
    ),
    Function(
        "distinct",
        "ints -> bool",
        Text("{0} is free of repeated elements", "{0} 不含相等的元素"),
        Text("Whether no two elements are equal.", "是否没有相等的元素。"),
        negated=Text("{0} is not free of repeated elements", "{0} 含有相等的元素"),
    ),
)
"""All functions."""
FUNCTIONS: Final = {one.name: one.overloads for one in TABLE}
DOMAINS: Final = {one.name: one.domain for one in TABLE if one.domain}
PHRASES: Final = {one.name: one.phrase if isinstance(one.phrase, Text) else one.phrase[0] for one in TABLE}
WINDOWS: Final = {one.name: one.phrase[1] for one in TABLE if not isinstance(one.phrase, Text)}
NEGATED: Final = {one.name: one.negated for one in TABLE if one.negated is not None}
DOCS: Final = {one.name: one.doc for one in TABLE}
