"""A made-up sentence for every class of the grammar, and sentences that it must not read."""

from __future__ import annotations

import pytest

from aclspec.codegen.importer.grammar import GRAMMAR, Outcome, Rule, SameDtype, TableFact, Vague
from aclspec.codegen.importer.model import Fact, Function, Parameter, Place, Sentence, Where
from aclspec.codegen.importer.rules import problem
from aclspec.codegen.importer.sentences import Reading, read_sentences

C_TYPES = {
    "paint": "const aclTensor*",
    "canvas": "const aclTensor*",
    "mixed": "aclTensor*",
    "stainOptional": "const aclTensor*",
    "layers": "const aclTensorList*",
    "sheets": "aclTensorList*",
    "tint": "const aclScalar*",
    "tiles": "const aclIntArray*",
    "edges": "const aclIntArray*",
    "flags": "const aclBoolArray*",
    "axis": "int64_t",
    "mode": "int64_t",
    "flow": "double",
    "drag": "double",
    "style": "char*",
    "wet": "bool",
    "kind": "aclDataType",
}


def function_of(*names: str) -> Function:
    """A function with some of the parameters."""
    chosen = names or tuple(C_TYPES)
    function = Function("aclnnToy", "toy.md", [Parameter(name, C_TYPES[name]) for name in chosen])
    for name in chosen:
        function.add(Fact(name, "direction", "out" if name in ("mixed", "sheets") else "in"))
        function.add(Fact(name, "formats", ("NCHW",)))
    function.add(Fact("stainOptional", "optional", True))
    return function


def reading(text: str, where: Where = "error", subject: str = "", status: str = "161002", *names: str) -> Reading:
    """How one sentence is read."""
    function = function_of(*names)
    function.sentences.append(Sentence(where, text, Place("toy.md", 1), None, subject, status))
    return read_sentences(function)[0]


def shown(outcome: Outcome) -> str:
    """An outcome in one line."""
    match outcome:
        case Rule(_, require, when):
            return require + (f" when {when}" if when else "")
        case TableFact(check, names, value, when):
            text = f"{check} {','.join(names)}" + (f" {value}" if value is not None else "")
            return text + (f" when {when}" if when else "")
        case SameDtype(names):
            return f"same {','.join(names)}"
        case Vague(what, names):
            return f"vague {what} {','.join(names)}"
        case _:
            return "remark"


