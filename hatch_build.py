"""Puts the libraries that `make wheel` has compiled into a wheel, which is for one architecture then."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BUILT = (("simulator", "simulator/cann", "lib64"), ("layer", "layer", "op_api/lib"))
"""Of each kind its root below the folder of an architecture, and where its libraries are."""


class Libraries(BuildHookInterface[Any]):
    """ACLSPEC_WHEEL names the architecture; the name of the class is free, hatchling takes the only one."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the libraries and their digests where the installed aclspec looks for them."""
        machine = os.environ["ACLSPEC_WHEEL"]
        for kind, folder, inner in BUILT:
            root = Path(self.root, "build", "wheel", machine, folder)
            for path in (root / "aclspec_digest.txt", *sorted((root / inner).glob("*.so"))):
                build_data["force_include"][str(path)] = f"aclspec/codegen/brought/{kind}/{path.name}"
        build_data |= {"pure_python": False, "tag": f"py3-none-manylinux_2_28_{machine}"}
