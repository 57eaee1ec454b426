"""The module of one operator: checks, inference, precision, binding."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from aclspec.codegen.emit.operator import Functions, emit
from aclspec.codegen.emit.tables import Constant
from aclspec.codegen.load import Operator
from aclspec.codegen.render.docview import DocView
from aclspec.codegen.render.environment import docstring, template
from aclspec.codegen.render.names import import_lines, result_class
from aclspec.codegen.render.params import Context, OutputView, ParamView
from aclspec.codegen.render.target import Target
from aclspec.runtime.info import ParamInfo

_IMPORTS = {
    "DType": "aclspec.runtime.dtypes",
    "Format": "aclspec.runtime.formats",
    "Any": "typing",
    "Tensor": "aclspec.runtime.tensor",
    "Sequence": "collections.abc",
    "ScalarLike": "aclspec.runtime.annotations",
    "TensorLike": "aclspec.runtime.annotations",
    "DTypeLike": "aclspec.runtime.annotations",
}


@dataclass(frozen=True)
class OperatorView:
    """What the template of an operator's module sees."""

    operator: Operator
    target: Target
    functions: Functions

    @property
    def constants(self) -> tuple[Constant, ...]:
        """The constants of the module."""
        return self.functions.program.constants

    @property
    def name(self) -> str:
        """The C name."""
        return self.operator.info.name

    @property
    def snake(self) -> str:
        """The Python name."""
        return self.operator.info.snake

    @property
    def header(self) -> str:
        """The first line of every generated file."""
        return self.target.header(self.operator.info.spec)

    @property
    def result(self) -> str:
        """The class of the outputs."""
        return result_class(self.name)

    @property
    def kernel(self) -> str:
        """Where the kernel is."""
        return self.operator.info.compute.kernel

    @property
    def info_module(self) -> str:
        """The module of the compiled spec."""
        return f"{self.target.package}._info.{self.snake}"

    @property
    def check(self) -> tuple[str, ...]:
        """The body of ``check``."""
        return self._unhidden(self.functions.check)

    @property
    def infer(self) -> tuple[str, ...]:
        """The body of ``infer``."""
        return self._unhidden(self.functions.infer)

    @property
    def precision(self) -> tuple[str, ...]:
        """The body of ``precision``."""
        return self._unhidden(self.functions.precision)

    @property
    def verdicts(self) -> tuple[str, ...]:
        """The verdicts that ``check`` returns."""
        return self.functions.verdicts

    @cached_property
    def params(self) -> tuple[ParamView, ...]:
        """Every parameter, in C order."""
        return tuple(ParamView(param, self._context(param)) for param in self.operator.info.params)

    @cached_property
    def inputs(self) -> tuple[ParamView, ...]:
        """The arguments of the Python function."""
        return tuple(param for param in self.params if param.param.direction != "out")

    @cached_property
    def outputs(self) -> tuple[OutputView, ...]:
        """What the Python function returns."""
        rules = {rule.param: rule for rule in self.operator.info.infer}
        outputs = (param for param in self.operator.info.params if param.is_output)
        return tuple(OutputView(param, self._context(param), rules.get(param.name)) for param in outputs)

    def _context(self, param: ParamInfo) -> Context:
        inputs = [other for other in self.operator.info.params if other.direction != "out"]
        later = inputs[inputs.index(param) :] if param in inputs else []
        return Context(
            info=self.operator.info,
            correlated=param.name in self.functions.program.correlated,
            inferring=param.name in self.functions.program.inferring,
            passed=self.functions.program.passed,
            omittable=all(other.optional or other.has_default for other in later),
        )

    @property
    def settings(self) -> bool:
        """Whether the precision table has settings beside its roles."""
        return any(row.settings for row in self.operator.info.compute.precision)

    @property
    def precision_type(self) -> str:
        """The type of what ``precision`` gives for a name."""
        return "DType | str | int" if self.settings else "DType"

    @property
    def local(self) -> str:
        """The local of the Python function."""
        return "outputs_" if any(param.snake == "outputs" for param in self.inputs) else "outputs"

    @property
    def shadows(self) -> tuple[str, ...]:
        """The rules of the linter about names of builtins that the module breaks for the sake of C's names."""
        names = {spelling for param in self.params for spelling in (param.identifier, param.c_name)}
        names |= {param.snake for param in self.inputs}
        arguments = any(hasattr(builtins, name) for name in names)
        return (*(("A001",) if self._hides else ()), *(("A002",) if arguments else ()))

    @property
    def _hides(self) -> bool:
        """Whether the Python function has the name of a builtin."""
        return hasattr(builtins, self.snake)

    def _unhidden(self, lines: Iterable[str]) -> tuple[str, ...]:
        """The code with calls of the builtin that the Python function hides in its module spelled out."""
        if not self._hides:
            return tuple(lines)
        hidden = re.compile(rf"(?<![\w.]){self.snake}\(")
        return tuple(
            line if line.lstrip().startswith("#") else hidden.sub(f"builtins.{self.snake}(", line) for line in lines
        )

    @property
    def docstring(self) -> str:
        """The docstring of the Python function."""
        return docstring(template("docstring.j2").render(op=DocView(self.operator, self.inputs, self.outputs)), 4)

    @cached_property
    def imports(self) -> tuple[str, ...]:
        """The imports that the code runs with."""
        code = "\n".join((*self.check, *self.infer, *self.precision, *(x for c in self.constants for x in c.lines)))
        always = {
            "aclspec.runtime": ("shapes",),
            "aclspec.runtime.dtypes": ("DType",),
            "aclspec.runtime.function": ("function_of",),
            "aclspec.runtime.operator": ("Operator", "Param"),
            "aclspec.runtime.verdict": ("Verdict",),
        }
        if "Format" in code:
            always["aclspec.runtime.formats"] = ("Format",)
        found = [line for module in sorted(always) for line in import_lines(module, always[module])]
        standard = [f"import {module}" for module in ("builtins", "math") if re.search(rf"\b{module}\.", code)]
        return (*standard, *import_lines("typing", ("Any", "NamedTuple", "TYPE_CHECKING")), "", *found)

    @cached_property
    def typing_imports(self) -> tuple[str, ...]:
        """The imports that only a type checker needs."""
        kinds = " ".join(
            kind
            for p in self.params
            for kind in (p.checked_type, p.inferring_type, p.passed_type, p.python_type, p.c_type)
        )
        wanted: dict[str, list[str]] = {
            "aclspec.runtime.annotations": ["Out"],
            "aclspec.runtime.executor": ["Executor"],
            "aclspec.runtime.status": ["Status"],
        }
        for name in ("ScalarLike", "TensorLike", "DTypeLike", "Tensor", "Sequence"):
            if re.search(rf"\b{name}\b", kinds):
                wanted.setdefault(_IMPORTS[name], []).append(name)
        standard = import_lines("collections.abc", wanted.pop("collections.abc", ()), depth=1)
        ours = [line for module in sorted(wanted) for line in import_lines(module, wanted[module], depth=1)]
        return (*standard, *([""] if standard else []), *ours)


def render_operator(operator: Operator, target: Target) -> str:
    """The text of an operator's module."""
    view = OperatorView(operator, target, emit(operator.info, target.universe))
    return template("operator.py.j2").render(op=view)
