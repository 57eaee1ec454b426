"""The words of the pages as data: products, dtypes, formats, numbers of dimensions, directions."""

from __future__ import annotations

import re
import unicodedata

BRACKETS = {
    "950": "ascend_950",
    "A3": "atlas_a3",
    "910b": "atlas_a2",
    "310b": "atlas_200i_500_a2",
    "310p": "atlas_inference",
    "910": "atlas_training",
}
"""The keys of the brackets ``npu="..."`` and the products they stand for."""
PRODUCTS = ("atlas_inference", "atlas_training", "atlas_a2", "atlas_a3", "ascend_950", "atlas_200i_500_a2")
"""Every product, in the order of the project's table."""

_SERIES = r"(?:系列)?(?:加速卡)?(?:产品)?"
_TERMS: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = tuple(
    (re.compile(pattern), keys)
    for pattern, keys in (  # the longest first: a name may contain another
        (r"Atlas\s*200I\s*/\s*500\s*A2\s*推理(?:系列)?产品", ("atlas_200i_500_a2",)),
        (r"Atlas\s*200/300/500\s*推理产品", ()),
        (
            rf"Atlas\s*A3\s*训练{_SERIES}(?:\s*/\s*Atlas\s*(?:800I\s*)?A3\s*推理{_SERIES})?"
            r"|Atlas\s*A3\s*(?:推理)?\s*系列(?:产品)?",
            ("atlas_a3",),
        ),
        (
            rf"Atlas\s*A2\s*训练{_SERIES}(?:\s*/\s*Atlas\s*(?:800I\s*)?A2\s*推理{_SERIES})?"
            r"(?:\s*/\s*A200I\s*A2\s*Box\s*异构组件)?"
            r"|Atlas\s*(?:800I\s*)?A2\s*推理(?:系列)?产品|A200I\s*A2\s*Box\s*异构组件|Atlas\s*A2\s*系列(?:产品)?",
            ("atlas_a2",),
        ),
        (r"Atlas\s*A2/A3", ("atlas_a2", "atlas_a3")),
        (
            r"Ascend\s*950PR\s*(?:/\s*(?:Ascend\s*)?950DT)?(?:\s*AI处理器)?|Ascend\s*950DT"
            r"|昇腾\s*910_95\s*AI\s*处理器|Ascend\s*910_95|Ascend\s*950(?:系列)?(?:产品)?",
            ("ascend_950",),
        ),
        (r"Atlas\s*推理系列(?:加速卡)?产品", ("atlas_inference",)),
        (r"Atlas\s*训练系列产品", ("atlas_training",)),
    )
)

_SPELLINGS = {
    "BFLOAT16": "BF16", "FLOAT32": "FLOAT", "FP32": "FLOAT", "FP16": "FLOAT16", "FLOAT64": "DOUBLE", "FP64": "DOUBLE",
    "HIF8": "HIFLOAT8", "HF32": "HFLOAT32", "FLOAT8_E4M3": "FLOAT8_E4M3FN", "HALF": "FLOAT16",
}  # fmt: skip
_DTYPE_NAMES = (
    *_SPELLINGS, "BF16", "FLOAT8_E5M2", "FLOAT8_E4M3FN", "FLOAT8_E8M0", "HIFLOAT8", "FLOAT4_E2M1", "FLOAT4_E1M2",
    "HFLOAT32", "FLOAT16", "FLOAT", "DOUBLE", "UINT64", "UINT32", "UINT16", "UINT8", "UINT1", "INT64", "INT32",
    "INT16", "INT8", "INT4", "BOOL", "COMPLEX128", "COMPLEX64", "COMPLEX32", "STRING",
)  # fmt: skip
DTYPE = re.compile(
    r"(?<![A-Za-z0-9_])(?:ACL_)?(" + "|".join(sorted(_DTYPE_NAMES, key=len, reverse=True)) + r")(?![A-Za-z0-9_*])",
    re.IGNORECASE,
)
FORMAT = re.compile(
    r"(?<![A-Za-z0-9_])(?:ACL_FORMAT_)?"
    r"(FRACTAL_NZ|FRACTAL_Z_3D|FRACTAL_Z|NDC1HWC0|NC1HWC0|NCDHW|NDHWC|DHWCN|NCHW|NHWC|HWCN|NCL|NZ|ND|NC)"
    r"(?![A-Za-z0-9_])"
)
BLANK = frozenset(("", "-", "--", "/", "—", "－", "–", "−", "无", "None", "不涉及", "N/A", "NA"))
"""What an empty cell holds."""
YES = frozenset(("√", "✓", "✔", "支持", "是", "✅"))
NO = frozenset(("×", "x", "X", "╳", "✗", "不支持", "否", "❌"))

