"""The module of one operator: checks, inference, precision, binding."""

from __future__ import annotations

import builtins
import re
from dataclasses import dataclass
from functools import cached_property

from aclspec.codegen.compile.context import texts
from aclspec.codegen.emit.operator import Functions
from aclspec.codegen.emit.printer import comment
from aclspec.codegen.render.build import OperatorBuild, Target, header_line
from aclspec.codegen.render.environment import docstring, import_lines, template
from aclspec.codegen.render.params import Context, OutputView, ParamView
from aclspec.codegen.spec.project import Operator
from aclspec.runtime.rules.operator_info import ParamInfo

_IMPORTS = {
    "DType": "aclspec.runtime.abi.dtypes",
    "Format": "aclspec.runtime.abi.formats",
    "Any": "typing",
    "Tensor": "aclspec.runtime.tensors.tensor",
    "Sequence": "collections.abc",
    "ScalarLike": "aclspec.runtime.api.annotations",
    "TensorLike": "aclspec.runtime.api.annotations",
    "DTypeLike": "aclspec.runtime.api.annotations",
}


@dataclass(frozen=True)
class OperatorView:
    """What the template of an operator's module sees."""

    operator: Operator
    functions: Functions

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
            untyped=param.name in self.functions.untyped,
            inferring=param.name in self.functions.inferring,
            passed=self.functions.passed,
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
    def shadows(self) -> tuple[str, ...]:
        """The rules of the linter about names of builtins that the module breaks for the sake of C's names."""
        names = {spelling for param in self.params for spelling in (param.identifier, param.c_name)}
        names |= {param.snake for param in self.inputs}
        arguments = any(hasattr(builtins, name) for name in names)
        return (*(("A001",) if self._hides else ()), *(("A002",) if arguments else ()))

    @property
    def _hides(self) -> bool:
        """Whether the Python function has the name of a builtin."""
        return hasattr(builtins, self.operator.info.snake)

    def body(self, lines: tuple[str, ...]) -> tuple[str, ...]:
        """The body of a function, with calls of the builtin that the Python function hides spelled out."""
        if not self._hides:
            return lines
        hidden = re.compile(rf"(?<![\w.]){self.operator.info.snake}\(")
        return tuple(
            line if line.lstrip().startswith("#") else hidden.sub(f"builtins.{self.operator.info.snake}(", line)
            for line in lines
        )

    @property
    def docstring(self) -> str:
        """The docstring of the Python function."""
        text = template("docstring.j2").render(op=self, info=self.operator.info, spec=self.operator.spec, texts=texts)
        return docstring(text, 4)

    @cached_property
    def imports(self) -> tuple[str, ...]:
        """The imports that the code runs with."""
        functions = self.functions
        bodies = self.body((*functions.check, *functions.infer, *functions.precision))
        code = "\n".join((*bodies, *(constant.value for constant in functions.constants)))
        facts = self.operator.info.facts
        always: dict[str, tuple[str, ...]] = {"aclspec.runtime.api.operator": ("Operator", "Param", "function_of")}
        if facts.has_rules:
            always |= {"aclspec.runtime.rules": ("shapes",), "aclspec.runtime.rules.verdict": ("Verdict",)}
        if facts.has_kernel or re.search(r"\bDType\b", f"{code} {self._kinds}"):
            always["aclspec.runtime.abi.dtypes"] = ("DType",)
        if "Format" in code:
            always["aclspec.runtime.abi.formats"] = ("Format",)
        found = [line for module in sorted(always) for line in import_lines(module, always[module])]
        standard = [f"import {module}" for module in ("builtins", "math") if re.search(rf"\b{module}\.", code)]
        return (*standard, *import_lines("typing", ("Any", "NamedTuple", "TYPE_CHECKING")), "", *found)

    @cached_property
    def _kinds(self) -> str:
        """The types of all parameters in all functions."""
        facts, found = self.operator.info.facts, []
        for param in self.params:
            found += [param.python_type, param.c_type]
            found += [param.checked_type, param.inferring_type] if facts.has_rules else []
            found += [param.passed_type] if facts.has_kernel else []
        return " ".join(found)

    @cached_property
    def typing_imports(self) -> tuple[str, ...]:
        """The imports that only a type checker needs."""
        wanted: dict[str, list[str]] = {
            "aclspec.runtime.api.annotations": ["Out"],
            "aclspec.runtime.execution.executor": ["Executor"],
            "aclspec.runtime.abi.status": ["Status"],
        }
        for name in ("ScalarLike", "TensorLike", "DTypeLike", "Tensor", "Sequence"):
            if re.search(rf"\b{name}\b", self._kinds):
                wanted.setdefault(_IMPORTS[name], []).append(name)
        standard = import_lines("collections.abc", wanted.pop("collections.abc", ()), depth=1)
        ours = [line for module in sorted(wanted) for line in import_lines(module, wanted[module], depth=1)]
        return (*standard, *([""] if standard else []), *ours)


def render_operator(build: OperatorBuild, target: Target) -> str:
    """The text of an operator's module, before it is formatted."""
    return template("operator.py.j2").render(
        header=header_line(build.info.spec),
        op=OperatorView(build.operator, build.functions),
        info=build.info,
        functions=build.functions,
        result=result_class(build.info.name),
        comment=comment,
    )


def result_class(name: str) -> str:
    """The class of an operator's outputs."""
    return f"{name.removeprefix('aclnn') or name}Result"
