"""All functions of an operator: compiled to programs, and then written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aclspec.codegen.emit.check import CheckCompiler
from aclspec.codegen.emit.constants import Constant, Constants
from aclspec.codegen.emit.fact_set import FactSet, initial
from aclspec.codegen.emit.inference import compile_infer, compile_precision, output_name
from aclspec.codegen.emit.locals import Locals
from aclspec.codegen.emit.lowering import Lowering
from aclspec.codegen.emit.printer import lines
from aclspec.codegen.emit.scope import Scope, taken
from aclspec.runtime.rules.operator_info import OperatorInfo


@dataclass(frozen=True, slots=True)
class Functions:
    """The text of an operator's functions: their bodies and the constants.

    ``untyped`` are the pointers that are not null in ``check`` whenever some other condition holds, which no static
    type says; ``inferring`` are those in ``infer``. ``passed`` is what is known of a call that no rule refused.
    """

    check: tuple[str, ...]
    infer: tuple[str, ...]
    precision: tuple[str, ...]
    constants: tuple[Constant, ...]
    untyped: frozenset[str]
    inferring: frozenset[str]
    passed: FactSet


def emit(info: OperatorInfo, universe: tuple[str, ...], groups: Mapping[str, Sequence[str]]) -> Functions:
    """The functions of an operator, of all products and groups of them that there are, as far as its level has them."""
    if not info.facts.has_rules:
        return Functions((), (), (), (), frozenset(), frozenset(), initial(Scope(info, universe)))
    scope, constants, names = Scope(info, universe), Constants(universe, groups), taken(info)
    compiler = CheckCompiler(scope, constants)
    check = tuple(lines(Locals(compiler.lowering, names).bind(compiler.compile())))
    passed = compiler.known
    lowering = Lowering(scope, constants)
    outputs = {output_name(param) for param in info.params if param.is_output}
    infer = tuple(lines(Locals(lowering, names | outputs).bind(compile_infer(lowering, initial(scope)))))
    inferring = frozenset(lowering.untyped)
    lowering = Lowering(scope, constants)
    program = compile_precision(lowering, passed) if info.facts.has_kernel else iter(())
    precision = tuple(lines(Locals(lowering, names).bind(program)))
    used = tuple(constants.used((*check, *infer, *precision)))
    untyped = frozenset(compiler.lowering.untyped | lowering.untyped)
    return Functions(check, infer, precision, used, untyped, inferring, passed)
