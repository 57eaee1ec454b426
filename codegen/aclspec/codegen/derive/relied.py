"""Calls that break one of the rules that an inference relies on while the others hold."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from aclspec.codegen.derive.call import Call
from aclspec.codegen.derive.deriver import Deriver
from aclspec.codegen.derive.trial import BRANCHES
from aclspec.codegen.derive.wishes import Way, Wish
from aclspec.runtime.info import InferInfo


def one_broken(deriver: Deriver, item: InferInfo) -> Iterator[Call]:
    """A call for each way to break one of the rules, where there is one: another rule may stand in the way."""
    relied = deriver.info.relied_on(item)
    for at, node in enumerate(relied):
        rest = tuple(Wish(other, "true") for other in relied[:at] + relied[at + 1 :])
        for way in deriver.ways.plain(node, False):
            found = (_granted_in_turn(deriver, (*way, *rest), start) for start in (deriver.base, *deriver.seeds))
            yield from islice((call for call in found if call is not None), 1)


def _granted_in_turn(deriver: Deriver, way: Way, call: Call) -> Call | None:
    """The call with one wish granted after the other, each by the first move that takes none of those before it away.

    A search by the number of wishes would not get there: the rank of a tensor decides the length of many an array.
    """
    cell = deriver.cells[0]
    moves = deriver.solver.moves(cell)

    def granted(wishes: Way, call: Call) -> bool:
        return all(wish.granted(deriver.oracle.value(wish.node, call, cell)) for wish in wishes)

    for at, wish in enumerate(way):
        if granted((wish,), call):
            continue
        proposed = islice(moves.truth(wish.node, wish.want in ("true", "not false"), call), BRANCHES)
        moved = next((one for one in proposed if granted(way[: at + 1], one)), None)
        if moved is None:
            return None
        call = moved
    return call
