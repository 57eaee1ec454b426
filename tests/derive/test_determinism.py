"""The same spec gives the same cases, in every process."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from aclspec.codegen.derive import derive_cases
from aclspec.codegen.spec.project import Project
from aclspec.runtime.rules.operator_info import OperatorInfo

SCRIPT = """
import hashlib
from aclspec.codegen.derive.cases import derive
from aclspec.codegen.pipeline.load import load_project
info = load_project().operator("aclnnPreluBackward").info
print(hashlib.sha256(repr(derive(info)).encode()).hexdigest())
"""


@pytest.fixture
def prelu(project: Project) -> OperatorInfo:
    return project.operator("aclnnPreluBackward").info


@pytest.mark.all
def test_the_hash_seed_means_nothing() -> None:
    digests = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


def test_a_second_question_costs_nothing(prelu: OperatorInfo) -> None:
    assert derive_cases(prelu) is derive_cases(prelu)
