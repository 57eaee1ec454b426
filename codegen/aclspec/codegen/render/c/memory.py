"""The memory that a check needs: depth, operands, variables, and what is kept of a call."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from aclspec.codegen.render.c.operator import Encoded
from aclspec.codegen.render.c.predicates import NUMBERS, nodes_below
from aclspec.codegen.render.c.tables import NONE, NodeRow, Part, Tables

FRAME: Final = 240
"""The bytes of the stack for one level of nodes."""
VALUE: Final = 32
"""The bytes of a value in C."""
_REST: Final = 160
KEPT: Final = 40
"""The most values that are kept of a call: 1.3 KB of stack. Without them a long list is read once for each element."""
ELEMENTS: Final = 40
"""The most elements of lists that are kept with them; of other lists they are evaluated again."""
_CHEAP: Final = frozenset({"OP_NUMBER", "OP_REAL", "OP_TEXT", "OP_PARAM", "OP_VARIABLE", "OP_IS_NULL", "OP_SAME"})
_EVALUATED: Final = frozenset(
    NUMBERS[name] for name in ("broadcast", "index_shape", "replace", "remove", "insert", "reduce")
)
_ROOM: Final = {"LIST": 3, "EACH": 3, "JOIN": 3, "ALL": 1, "ANY": 1, "INDEX": 2}
"""The operands of an operation, those of reading an element of its list included; of others two."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What the compiler asserts that the stack has room for, and the slot of each node that is kept."""

    stack: int
    depth: int
    operands: int
    variables: int
    slots: int
    slot_of: dict[int, int]


def limits(tables: Tables, operators: Sequence[Encoded]) -> Limits:
    """The limits of the tables of some operators."""
    depth: dict[int, int] = {}
    room: dict[int, int] = {}
    free: dict[int, frozenset[int]] = {}
    cost: dict[int, int] = {}
    for index, row in enumerate(tables.nodes.values):  # children come before their parents
        below = list(nodes_below(tables, index))
        op = row.op.removeprefix("OP_")
        own = 2 + row.b if op == "CALL" else _ROOM.get(op, 2)
        depth[index] = 1 + max((depth[one] for one in below), default=0)
        room[index] = own + max((room[one] for one in below), default=0)
        cost[index] = 1 + sum(cost[one] for one in below)
        bound = {row.c} if op in ("ALL", "ANY", "EACH") else set()
        variable = {row.a} if op == "VARIABLE" or (op == "IS_NULL" and row.b < 0) else set()
        free[index] = frozenset(variable.union(*(free[one] for one in below)) - bound)
    most = [max(found.values(), default=0) for found in (depth, room)]
    checked = [row.checked for row in tables.params if row.checked != NONE]
    if checked:  # rows of dtypes evaluate these below themselves
        most[0] += max(depth[one] for one in checked)
        most[1] += max(room[one] for one in checked)
    levels = [row.c + 1 for row in tables.nodes.values if row.op in ("OP_ALL", "OP_ANY", "OP_EACH")]
    variables, operands = max(levels, default=0) + 1, most[1] + _nesting(tables) + 1
    needed = FRAME * (most[0] + 2) + VALUE * operands + (VALUE + 8) * variables + 8 * ELEMENTS + _REST
    slot_of = _slots(tables, operators, {one for one in cost if cost[one] > 2 and not free[one]})
    slots = max(slot_of.values(), default=0)
    return Limits(needed + slots * (VALUE + 1), most[0], operands, variables, slots, slot_of)


def _slots(tables: Tables, operators: Sequence[Encoded], closed: set[int]) -> dict[int, int]:
    """A slot for each node that an operator's rules evaluate more than once; no two of one operator share one.

    Where there are more nodes than slots, those that are evaluated most often have one.
    """
    wanted: Counter[int] = Counter()
    users: dict[int, list[int]] = defaultdict(list)
    for number, one in enumerate(operators):
        uses = _uses(tables, one.roots)
        said = _uses(tables, [node for text in one.templates for node in _nodes_of(tables, text)])
        for index in (uses | said).keys() & closed:
            if tables.nodes.values[index].op not in _CHEAP:
                is_read_again = index in uses and _is_evaluated_list(tables.nodes.values[index])
                wanted[index] += max(uses[index] - 1 + is_read_again, 0)
                users[index].append(number)  # also where it is evaluated once: it is written to its slot there too
    taken: dict[int, set[int]] = defaultdict(set)
    found: dict[int, int] = {}
    for index in sorted((one for one in wanted if wanted[one] > 0), key=lambda one: (-wanted[one], one)):
        used = set().union(*(taken[number] for number in users[index]))
        slot = next(one for one in range(1, len(used) + 2) if one not in used)
        if slot <= KEPT:
            found[index] = slot
            for number in users[index]:
                taken[number].add(slot)
    return found


def _is_evaluated_list(row: NodeRow) -> bool:
    """Whether a node is a list whose elements are evaluated, so that it pays to keep them."""
    return row.op in ("OP_JOIN", "OP_EACH") or (row.op == "OP_CALL" and row.c in _EVALUATED)


def _uses(tables: Tables, roots: Sequence[int]) -> Counter[int]:
    """How many nodes, or rules, need each node at or below some."""
    uses = Counter(roots)
    pending = list(uses)
    seen = set(pending)
    while pending:
        below = list(nodes_below(tables, pending.pop()))
        uses.update(below)
        pending += [one for one in dict.fromkeys(below) if one not in seen]
        seen.update(below)
    return uses


def _nodes_of(tables: Tables, template: int) -> Iterator[int]:
    """The nodes that a template and those in it name."""
    first, count = tables.templates.values[template]
    for part in tables.parts.values[first : first + count]:
        if part.kind in ("P_VALUE", "P_ASIDE", "P_WORKED", "P_CHOICE", "P_ELEMENT"):
            yield part.a
        for inner in _texts(tables, part):
            yield from _nodes_of(tables, inner)


def _nesting(tables: Tables) -> int:
    """How deep templates stand inside each other."""
    depth: dict[int, int] = {}
    for index, (first, count) in enumerate(tables.templates.values):  # inner templates come before outer ones
        inner = [depth[one] for part in tables.parts.values[first : first + count] for one in _texts(tables, part)]
        depth[index] = 1 + max(inner, default=0)
    return max(depth.values(), default=0)


def _texts(tables: Tables, part: Part) -> list[int]:
    return tables.children.values[part.b : part.b + part.c] if part.kind in ("P_CHOICE", "P_ELEMENT") else []
