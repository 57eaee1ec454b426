"""The test file of an operator: a few lines over its corpus, or over its signature where it has no rules."""

from __future__ import annotations

from pathlib import PurePosixPath

from aclspec.codegen.render.build import OperatorBuild, Target, header_line
from aclspec.codegen.render.environment import template


def render_tests(build: OperatorBuild, target: Target) -> dict[PurePosixPath, str]:
    """The test file of an operator, by its path below the folder that is written."""
    info = build.info
    kind = "operator" if info.facts.has_rules else "declared"
    text = template(f"tests/test_{kind}.py.j2").render(
        header=header_line(info.spec),
        name=info.name,
        module=f"{target.package}.{info.snake}",
        params=[(param.name, param.type, param.direction) for param in info.params],
    )
    return {PurePosixPath("tests", f"test_{info.snake}.py"): text}
