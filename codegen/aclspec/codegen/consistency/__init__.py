"""Whether a spec agrees with itself: what no single entry of the file can show.

Each module looks at one concern and reports to the context; `check_operator` runs them all.
"""

from __future__ import annotations

from aclspec.codegen.compile.checks import ChecksCompiler
from aclspec.codegen.compile.context import Context
from aclspec.codegen.consistency.compute import check_compute
from aclspec.codegen.consistency.coverage import check_coverage
from aclspec.codegen.consistency.examples import check_examples
from aclspec.codegen.consistency.infer import check_infer
from aclspec.codegen.consistency.params import check_params
from aclspec.codegen.consistency.products import check_products
from aclspec.codegen.consistency.rows import check_rows
from aclspec.codegen.consistency.rules import check_rules
from aclspec.runtime.info import OperatorInfo


def check_operator(context: Context, info: OperatorInfo, compiled: ChecksCompiler) -> None:
    """Report everything in which the operator contradicts itself."""
    check_products(context, info)
    check_params(context)
    check_rows(context)
    check_coverage(context, info, compiled)
    check_rules(context, info, compiled)
    check_infer(context, info, compiled)
    check_compute(context, info)
    # An example is only worth running on a spec that is right so far.
    if not any(finding.severity == "error" for finding in context.findings):
        check_examples(context, info)
