"""Small changes of a call, stated once, and the verdict of the rules on each changed call.

Derivation finds test cases with it, `explain` what to change in a call that is refused, and `conform` the least call
that shows a fault.
"""