ARRAYS = [
    ("attribute.comparison", "tiles某个维度值小于等于0。", ["all(v > 0 for v in tiles)"]),
    ("attribute.length", "tiles数组的大小不是2或4。", ["length tiles (2, 4)"]),
    ("attribute.comparison", "tint小于0。", ["value(tint) >= 0"]),
    ("attribute.comparison", "tint等于0。", ["value(tint) != 0"]),
    ("attribute.values", "wet不是true。", ["wet"]),
    ("attribute.values", "wet不为False。", ["not wet"]),
    ("rank.compared", "paint的维数小于canvas。", ["rank(paint) >= rank(canvas)"]),
]
SAME_IN_LISTS = [f"all(dtype(t) == dtype({name}[0]) for t in {name})" for name in ("layers", "sheets")]
ROWS = [
    *ARRAYS,
    ("null.named", "paint、canvas或mixed为空指针。", ["null paint,canvas,mixed"]),
    ("null.element", "layers中存在空指针。", ["all(not is_null(t) for t in layers)"]),
    ("null.unknown", "paint或glaze是空指针。", ["vague unknown-name paint"]),
    ("dtype.supported", "paint和canvas的数据类型不在支持的范围之内。", ["dtype paint,canvas"]),
    ("dtype.value", "paint的数据类型不是INT32。", ["dtype paint ('INT32',)"]),
    ("dtype.refused", "paint的数据类型不支持BFLOAT16。", ["dtype-without paint ('BF16',)"]),
    ("dtype.same", "paint和canvas的数据类型不相同。", ["same paint,canvas"]),
    ("dtype.same", "layers的数据类型不一致。", ["all(dtype(t) == dtype(layers[0]) for t in layers)"]),
    (
        "dtype.same",
        "layers与paint的数据类型不一致。",
        ["same layers,paint", "all(dtype(t) == dtype(layers[0]) for t in layers)"],
    ),
    ("dtype.same", "layers、sheets中的元素数据类型不一致。", ["same layers,sheets", *SAME_IN_LISTS]),
    ("dtype.same", "paint和canvas的type不匹配。", ["same paint,canvas"]),
    ("dtype.supported-same", "paint、canvas的数据类型不支持或不一致。", ["dtype paint,canvas", "same paint,canvas"]),
    ("dtype.same", "kind与mixed的数据类型不一致。", ["dtype(mixed) == kind"]),
    ("format.same", "paint与canvas的数据格式不一致。", ["format(canvas) == format(paint)"]),
    ("format.value", "paint的数据格式不是NCHW。", ["format paint ('NCHW',)"]),
    ("format.private", "paint的格式是私有格式。", ["not is_private(format(paint))"]),
    ("dtype.promotable", "paint与canvas无法做数据类型推导。", ["promotable(dtype(paint), dtype(canvas))"]),
    (
        "dtype.cast-promoted",
        "paint与canvas推导后的数据类型无法转换为mixed的类型。",
        ["castable(promote(dtype(paint), dtype(canvas)), dtype(mixed))"],
    ),
    (
        "dtype.cast-to-promoted",
        "tint不能转换为paint与canvas推导后的数据类型。",
        ["castable(dtype(tint), promote(dtype(paint), dtype(canvas)))"],
    ),
    ("dtype.cast", "paint的数据类型不能转换为mixed的数据类型。", ["castable(dtype(paint), dtype(mixed))"]),
    ("dtype.cast", "tint的数据类型不可转换为FLOAT。", ["castable(dtype(tint), FLOAT)"]),
    ("dtype.promoted-in", "paint与canvas推导后的数据类型不在支持的范围之内。", ["vague promoted-dtypes paint,canvas"]),
    ("shape.broadcast", "paint与canvas的shape无法做broadcast。", ["broadcastable(shape(paint), shape(canvas))"]),
    (
        "shape.product",
        "mixed不能与paint@canvas做broadcast。",
        ["broadcastable(shape(mixed), slice(shape(paint), 0, rank(paint) - 1) + [dim(canvas, rank(canvas) - 1)])"],
    ),
    (
        "shape.product",
        "mixed与paint @ canvas的shape不一致。",
        ["shape(mixed) == slice(shape(paint), 0, rank(paint) - 1) + [dim(canvas, rank(canvas) - 1)]"],
    ),
    (
        "shape.broadcast-out",
        "mixed的shape不是paint与canvas做broadcast后的shape。",
        ["shape(mixed) == broadcast(shape(paint), shape(canvas))"],
    ),
    ("shape.same", "mixed与paint的shape不同。", ["shape(paint) == shape(mixed)"]),
    ("shape.same", "paint、canvas的shape不是完全一致的shape。", ["shape(canvas) == shape(paint)"]),
    ("shape.same", "mixed的shape与tiles不相等。", ["shape(mixed) == tiles"]),
    (
        "shape.same",
        "layers与sheets的shape不一致。",
        ["len(sheets) == len(layers) and all(shape(sheets[i]) == shape(layers[i]) for i in range(0, len(layers)))"],
    ),
    ("shape.list-length", "layers与sheets的长度不一致。", ["len(sheets) == len(layers)"]),
    ("shape.dimension-same", "paint的最后一维与canvas的第一维不相等。", ["dim(paint, rank(paint) - 1) == dim(canvas, 0)"]),  # noqa: E501
    ("shape.dimension-value", "paint的最后一维不等于16。", ["dim(paint, rank(paint) - 1) == 16"]),
    (
        "shape.axis-same",
        "paint与canvas的N、C轴大小不一致。",
        ["dim(canvas, 0) == dim(paint, 0)", "dim(canvas, 1) == dim(paint, 1)"],
    ),
    ("shape.dimension-multiple", "paint的最后一维不是偶数。", ["dim(paint, rank(paint) - 1) % 2 == 0"]),
    ("shape.dimension-multiple", "paint的第一维不能被8整除。", ["dim(paint, 0) % 8 == 0"]),
    ("product.supported", "当前处理器不支持。", ["product "]),
    ("product.supported", "芯片不在支持的产品范围内。", ["product "]),
    ("remark.internal", "kernel执行失败，请查看日志。", ["remark"]),
    ("shape.numel", "paint的元素个数不为1。", ["numel(paint) == 1"]),
    ("shape.empty", "paint是空tensor。", ["empty paint"]),
    ("contiguous", "paint是非连续Tensor。", ["contiguous paint"]),
    ("rank.bound", "paint的维度大于5。", ["rank paint (0, 1, 2, 3, 4, 5)"]),
    ("rank.bound", "paint的维数小于2或大于4。", ["rank paint (2, 3, 4)"]),
    ("rank.bound", "layers中的Tensor维度超过7维。", ["rank layers (0, 1, 2, 3, 4, 5, 6, 7)"]),
    ("rank.bound", "canvas、mixed(非空时)的维度大于7维。", ["rank canvas,mixed (0, 1, 2, 3, 4, 5, 6, 7)"]),
    ("rank.value", "paint的维度不是3维或4维。", ["rank paint (3, 4)"]),
    ("rank.range", "paint的维度不在2-4维。", ["rank paint (2, 3, 4)"]),
    ("rank.same", "paint与canvas的维数不相等。", ["rank(canvas) == rank(paint)"]),
    ("rank.compared", "paint的维数小于tiles的长度。", ["rank(paint) >= len(tiles)"]),
    ("rank.element", "layers[1]必须为2维。", ["rank(layers[1]) == 2"]),
    ("attribute.comparison", "mode小于0。", ["mode >= 0"]),
    ("attribute.comparison", "tiles中存在小于等于0的值。", ["all(v > 0 for v in tiles)"]),
    ("attribute.comparison", "mode为负数。", ["mode >= 0"]),
    ("attribute.values", "mode的取值不在0、1、2范围内。", ["value mode (0, 1, 2)"]),
    ("attribute.values", 'style不为"wash"、"spray"。', ["value style ('wash', 'spray')"]),
    ("attribute.length", "tiles的长度不等于3。", ["length tiles (3,)"]),
    ("attribute.length", "tiles的长度超过6。", ["len(tiles) <= 6"]),
    ("attribute.interval", "flow的值不在[0, 1)范围内。", ["0 <= flow < 1"]),
    (
        "attribute.interval",
        "axis不在[-paint.dim(), paint.dim()-1]范围内。",
        ["-max(rank(paint), 1) <= axis < max(rank(paint), 1)"],
    ),
    (
        "attribute.interval",
        "axis的维度超出paint自身可选维度的范围[-paint.dim(), paint.dim()-1]。",
        ["-max(rank(paint), 1) <= axis < max(rank(paint), 1)"],
    ),
    ("attribute.axis", "axis超出paint的维度范围。", ["-max(rank(paint), 1) <= axis < max(rank(paint), 1)"]),
    ("attribute.pair", "flow大于drag。", ["flow <= drag"]),
    ("attribute.multiple", "mode不是16的倍数。", ["mode % 16 == 0"]),
    ("attribute.distinct", "tiles中的元素重复。", ["distinct(tiles)"]),
    ("attribute.below-dimension", "tiles的数值大于等于paint最后一维的值。", ["all(v < dim(paint, rank(paint) - 1) for v in tiles)"]),  # noqa: E501
    ("shape.vague", "paint的shape不满足要求。", ["vague shape paint"]),
    ("shape.same", "mixed与paint的shape不匹配。", ["vague shape mixed,paint"]),
    ("attribute.vague", "mode的取值不合法。", ["vague value mode"]),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "text", "expected"), ROWS)
