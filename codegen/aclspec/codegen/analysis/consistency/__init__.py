"""Whether a spec agrees with itself: what no single entry of the file can show.

Each module looks at one concern and reports to the context; `check_operator` runs them all.
"""

from __future__ import annotations

from aclspec.codegen.analysis.consistency.caveats import check_caveats
from aclspec.codegen.analysis.consistency.compute import (
    check_compute,
    check_data_dependent,
    check_examples,
    check_infer,
)
from aclspec.codegen.analysis.consistency.ranks import check_inferred_ranks
from aclspec.codegen.analysis.consistency.rules import check_coverage, check_dtypes, check_rules
from aclspec.codegen.analysis.consistency.tables import check_params, check_products, check_rows
from aclspec.codegen.compile.checks import ChecksCompiler
from aclspec.codegen.compile.context import Context
from aclspec.runtime.rules.operator_info import OperatorInfo


def check_operator(context: Context, info: OperatorInfo, compiled: ChecksCompiler) -> None:
    """Report everything in which the operator contradicts itself."""
    check_products(context, info)
    check_params(context)
    if not info.facts.has_rules:
        return
    check_rows(context)
    if "checks" in context.spec.model_fields_set:  # else one finding says that there is none
        check_coverage(context, info, compiled)
        check_dtypes(context, info)
    check_rules(context, info, compiled)
    check_caveats(context, info)
    check_infer(context, info, compiled)
    check_inferred_ranks(context, info)
    check_data_dependent(context, info)
    check_compute(context, info)
    # An example is only worth running on a spec that is right so far.
    if not any(finding.severity == "error" for finding in context.findings):
        check_examples(context, info)
