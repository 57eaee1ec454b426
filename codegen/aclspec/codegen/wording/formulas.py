"""How the reference pages speak of the functions of formulas: how each is called, and what it computes."""

from __future__ import annotations

from typing import Final

from aclspec.runtime.rules.operator_info import Text

_OVER: Final = Text(
    " over these axes, which the result does not have; over all without them", "，结果不含这些轴；未给出轴时为全部"
)

FORMULAS: Final[dict[str, tuple[str, Text]]] = {
    "shape": ("shape(x)", Text("The sizes of the axes, as a list.", "各轴的大小，为列表。")),
    "rank": ("rank(x)", Text("The number of axes.", "维数。")),
    "dim": (
        "dim(x, axis)",
        Text("The size of an axis; a negative one counts from the end.", "某一轴的大小；负轴自末轴数起。"),
    ),
    "numel": ("numel(x)", Text("The number of elements.", "元素个数。")),
    "len": ("len(list)", Text("The length of a list.", "列表的长度。")),
    "range": (
        "range(start, stop)",
        Text("The integers start <= i < stop, as a list.", "满足 start <= i < stop 的整数，为列表。"),
    ),
    "slice": (
        "slice(list, start, stop)",
        Text(
            "The elements start <= i < stop, as list[start:stop].",
            "满足 start <= i < stop 的元素，同 list[start:stop]。",
        ),
    ),
    "is_null": ("is_null(x)", Text("Whether an input is a null pointer.", "输入是否为空指针。")),
    "abs": ("abs(x)", Text("The absolute values.", "绝对值。")),
    "along": (
        "along(x, axis, rank)",
        Text(
            "The elements of x on one axis of a tensor with rank axes, so that they broadcast along the others; a "
            "single element broadcasts along all.",
            "将 x 的元素排在共 rank 个轴的一个轴上，以便沿其余各轴广播；仅一个元素时沿全部轴广播。",
        ),
    ),
    "broadcast_to": ("broadcast_to(x, shape)", Text("x broadcast to a shape.", "将 x 广播到 shape。")),
    "cos": ("cos(x)", Text("The cosines.", "余弦。")),
    "crop": (
        "crop(x, begin, end)",
        Text(
            "x without begin[i] elements at the beginning and end[i] at the end of each of its last axes.",
            "在最后几个轴的首尾各裁去若干元素。",
        ),
    ),
    "erf": ("erf(x)", Text("The values of the error function.", "误差函数的值。")),
    "exp": ("exp(x)", Text("The exponentials.", "指数函数的值。")),
    "floor": ("floor(x)", Text("The elements rounded down.", "各元素向下取整。")),
    "log": ("log(x)", Text("The natural logarithms.", "自然对数。")),
    "matmul": (
        "matmul(a, b)",
        Text("The product of matrices; the axes in front broadcast.", "矩阵乘积；前部各轴可广播。"),
    ),
    "max": ("max(x, [axes])", Text(f"The largest elements{_OVER.en}.", f"最大值{_OVER.zh}。")),
    "maximum": ("maximum(a, b)", Text("The larger of each two elements.", "两两元素中较大者。")),
    "mean": ("mean(x, [axes])", Text(f"The mean{_OVER.en}.", f"平均值{_OVER.zh}。")),
    "min": ("min(x, [axes])", Text(f"The smallest elements{_OVER.en}.", f"最小值{_OVER.zh}。")),
    "minimum": ("minimum(a, b)", Text("The smaller of each two elements.", "两两元素中较小者。")),
    "pad": (
        "pad(x, begin, end)",
        Text(
            "x with begin[i] zeros at the beginning and end[i] at the end of each of its last axes.",
            "在最后几个轴的首尾各补若干个 0。",
        ),
    ),
    "prod": ("prod(x, [axes])", Text(f"The product{_OVER.en}.", f"乘积{_OVER.zh}。")),
    "reshape": ("reshape(x, shape)", Text("The elements in another shape.", "以另一形状排列的元素。")),
    "sin": ("sin(x)", Text("The sines.", "正弦。")),
    "sort": ("sort(x, axis)", Text("The elements sorted along an axis, the smallest first.", "沿一轴从小到大排序。")),
    "sqrt": ("sqrt(x)", Text("The square roots.", "平方根。")),
    "sum": ("sum(x, [axes])", Text(f"The sum{_OVER.en}.", f"和{_OVER.zh}。")),
    "tanh": ("tanh(x)", Text("The hyperbolic tangents.", "双曲正切。")),
    "transpose": ("transpose(x, axes)", Text("The axes in another order.", "按另一次序排列各轴。")),
    "trunc": ("trunc(x)", Text("The elements rounded towards zero.", "各元素向零取整。")),
    "where": (
        "where(condition, a, b)",
        Text(
            "The elements of a where a condition holds, those of b elsewhere.",
            "条件成立处取 a 的元素，其余取 b 的元素。",
        ),
    ),
    "zeros": ("zeros(shape)", Text("A tensor of zeros.", "全 0 的张量。")),
}
"""The functions of formulas in the order of the runtime's table; a test holds both to the same names."""
