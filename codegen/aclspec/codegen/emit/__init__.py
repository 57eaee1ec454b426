"""From the AST of a predicate to straight-line Python.

A predicate is true, false or undefined; Python knows two of these. So a rule is written as the condition under which
it *fails*, and the facts that earlier rules and outer conditions established make most of the guards fall away.
"""