def test_a_row_of_the_error_table(kind: str, text: str, expected: list[str]) -> None:
    status = "161001" if kind.startswith("null") else "161002"
    found = reading(text, "error", "", status)
    assert (found.kind, [shown(one) for one in found.outcomes]) == (kind, expected)


def test_a_generic_row_refuses_every_pointer_that_is_not_optional() -> None:
    found = reading(
        "如果传入参数是必选输入或输出，且是空指针。", "error", "", "161001", "paint", "stainOptional", "axis", "mixed"
    )
    assert (found.kind, [shown(one) for one in found.outcomes]) == ("null.generic", ["null paint,mixed"])


USAGE = [
    ("null.must", "不能为空指针。", ["null paint"]),
    ("dtype.same", "数据类型与canvas保持一致。", ["same paint,canvas"]),
    ("shape.same", "shape需要与canvas一致。", ["shape(canvas) == shape(paint)"]),
    ("shape.broadcast", "需与canvas满足broadcast关系。", ["broadcastable(shape(paint), shape(canvas))"]),
    ("dtype.promotable", "与canvas满足数据类型推导规则。", ["promotable(dtype(paint), dtype(canvas))"]),
    ("shape.empty", "不支持空Tensor。", ["empty paint"]),
    ("shape.empty-allowed", "支持空Tensor。", ["empty-allowed paint"]),
    ("rank.bound", "维度不超过6维。", ["rank paint (0, 1, 2, 3, 4, 5, 6)"]),
    ("remark.dtype", "支持非连续的Tensor。", ["remark"]),
    ("remark.heading", "约束说明：", ["remark"]),
]