NUMERALS = {"零": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8}
_NUMERAL = "零一二两三四五六七八"
MOST_DIMENSIONS = 8
NO_BF16 = frozenset(("atlas_training", "atlas_inference", "atlas_200i_500_a2"))
"""The products whose hardware has no BF16."""
NARROW = re.compile("HIFLOAT8|FLOAT8|FLOAT4")
"""The floats that Ascend 950 alone has."""


def lacks(product: str, dtype: str) -> bool:
    """Whether the hardware of a product lacks a dtype."""
    return (dtype == "BF16" and product in NO_BF16) or (product != "ascend_950" and bool(NARROW.match(dtype)))


def products_in(text: str, mark: str = "\ue010") -> tuple[tuple[str, ...], str]:
    """The products that a text names, in its order, and the text with ``mark`` in the place of each name."""
    places: list[tuple[int, str]] = []

    for pattern, keys in _TERMS:
        for match in pattern.finditer(text):
            places += [(match.start(), key) for key in keys]
        # the place of a name is kept by filling it to its length, so that the starts stay comparable
        text = pattern.sub(lambda match: mark + "\ue011" * (len(match[0]) - 1), text)
    found = dict.fromkeys(key for _, key in sorted(places))
    return tuple(found), text.replace("\ue011", "")


def dtypes(text: str) -> tuple[str, ...]:
    """The dtypes that a text names, in its order, without the prefix ``ACL_``."""
    found = (match[1].upper() for match in DTYPE.finditer(text))
    return tuple(dict.fromkeys(_SPELLINGS.get(name, name) for name in found))


def formats(text: str) -> tuple[str, ...]:
    """The formats that a text names, in its order."""
    upper = re.sub(r"(?i)fractal_(nz|z_3d|z)", lambda match: match[0].upper(), text)
    found = (match[1] for match in FORMAT.finditer(upper))
    return tuple(dict.fromkeys("FRACTAL_NZ" if name == "NZ" else name for name in found))


def plain(text: str) -> str:
    """A text in half-width characters and without the marks of Markdown and of inline HTML."""
    text = re.sub(r"<(?:br|p|/p|li|/li)\s*/?>", "\n", text)
    text = re.sub(r"!?\[([^\[\]]*)\]\((?!\s*-?[\d,])[^()]*(?:\([^()]*\))?[^()]*\)", r"\1", text)
    text = re.sub(r"</?[a-zA-Z][^<>]*>", "", text)
    text = text.replace("\\_", "_").replace("\\*", "*").replace("**", "").replace("`", "")
    return unicodedata.normalize("NFKC", text)


def number(text: str) -> int:
    """A digit or a Chinese numeral."""
    return NUMERALS[text] if text in NUMERALS else int(text)


_REFERENCE = re.compile(
    r"(?:其|数据类型|数据格式|维度|shape|格式|需要?|应|必须|要)*(?:与|和|同|跟)(?:入参|参数|输入|输出)?[“\"]?"
    r"(?P<name>[A-Za-z_][A-Za-z0-9_]*)[”\"]?(?:参数|的)?(?:的?(?:数据类型|数据格式|维度|shape|维度数))?(?:需|应|要|必须|是)*"
    r"(?:保持)?(?:一致|相同|一样|同)?[。;]?",
    re.IGNORECASE,
)


def same_as(text: str) -> str | None:
    """The parameter that a cell refers to with "same as x"."""
    match = _REFERENCE.fullmatch(re.sub(r"\s", "", plain(text)))
    return match["name"] if match else None


_DIM = r"\s*(?:维|D|d)?"
_RANGE = re.compile(rf"(?:shape)?\s*(\d){_DIM}\s*(?:-|~|–|—|至|到)+\s*(\d){_DIM}(?:tensor|张量)?", re.IGNORECASE)
_AT_MOST = re.compile(
    rf"(?:shape|维度|维数)?(?:不超过|不大于|不高于|小于等于|最大支持|最大|<=|≤|最高|最高支持|最多|最多支持|不能超过|不支持)"
    rf"\s*(\d|[{_NUMERAL}])\s*维?(?P<above>以上)?(?:的?tensor)?",
    re.IGNORECASE,
)
_AT_LEAST = re.compile(
    rf"(?:shape|维度|维数)?(?:不小于|大于等于|>=|≥|至少|最少)\s*(\d|[{_NUMERAL}])\s*维?", re.IGNORECASE
)
_ITEM = rf"(?:\d\s*[-~–]\s*\d|\d|[{_NUMERAL}])\s*(?:维|D|d)?(?:tensor|张量)?"
_LISTED = re.compile(rf"(?:shape)?{_ITEM}(?:\s*(?:[、,/;或和\n]|维或|\s)\s*{_ITEM})*", re.IGNORECASE)
_LAYOUT = re.compile(r"[(\[]\s*(?:ND|NZ|FRACTAL_NZ|NCHW|NHWC|NCDHW)\s*[)\]]")
_EXPLAINED = re.compile(
    r"(?:[,，。;\s]|(?<=[)\]]))*(?:其中|形如|说明)?(?:[A-Za-z_][A-Za-z_0-9]*)\s*(?:为|是|表示|代表|与|等于)[^()\[\]]*$|[,\s]*(?:其中|形如).*$",
    re.DOTALL,
)
_SHAPE = re.compile(r"[(\[]([^()\[\]]*)[)\]]")


