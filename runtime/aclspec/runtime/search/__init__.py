"""Calls that differ a little from a call, and the verdict of the rules on each.

Derivation finds test cases with it, and `explain` finds what to change in a call that is refused.
"""