@pytest.mark.parametrize(("kind", "text", "expected"), USAGE)
def test_a_remark_in_the_row_of_a_parameter(kind: str, text: str, expected: list[str]) -> None:
    found = reading(text, "usage", "paint")
    assert (found.kind, [shown(one) for one in found.outcomes]) == (kind, expected)


CONDITIONS = [
    ("当wet为true时，paint和canvas的shape不一致。", ["shape(canvas) == shape(paint) when wet"]),
    ("当flags[1]为False时，mixed是空指针。", ["null mixed when not flags[1]"]),
    ("如果mode等于2，paint的维度不等于3维。", ["rank(paint) in [3] when mode == 2"]),
    ("当paint的数据类型为INT8时，mode不等于1。", ["mode in [1] when dtype(paint) in [INT8]"]),
    ("stainOptional不为空时，维度不为2维。", ["rank(stainOptional) in [2] when not is_null(stainOptional)"]),
    ("当paint不为空tensor时，mode小于0。", ["mode >= 0 when not is_empty(paint)"]),
    ("当paint为空Tensor时，mode小于1。", ["mode >= 1 when is_empty(paint)"]),
]


@pytest.mark.parametrize(("text", "expected"), CONDITIONS)
def test_a_condition_that_is_certain_becomes_a_guard(text: str, expected: list[str]) -> None:
    assert [shown(one) for one in reading(text).outcomes] == expected


def test_errors_of_one_row_separated_by_commas() -> None:
    found = reading("paint与canvas的shape不一致，或mixed的维度大于4。")
    assert [shown(one) for one in found.outcomes] == ["shape(canvas) == shape(paint)", "rank mixed (0, 1, 2, 3, 4)"]


