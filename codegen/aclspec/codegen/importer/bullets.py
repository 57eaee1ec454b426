"""The older form of a page: one list item for each parameter, and error codes as list items."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aclspec.codegen.importer.blocks import Block, Line
from aclspec.codegen.importer.dtype_cells import DtypeCells
from aclspec.codegen.importer.html_table import split_sentences
from aclspec.codegen.importer.model import TRAILING, Fact, Function, Place, Sentence
from aclspec.codegen.importer.vocabulary import direction, formats, plain, products_in, ranks, same_as

_ITEM = re.compile(r"(?:[-*+]\s+)?(?P<name>\w+)\s*(?:\((?P<type>[^()]*(?:\([^()]*\))?[^()]*)\))?\s*:\s*(?P<text>.*)")
_CODE = re.compile(r"(?:返回)?\s*(?<!\d)(?P<code>[1356]6\d{4})(?!\d)\s*(?:\(?\s*ACLNN_\w+\)?)?[):\s]*")
_LEAD = re.compile("(?:\ue010[、,/和及\\s]*)+[::]?\\s*(.*)")
_RANK = re.compile(
    r"(?:shape|维度|维数)?\s*(?<!不)(?:仅|只)?支持\s*([\d一二三四五六七八]\s*维?\s*(?:[-~到至或、]\s*[\d一二三四五六七八]\s*)?维)"
)
_MOST = re.compile(
    r"维度?(?:需要?)?(?:(?:不超过|不大于|不高于|最高支持)\s*(?P<most>\d)|不支持\s*(?P<above>\d)\s*维以上)"
)


def read_bullets(function: Function, blocks: Sequence[Block], cells: DtypeCells, file: str) -> bool:
    """Take the facts of the items; whether any item is about a parameter."""
    name, seen = "", set()
    for block in blocks:
        if not isinstance(block, Line):
            continue
        text = plain(block.text).strip()
        if re.match(r"[-*\s]*返回值", text):
            break
        item = _ITEM.fullmatch(text)
        parameter = function.parameter(item["name"]) if item else None
        place = Place(file, block.line, "parameters")
        keys, rest = products_in(text)
        if keys and name and (lead := _LEAD.fullmatch(rest)):
            cells.note(lead[1], keys, [name])
            _facts(function, name, lead[1], keys, cells, place)
        elif item and item["name"] in TRAILING:
            name = ""
        elif item and parameter is not None and parameter.name not in seen:
            name = parameter.name
            seen.add(name)
            said = item["type"] or ""
            lead_words = re.split("[,。]", item["text"].removeprefix("Device侧的aclTensor,"))[0]
            way, optional = direction(said if re.search("输入|输出|入参|出参|属性", said) else lead_words)
            if way:
                function.add(Fact(name, "direction", way, "page", place))
            if optional:
                function.add(Fact(name, "optional", True, "page", place))
            _sentences(function, name, item["text"], place)
            _facts(function, name, item["text"], cells.supported, cells, place)
        elif name:
            _sentences(function, name, text, place)
            _facts(function, name, text, sorted(block.products or cells.supported), cells, place)
    return bool(seen)


def _sentences(function: Function, name: str, text: str, place: Place) -> None:
    for sentence in split_sentences(text):
        function.sentences.append(Sentence("usage", sentence, place, None, name))


def _facts(function: Function, name: str, text: str, products: Sequence[str], cells: DtypeCells, place: Place) -> None:
    """What the clauses of one item say of its parameter."""

    def fact(field: str, value: object) -> None:
        function.add(Fact(name, field, value, "page", place, None, "sentence"))

    for clause in (one.strip() for one in re.split(r"[,。;](?!\s*[A-Z0-9_]+[,、])", text)):
        if match := re.search("数据类型(?:仅|只)?(?:支持|为)(.*)", clause):
            cells.put_text(name, match[1], products, place)
        elif "类型" in clause and (target := same_as(clause.removeprefix("且"))):
            cells.references[name] = target
        if (match := re.search("数据格式(?:仅|只)?支持(.*)", clause)) and (found := formats(match[1])):
            fact("formats", found)
        if match := _RANK.search(clause):
            if (listed := ranks(match[1])[0]) is not None:
                fact("rank", listed)
        elif match := _MOST.search(clause):
            fact("rank", tuple(range(int(match["most"] or match["above"]) + 1)))
        if "非连续" in clause:
            fact("noncontiguous", "不支持非连续" not in clause)


def read_error_bullets(function: Function, blocks: Sequence[Block], file: str) -> bool:
    """Take the error rows that are list items; whether there are any."""
    code, found = "", False
    for block in blocks:
        if not isinstance(block, Line):
            continue
        text = re.sub(r"^[-*+]\s+", "", plain(block.text).strip())
        if match := _CODE.search(text):
            code, text = match["code"], text[match.end() :]
        for sentence in split_sentences(re.sub(r"^\d+[.、]\s*", "", text)) if code else ():
            place = Place(file, block.line, "errors")
            function.sentences.append(Sentence("error", sentence, place, block.products, status=code))
            found = True
    return found
