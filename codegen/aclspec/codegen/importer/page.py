"""A page as functions with their facts: the parts of the page read one after the other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from aclspec.codegen.importer.blocks import Block, Line, Table
from aclspec.codegen.importer.bullets import read_bullets, read_error_bullets
from aclspec.codegen.importer.document import read
from aclspec.codegen.importer.dtype_cells import DtypeCells
from aclspec.codegen.importer.error_table import is_error_table, read_error_table
from aclspec.codegen.importer.html_table import split_sentences
from aclspec.codegen.importer.joint_table import read_joint_table
from aclspec.codegen.importer.limits import MOST_BYTES, TooLarge, check_functions, check_tables
from aclspec.codegen.importer.model import Fact, Function, Place, Question, Sentence, Where
from aclspec.codegen.importer.parameter_table import is_parameter_table, read_parameter_table
from aclspec.codegen.importer.prototype import read_prototypes
from aclspec.codegen.importer.sections import constraints, of_function
from aclspec.codegen.importer.support import read_support
from aclspec.codegen.importer.vocabulary import BLANK, DTYPE, PRODUCTS, plain, products_in
from aclspec.codegen.source.findings import START, Finding
from aclspec.runtime.language.nodes import Position

_LEAD = re.compile("(?:\ue010[、,/和及\\s]*)+[::]?\\s*(.*)", re.DOTALL)
_SCENARIO = re.compile(r"(?:场景|情况|条件)下?(?:[^。;]{0,40}[::])?\s*$|^[-*\s]*(?:当(?!前)|如果|若)[^。;]*[::]\s*$")
"""The line above items that hold in some cases only."""
_CONFLICT = re.compile(r"^(?:<{7} |>{7} |={7}$)", re.MULTILINE)
_CLAUSES = re.compile(r"[;。](?=\S)|,(?=[^,]{0,40}(?:额外支持|不支持|仅支持|数据类型))")


@dataclass(slots=True)
class Page:
    """The functions of one page, and what was wrong with the page itself."""

    file: str
    functions: list[Function] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def read_page(path: Path) -> Page:
    """Read a file; one that is no page has findings and no functions."""
    page = Page(path.as_posix())
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        return _refuse(page, "unreadable", f"The page cannot be read ({(error.strerror or str(error)).lower()}).")
    if len(data) > MOST_BYTES:
        return _refuse(page, "huge", f"The page has more than {MOST_BYTES} bytes.")
    if b"\0" in data:
        return _refuse(page, "no-text", "The file is not a text.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return _refuse(page, "encoding", "The page is not UTF-8 text.")
    return read_text(text, page)


def _refuse(page: Page, kind: str, message: str) -> Page:
    page.findings.append(Finding(page.file, START, kind, message))
    return page


def read_text(text: str, page: Page) -> Page:
    """Read the text of a page."""
    if conflict := _CONFLICT.search(text):
        line = text.count("\n", 0, conflict.start()) + 1
        message = "The page holds the marks of a merge conflict; what stands between them may be read twice."
        page.findings.append(Finding(page.file, Position(line, 1), "merge-conflict", message, "warning"))
    try:
        check_tables(text)
        blocks = read(text)
        prototypes = read_prototypes(blocks)
        check_functions({name: [one.name for one in parameters] for name, parameters in prototypes.items()})
    except RecursionError:
        return _refuse(page, "nesting", "The page nests lists or quotations too deeply to be read.")
    except TooLarge as error:
        return _refuse(page, "huge", str(error))
    if not prototypes:
        message = "The page declares no function aclnn...GetWorkspaceSize; it is no page of an operator."
        return _refuse(page, "no-prototype", message)
    support = list(read_support(blocks, page.file))
    shared = constraints(blocks)
    for name, parameters in prototypes.items():
        function = Function(name, page.file, parameters, list(support))
        _Reader(function, page.file).read(of_function(blocks, name), shared)
        page.functions.append(function)
    return page


class _Reader:
    """One function."""

    def __init__(self, function: Function, file: str) -> None:
        self.function, self.file = function, file
        self.names = [one.name for one in function.parameters]
        self.cells = DtypeCells(function.products or PRODUCTS)

    def read(self, own: Sequence[Block], shared: Sequence[Block]) -> None:
        """Its section, then the constraints of the page."""
        errors = next((block for block in own if isinstance(block, Table) and is_error_table(block)), None)
        table = next((block for block in own if isinstance(block, Table) and is_parameter_table(block)), None)
        if table is not None:
            read_parameter_table(self.function, table, self.cells, self.file)
            after = own[list(map(id, own)).index(id(table)) + 1 :]
            self._notes(list(_before_errors(after, errors)), "note")
        elif not read_bullets(self.function, own, self.cells, self.file):
            self._ask("no-parameters", "The page has no table of parameters.", "页面没有参数表。")
        if errors is not None:
            read_error_table(self.function, errors, self.file)
        elif not read_error_bullets(self.function, own, self.file):
            self._ask("no-errors", "The page has no table of errors.", "页面没有错误码表。")
        self._notes(shared, "constraint")
        self._finish()

    def _ask(self, kind: str, en: str, zh: str) -> None:
        self.function.questions.append(Question(kind, "", en, zh, (Place(self.file, 1),)))

    def _notes(self, blocks: Sequence[Block], where: Where) -> None:
        """Lines with the products that they begin with, or that the line above them in the list has named."""
        inherited: list[tuple[int, tuple[str, ...]]] = []
        scenarios: list[int] = []
        for block in blocks:
            if isinstance(block, Table):
                if joint := read_joint_table(block, self.names, self.file):
                    self.function.joint.append(joint)
                elif where == "constraint":
                    self._table(block)
            elif isinstance(block, Line):
                while inherited and inherited[-1][0] >= block.depth:
                    inherited.pop()
                while scenarios and scenarios[-1] >= block.depth:
                    scenarios.pop()
                keys, rest = products_in(block.text)
                lead = _LEAD.fullmatch(rest.lstrip("-* "))
                products = block.products or (frozenset(inherited[-1][1]) if inherited else None)
                text = block.text
                if keys and lead:
                    products, text = frozenset(keys), lead[1]
                    if not text.strip():
                        inherited.append((block.depth, keys))
                        continue
                self._sentence(text.strip(), products, block.line, where, scenario=bool(scenarios))
                if _SCENARIO.search(block.text):
                    scenarios.append(block.depth)

    def _table(self, table: Table) -> None:
        """A table of constraints; a column may stand for products."""
        heads = [frozenset(products_in(cell.text)[0]) or None for cell in table.head]
        for row in table.rows[1:]:
            for place, cell in enumerate(row):
                head = heads[place] if place < len(heads) else None
                for part in cell.sentences() if head or not cell.copied else ():
                    if len(part.text) > 6 and re.search("[\u4e00-\u9fff]", part.text):
                        self._sentence(part.text, head or part.products, part.line, "constraint")

    def _sentence(
        self, text: str, products: frozenset[str] | None, line: int, where: Where, scenario: bool = False
    ) -> None:
        """A note about dtypes changes the cells; everything else waits for the grammar of sentences."""
        for sentence in split_sentences(text):
            if sentence.rstrip("。;") in BLANK:
                continue
            if products and DTYPE.search(sentence):
                clauses = [one for one in _CLAUSES.split(sentence) if one.strip()]
                if not scenario and self.cells.notes(clauses, sorted(products), self.names):
                    continue
            place = Place(self.file, line, "parameters" if where == "note" else "constraints")
            self.function.sentences.append(Sentence(where, plain(sentence), place, products, scenario=scenario))

    def _finish(self) -> None:
        self.function.add(*self.cells.facts())
        for parameter in self.function.parameters:
            self.function.add(*_implied(self.function, parameter.name))


def _before_errors(blocks: Sequence[Block], errors: Table | None) -> Iterator[Block]:
    for block in blocks:
        if block is errors or (isinstance(block, Line) and re.match(r"[-*\s]*返回值", block.text)):
            return
        yield block


def _implied(function: Function, name: str) -> Iterator[Fact]:
    """What follows from the C type, from the name and from references to other parameters."""
    parameter = function.parameter(name)
    assert parameter is not None
    if parameter.is_tensor and name.endswith("Ref"):
        yield Fact(name, "direction", "inout", "header", Place(function.page), None, "name")
    elif function.value(name, "direction") is None:
        written = parameter.is_tensor and not parameter.c_type.startswith("const")
        yield Fact(name, "direction", "out" if written else "in", "page", Place(function.page), None, "type")
    if name.endswith("Optional"):
        yield Fact(name, "optional", True, "page", Place(function.page), None, "name")
    for field_name in ("formats", "rank"):
        reference = next(function.about(name, f"{field_name}-as"), None)
        value = function.value(str(reference.value), field_name) if reference else None
        if reference and value is not None:
            yield Fact(name, field_name, value, "page", reference.place, None, "reference")