REFUSED = [
    "paint与canvas的shape一致。",  # an error row that says what holds, without a word such as "must"
    "paint除最后一维外与canvas的shape不一致。",
    "当paint晾干时，canvas的维度大于4。",
    "当wet为true且mode为1时，canvas的维度大于4。",
    "paint与canvas的shape不一致，且mode等于1。",
    "paint的第1维与canvas的第2维不一致。",  # an Arabic numeral may count from zero
    "paint的湿度大于5。",
    "paint与canvas均为空指针。",  # refuses neither alone
    "paint和canvas同时是空tensor。",
    "paint可能与canvas的数据类型不一致。",
    "mode通常不等于1。",
    "tint与paint推导后的数据类型无法转换为mixed的类型之外的类型。",
    "axis不在[-n, n+1]范围内。",
    "axis大于paint的维度数量。",  # the row lets through the number of dimensions itself
    "tiles不在(1, 1)范围内。",  # two numbers, and no interval
    "layers的元素个数不为1。",  # of the list, or of each of its tensors
    "tiles的大小小于1。",  # its values, or its length
    "当stainOptional为空tensor时，paint的维度大于4。",  # empty, or none
]


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_not_certain_is_not_read(text: str) -> None:
    assert reading(text).outcomes == ()


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("维度需要与canvas相同，或者是1维。", "paint"),  # one of two ways, neither of which must hold
        ("shape与canvas的维度数量相同。", "paint"),  # not the same shape
    ],
)
def test_what_is_not_certain_in_a_remark_is_not_read(text: str, subject: str) -> None:
    outcomes = reading(text, "usage", subject).outcomes
    assert not any(isinstance(one, Rule) and "shape" in one.require for one in outcomes)
    assert not outcomes or "或者" not in text


def test_a_condition_names_no_subject_of_what_a_page_demands() -> None:
    """The sentence may be about another parameter, named further up."""
    text = "当stainOptional存在时，数据类型为INT8。"
    assert reading(text, "constraint").outcomes == ()
    assert [shown(one) for one in reading(text, "usage", "paint").outcomes] == [
        "dtype(paint) in [INT8] when not is_null(stainOptional)"
    ]
    assert shown(reading("当stainOptional存在时，数据类型不为INT8。").outcomes[0]).startswith("dtype(stainOptional)")


def test_what_a_dtype_converts_to_is_said_by_the_order_of_the_words() -> None:
    common = "promote(dtype(paint), dtype(canvas))"
    for text, expected in [
        ("数据类型需要可转换成paint与canvas推导后的数据类型。", f"castable(dtype(tint), {common})"),
        ("数据类型需要是paint与canvas推导之后可转换的数据类型。", f"castable({common}, dtype(tint))"),
    ]:
        assert [shown(one) for one in reading(text, "usage", "tint").outcomes] == [expected]


def test_a_shape_that_is_computed_from_another_is_not_that_one() -> None:
    found = reading("shape需要是paint经过计算后的shape。", "usage", "mixed")
    assert not any(isinstance(one, Rule) for one in found.outcomes)


def test_the_dtype_that_a_scalar_promotes_to_is_a_question() -> None:
    found = reading("paint与tint推导后的数据类型无法转换为mixed的类型。")
    assert [shown(one) for one in found.outcomes] == ["vague promoted-scalar paint,tint,mixed"]


def test_a_row_that_says_must_states_what_holds() -> None:
    assert [shown(one) for one in reading("paint的shape必须与canvas一致。").outcomes] == [
        "shape(canvas) == shape(paint)"
    ]


def test_every_class_has_a_sentence_here() -> None:
    tested = {kind for kind, *_ in (*ROWS, *USAGE)} | {"null.generic"}
    assert tested == {one.id for one in GRAMMAR.classes}


@pytest.mark.parametrize("text", [row[1] for row in ROWS])
def test_every_rule_is_a_predicate(text: str) -> None:
    for outcome in reading(text).outcomes:
        if isinstance(outcome, Rule):
            assert problem(function_of(), outcome.require) is None
