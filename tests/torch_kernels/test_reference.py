"""PyTorch's kernels against the references of the specs, and against the NumPy kernels in float64.

The reference of some operators is PyTorch itself; for these the second comparison is the judge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aclspec import ops
from aclspec.codegen.trace.sources import read_suites
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.testing import References
from aclspec.runtime.testing.reference_runs import Compared, Wanted, _hold
from aclspec.runtime.testing.sized import Sized
from aclspec.runtime.torch_kernels.choice import TorchKernel
from tests.support.kernels import kernel_of

pytest.importorskip("torch")
