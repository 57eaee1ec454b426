"""The whole operator, step by step."""

from __future__ import annotations

from aclspec.codegen.compile.checks import ChecksCompiler
from aclspec.codegen.compile.compute import compile_compute, compile_infer
from aclspec.codegen.compile.context import Context, texts
from aclspec.codegen.compile.examples import compile_examples
from aclspec.codegen.compile.params import compile_lets, compile_params
from aclspec.codegen.compile.rows import compile_rows
from aclspec.codegen.naming import Name
from aclspec.runtime.info import OperatorInfo


def compile_operator(context: Context, spec_path: str) -> tuple[OperatorInfo, ChecksCompiler]:
    """Compile a spec; the result means something only when the context has no errors."""
    spec = context.spec
    lets = compile_lets(context)
    params = compile_params(context)
    rows = compile_rows(context)
    checks = ChecksCompiler(context, params)
    rules = checks.compile()
    info = OperatorInfo(
        name=spec.op,
        snake=Name(spec.op).snake,
        header=spec.header,
        category=spec.category,
        summary=texts(spec.summary),
        spec=spec_path,
        products=tuple((entry.product, entry.listed_by) for entry in spec.products),
        params=params,
        rows=rows,
        lets=lets,
        rules=rules,
        infer=compile_infer(context),
        compute=compile_compute(context),
        examples=compile_examples(context),
    )
    return info, checks