def ranks(text: str) -> tuple[tuple[int, ...] | None, str]:
    """The numbers of dimensions that a cell allows, and how it says so.

    The second part is ``blank``, ``same``, ``range``, ``most``, ``least``, ``list``, ``shape`` (symbolic shapes such as
    ``(B, N)``) or ``unread``; there are no numbers after ``blank``, ``same`` and ``unread``.
    """
    cell = plain(text).strip().rstrip("。;,").strip()
    if cell in BLANK:
        return None, "blank"
    if same_as(cell):
        return None, "same"
    cell = re.sub(r"维度?(?=$|[^\d\w])", "维", cell)
    cell = re.sub(r"^(?:shape|维度|维数)?(?:仅)?(?:支持|为|仅支持|只支持|shape为|shape支持|[:：])\s*", "", cell)
    if match := _RANGE.fullmatch(cell):
        low, high = int(match[1]), int(match[2])
        return (tuple(range(low, high + 1)), "range") if low <= high <= MOST_DIMENSIONS else (None, "unread")
    if (match := _AT_MOST.fullmatch(cell)) and ("不支持" not in match[0] or match["above"]):
        return tuple(range(number(match[1]) + 1)), "most"
    if match := _AT_LEAST.fullmatch(cell):
        return tuple(range(number(match[1]), MOST_DIMENSIONS + 1)), "least"
    cell = _EXPLAINED.sub("", _LAYOUT.sub(" ", cell)).strip().rstrip("。;,").strip() or cell
    if match := re.fullmatch(r"(\d)维?(?:及以上|以上)", cell):
        return tuple(range(int(match[1]), MOST_DIMENSIONS + 1)), "least"
    if _LISTED.fullmatch(cell):
        found = set()
        for low, high, one in re.findall(rf"(\d)\s*[-~–]\s*(\d)|(\d|[{_NUMERAL}])", cell):
            found |= {number(one)} if one else set(range(int(low), int(high) + 1))
        if not found:
            return None, "unread"
        if len(found) > 1 and 1 not in found:
            found.discard(0)  # apart from the other ranks it stands for a tensor that is left out
        return (tuple(sorted(found)), "list") if max(found) <= MOST_DIMENSIONS else (None, "unread")
    if cell in ("标量", "scalar", "0维标量"):
        return (0,), "list"
    return _symbolic(cell)


def _symbolic(cell: str) -> tuple[tuple[int, ...] | None, str]:
    """The ranks of a cell that writes shapes in letters, one or several."""
    shapes = _SHAPE.findall(cell)
    rest = re.sub(r"\s", "", _SHAPE.sub("", cell))
    if not shapes or not re.fullmatch(r"(?:[、,/或者和及;:\d维A-Z_a-z]|shape|(?:仅)?支持)*", rest):
        return None, "unread"
    lengths = set()
    for shape in shapes:
        parts = [part for part in re.split(r"[,、]", shape) if part.strip()]
        if not parts or any(re.search(r"\.\.|…|^\s*\*\s*$", part) for part in parts):
            return None, "unread"
        lengths.add(len(parts))
    said = {int(one) for one in re.findall(r"(\d)\s*(?:维|或|$)", _SHAPE.sub("维", cell))}
    if max(lengths) > MOST_DIMENSIONS or (said and said != lengths):
        return None, "unread"
    return tuple(sorted(lengths)), "shape"


def direction(text: str) -> tuple[str | None, bool]:
    """``in``, ``out``, ``inout`` or nothing, and whether the text calls the parameter optional."""
    words = re.sub(r"\s", "", text)
    read = any(word in words for word in ("输入", "属性", "可选参数", "入参"))
    written = "输出" in words or "出参" in words
    key = {(True, True): "inout", (True, False): "in", (False, True): "out"}.get((read, written))
    return key, "可选" in words
