"""What generated tests call: the data of a suite, and the checks that run it on an operator."""

from aclspec.runtime.testing.numbers import Numbers
from aclspec.runtime.testing.reproduce import reproduce
from aclspec.runtime.testing.runner import Runner
from aclspec.runtime.testing.suite import Case, Cell, Change, Combinations, Outcome, Suite, Sweep

__all__ = ["Case", "Cell", "Change", "Combinations", "Numbers", "Outcome", "Runner", "Suite", "Sweep", "reproduce"]
