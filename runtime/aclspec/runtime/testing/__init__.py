"""What generated tests call: the items of an operator over its derived calls, and the checks that run them."""

from aclspec.runtime.testing.data_runs import Numbers
from aclspec.runtime.testing.declared import Declared
from aclspec.runtime.testing.items import Item, Items
from aclspec.runtime.testing.reference_runs import References
from aclspec.runtime.testing.runner import Runner, reproduce
from aclspec.runtime.testing.suite import Case, Change, Combinations, Outcome, Suite, Sweep, Target

__all__ = [
    "Case",
    "Change",
    "Combinations",
    "Declared",
    "Item",
    "Items",
    "Numbers",
    "Outcome",
    "References",
    "Runner",
    "Suite",
    "Sweep",
    "Target",
    "reproduce",
]
