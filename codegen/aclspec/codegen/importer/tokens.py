"""A Chinese sentence as tokens: names of parameters, dtypes, numbers, and the words that matter.

Words without weight are dropped; a word that is not known stays as the token ``other``, so that no form of the
grammar fits a sentence with a word that nobody understood.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from aclspec.codegen.importer.model import Parameter
from aclspec.codegen.importer.vocabulary import DTYPE, FORMAT, NUMERALS, dtypes, formats, plain, products_in

WORDS: tuple[tuple[str, str], ...] = (  # the first that fits at a place wins: longer words stand before their parts
    (
        "unsupported",
        r"在支持(?:的)?范围(?:之外|外)|不符合(?:当前)?支持的(?:值|类型|范围)|不是支持的(?:数据类型|值)?|(?:不在|不属于)(?:其|算子)?(?:可)?(?:支持|合法|有效|规定|要求|取值|指定)(?:的)?(?:数据类型|类型|产品)?(?:范围|列表|取值|集合)?(?:之?内|中|里|之列|以内)?|不在范围之?内"
        r"|(?:超出|超过|超)(?:了)?(?:其|算子)?(?:可)?(?:支持|合法|有效|规定|要求|取值|指定)?(?:的)?范围|不(?:被|受)?支持|不合法|非法|不合规|不在取值范围内|不在(?:允许|可选)范围(?:之?内)?",
    ),
    ("supported", r"在支持(?:的)?范围(?:之?内|中)?"),
    ("unsatisfied", r"不(?:能)?(?:满足|符合|遵循|匹配上)|无法(?:满足|符合)|没有(?:满足|符合)"),
    ("satisfied", r"(?:满足|符合|遵循)"),
    (
        "requirement",
        r"(?:参数说明|约束说明|约束条件|约束|要求|规则|原则|条件|限制|说明|关系)(?:中)?(?:的)?(?:要求|约束|限制|描述|条件|说明)?",
    ),
    ("tensorlist", r"[tT]ensor\s?[lL]ist|张量列表|列表"),
    ("emptytensor", r"空\s?(?:[tT]ensor|张量)"),
    ("filled", r"(?:不为|不是|非)空\s?(?:[tT]ensor|张量)"),
    ("given", r"不为(?:空指针|空|nullptr)|不是空指针|非空(?:指针)?|不等于空指针|非空指针"),
    ("null", r"空指针|nullptr|NULL|[Nn]ull|空(?!间)"),
    ("dtype", r"数据类型|数据dtype|[dD]atatype|dtype|元素类型|数据的类型|类型|(?<![A-Za-z])type(?![A-Za-z])"),
    ("format", r"数据格式|(?:存储)?格式|format"),
    ("dimsize", r"维度值"),
    (
        "rankword",
        r"\.dim\(\)|\.dim(?![A-Za-z])|dim(?:\(\)|数|Num)|维度数量?|维度个数|维度的个数|维数|维度大小|维度的数量|dim数|维度的?长度|秩|shape的?维度数?|shape的?size",
    ),
    ("repeated", r"(?:存在)?重复|不唯一|相互重复"),
    (
        "internal",
        r"(?:API\s?内部校验|API调用npu\s?runtime的?接口|(?:API)?内部创建aclOpExecutor|(?:算子|kernel)?执行失败)[^。]*",
    ),
    ("platform", r"(?:硬件)?(?:平台|处理器)|产品型号|芯片(?:型号)?|[sS]oc(?:型号|版本)?|硬件"),
    ("private", r"私有(?:数据)?格式|内部格式"),
    ("shape", r"尺寸|(?i:shape)(?:信息|大小)?|形状|维度信息"),
    ("dims", r"维度(?!\d)|dim(?![A-Za-z_])"),
    ("nd", r"维"),
    ("numel", r"元素(?:的)?(?:总)?(?:个数|数量|数目|总数|数(?!据))|numel"),
    ("length", r"(?:数组|列表)?(?:长度|size(?:大小)?|[Ll]ength|len|个数|数量)"),
    ("element", r"元素(?:的)?(?:取?值|数值)?|(?<=数组)数据|成员"),
    ("value", r"取值范围|取值|数值|的值|参数值|值"),
    ("size", r"大小"),
    (
        "dimindex",
        r"(?:倒数)?第\s?(?:一|二|三|四|五|零|0)\s?(?:个|根)?(?:维度?|轴)|最后一?(?:个|根)?(?:维度?|轴)|尾轴|首轴",
    ),
    (
        "letteraxis",
        r"(?<![A-Za-z])(?:NC|N\s?[/、和与,或]\s?C|[NC])\s?(?:轴|维度?|通道)|(?:channel|通道)(?:轴|维度?|数)?",
    ),
    ("broadcast", r"(?i:broadcast)(?:关系|规则|推导|要求)?|广播(?:关系|规则)?"),
    (
        "inferred",
        r"(?i:infer\s?shape)(?:推导)?(?:结果)?|(?:根据|通过|由|经过)?(?:公式|参数)?(?:计算|推导(?=得到shape|的shape|出的?shape))(?:得到|得出|出来|出|得|之?后)|(?:计算得到|预期|期望|实际|正向传播)(?:输出)?",
    ),
    ("promote", r"(?:数据)?(?:类型)?(?:互)?(?:推导|推断|提升)(?:规则|关系|得到|出来?|出)?"),
    ("cast", r"(?:互|隐式|相互|类型)?(?:转换|转化|转)(?:成|为|到|规则|关系)?|(?i:cast)(?:到|成|为|成为)?"),
    ("cannot", r"无法(?:做|进行|完成)?|不能(?:够)?(?:做|进行)?|不可以?(?:做|进行)?|不允许"),
    ("can", r"可(?!选)以?|能够?|允许"),
    ("ge", r"大于(?:或|或者)?等于|大于或?等于|>=|≥|不小于|不少于|不低于|不能小于|不得小于|不可小于|不能少于|至少"),
    (
        "le",
        r"小于(?:或|或者)?等于|等于或小于|<=|≤|不大于|不超过|不高于|不多于|不能大于|不能超过|不得超过|不可超过|不得大于|至多|最大支持|最大为|最多支持|最大不超过",
    ),
    ("gt", r"大于|超过|超出|高于|多于|>"),
    ("lt", r"小于|低于|少于|不足|<"),
    (
        "differ",
        r"不是完全(?:相同|一致)的?|不(?:完全|能保持|保持|相互|能)?(?:一致|相同|同|相等|匹配|等(?!于)|一样)|不对应|存在差异|不能对应",
    ),
    ("same", r"(?:保持)?(?:完全)?(?:相)?(?:一致|相同|相等|匹配|一样)|(?:保持)(?:一致|相同)|相匹配|对应"),
    ("notin", r"不在|不属于|不是其中"),
    ("ne", r"不等于|不是|不为|!=|≠|非(?!负|空|连续|正)"),
    ("noncontiguous", r"非连续(?:的)?(?:[tT]ensor|张量)?"),
    ("nonnegative", r"非负(?:数|整数|值)?|自然数"),
    ("positive", r"正(?:整)?数|正值"),
    ("negative", r"负(?:整)?数|负值"),
    ("multiple", r"(?:的)?整?倍数|整除"),
    ("even", r"偶数"),
    ("eq", r"等于|固定为|只能是|为|是|==|="),
    ("axis", r"轴"),
    ("true", r"[tT]rue|TRUE"),
    ("false", r"[fF]alse|FALSE"),
    ("cond", r"当(?!前)|如果|假如|若|时(?!候|间|刻)|场景下?|情况下"),
    ("exist", r"存在|含有|包含|有"),
    ("invalid", r"(?:不正确|有误|错误|不对|无效|异常|不满足预期|不符合预期|不合理)"),
    (
        "must",
        r"要求(?=与|和|同|为|是|均|大于|小于)|必须|必需|应当|应该|应|需要|需|须|要|只能|只支持|仅支持|务必|目前仅支持",
    ),
    ("support", r"支持"),
    ("inputs", r"(?:所有|全部)?(?:的)?(?:输入|入参)"),
    ("outputs", r"(?:所有|全部)?(?:的)?(?:输出|出参)"),
)
_DROPPED = re.compile(
    r"则?(?:报错)?返回\S*$|[三四]?值?(?:中的)?之一|其中一个|任[何意]?一个|一个|等(?!于)|向|了|以后|校验|任何|其他|其它|操作|经过|一者|的|传入|传递|参数(?!说明)|必选|必须传入|可选|指针类型|指针|计算|指定|目前|当前|其中|(?:且|均|都|各自|分别|其)|之间|之后|之前|后|得到|出来|出|之内|范围内?|内|中"
    r"|一个|某个|任意|每个|所有|多个|几个|两个|两者|二者|三者|以及|或者|并且|同时|和|与|跟|同|及|或|并|、|,|/|\\|&|。|;|:|\"|“|”|'|‘|’|`|\s|\(|\)|不同时"
    r"|[tT]ensor|张量|aclTensor|Tensor类型|接口|算子|数据|在|被|对|将|则|该|此|进行|做|到|至|个|即|属性|变量|标量|数组|参与|情况|目标|最终|实际|自身"
)
_INTERVAL = re.compile(
    r"(?P<open>[\[(])(?P<low>[^\[\](),~、]*(?:\(\)[^\[\](),~、]*)*)[,~](?P<high>[^\[\](),、]*(?:\(\)[^\[\](),、]*)*)(?P<shut>[\])])"
)
_ITEMS = r"-?\d+(?:\.\d+)?"
_SET = re.compile(  # two numbers in square brackets are an interval, not a list
    rf"[{{](?P<braced>\s*{_ITEMS}(?:\s*[,、/]\s*{_ITEMS})*\s*)[}}]"
    rf"|[\[(](?P<items>\s*{_ITEMS}(?:(?:\s*[,、/]\s*{_ITEMS}){{2,}})?\s*)[\])]"
)
_SPAN = re.compile(
    r"(?<![\d.])(-?\d+)\s*[~～]\s*(-?\d+)|(?<![\d.])(\d+)\s*(?:-|到|至)\s*(\d+)(?=\s*维|D)|(?<![\d.])(-?\d+)(?:\s*(?:和|与|到|至|,)\s*)(-?\d+)\s*(?=之间)"
)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE]-?\d+)?(?![A-Za-z_])(?=(?:\s*D(?![A-Za-z]))?)")
_QUOTED = re.compile(r"[\"“'‘]([A-Za-z_][A-Za-z0-9_\-]*)[\"”'’]")
_REFERENCE = re.compile(
    r"\((?:若|如果)?(?:非空|不为空|存在|可选|不为空指针)(?:时|的话)?\)|\(?(?:具体|详细|详情)?(?:请)?(?:参见|参考|详见|见)[^()。;,]*\)?|\([^()]*(?:ACLNN_\w+|1610\d\d)[^()]*\)"
)
_COMPILED = tuple((word, re.compile(pattern)) for word, pattern in WORDS)


@dataclass(frozen=True, slots=True)
class Token:
    """A word of the grammar, with what stands behind it: names, dtypes, numbers or an interval."""

    word: str
    values: tuple[str, ...] = ()


class Tokens:
    """Reads sentences about the parameters of one function."""

    def __init__(self, parameters: Sequence[Parameter]) -> None:
        """Know the names of the parameters, and what else pages call them."""
        known = {one.name for one in parameters if one.name}
        self.aliases = {name: name for name in known} | {
            alias: name for name in known for alias in _aliases(name) if alias and alias not in known
        }
        names = sorted(self.aliases, key=len, reverse=True)
        pattern = "|".join(re.escape(name) for name in names) or "(?!)"
        self.name = re.compile(rf"(?<![A-Za-z0-9_.])(?:{pattern})(?![A-Za-z0-9_])")
        self.product = re.compile(rf"({self.name.pattern})\s*@\s*({self.name.pattern})")

    def read(self, text: str) -> list[Token]:
        """The tokens of a sentence; names beside each other are one token."""
        rest = _REFERENCE.sub("", products_in(plain(text), "")[1]).strip()
        rest = re.sub(r"^\s*(?:\d+[.、)]|[-*•·])\s*", "", rest)
        tokens: list[Token] = []
        at = 0
        while at < len(rest):
            token, length = self._at(rest, at)
            if token is not None:
                _append(tokens, token)
            at += length
        return tokens

    def _at(self, text: str, at: int) -> tuple[Token | None, int]:
        """The token at a place, or None for a word without weight, and its length."""
        if match := self.product.match(text, at):
            return Token("product", (self.aliases[match[1]], self.aliases[match[2]])), len(match[0])
        if match := self.name.match(text, at):
            return Token("names", (self.aliases[match[0]],)), len(match[0])
        if match := _SET.match(text, at):
            return Token("numbers", tuple(re.findall(_ITEMS, match["items"] or match["braced"]))), len(match[0])
        if (match := _INTERVAL.match(text, at)) and not _is_pair(match):
            return Token("interval", (match["open"], match["low"], match["high"], match["shut"])), len(match[0])
        if match := _SPAN.match(text, at):
            low, high = (one for one in match.groups() if one is not None)
            return Token("interval", ("[", low, high, "]")), len(match[0])
        if match := DTYPE.match(text, at):
            return Token("dtypes", dtypes(match[0])), len(match[0])
        if match := FORMAT.match(text, at):
            return Token("formats", formats(match[0])), len(match[0])
        if match := _QUOTED.match(text, at):
            return Token("string", (match[1],)), len(match[0])
        if match := _NUMBER.match(text, at):
            return Token("numbers", (match[0],)), len(match[0])
        if match := re.match(r"([零一二两三四五六七八])(?=维)", text[at : at + 2]):
            return Token("numbers", (str(NUMERALS[match[1]]),)), 1
        if match := re.match(r"D(?![A-Za-z])", text[at : at + 2]):
            return Token("nd"), 1
        for word, pattern in _COMPILED:
            if match := pattern.match(text, at):
                return Token(word, (match[0],)), len(match[0])
        if match := _DROPPED.match(text, at):
            return None, len(match[0])
        match = re.compile(r"[A-Za-z0-9_]+|.", re.DOTALL).match(text, at)
        assert match is not None
        return Token("other", (match[0],)), len(match[0])


def _is_pair(match: re.Match[str]) -> bool:
    """Whether ``(1, 1)`` is two numbers: no number lies in the interval."""
    low, high = match["low"].strip(), match["high"].strip()
    closed = match["open"] == "[" and match["shut"] == "]"
    return not closed and all(map(re.compile(r"-?\d+(?:\.\d+)?").fullmatch, (low, high))) and float(low) >= float(high)


def _aliases(name: str) -> list[str]:
    """Other names that pages use for a parameter: without its ending, or in lower case."""
    bare = [name.removesuffix(ending) for ending in ("Ref", "Optional") if name.endswith(ending)]
    return [*bare, *(one.lower() for one in (name, *bare) if len(one) > 4 and one.lower() != one)]


_LISTS = ("dtypes", "formats", "numbers", "string")


def _append(tokens: list[Token], token: Token) -> None:
    """Add a token; names, and values of one kind, join the token before them."""
    last = tokens[-1] if tokens else None
    if last is not None and last.word == token.word and token.word in ("names", *_LISTS, "other"):
        joined = (*last.values, *(value for value in token.values if value not in last.values))
        tokens[-1] = Token(token.word, joined)
    elif last is not None and last.word == "names" and token.word == "tensorlist":
        pass
    elif last is not None and last.word in ("inputs", "outputs") and token.word == "names":
        tokens.pop()  # "the input x" is x
        _append(tokens, token)
    elif last is not None and last.word == token.word and token.word in ("eq", "must", "shape", "dtype", "cond"):
        pass
    else:
        tokens.append(token)
