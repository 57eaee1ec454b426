"""What generated tests call: the statements of a suite, and the checks that run it on an operator."""

from aclspec.runtime.testing.data_runs import Numbers
from aclspec.runtime.testing.declared import Declared
from aclspec.runtime.testing.reference_runs import References
from aclspec.runtime.testing.runner import Runner, reproduce
from aclspec.runtime.testing.statements import Calls
from aclspec.runtime.testing.suite import Case, Cell, Change, Combinations, Outcome, Suite, Sweep

__all__ = [
    "Calls",
    "Case",
    "Cell",
    "Change",
    "Combinations",
    "Declared",
    "Numbers",
    "Outcome",
    "References",
    "Runner",
    "Suite",
    "Sweep",
    "reproduce",
]
