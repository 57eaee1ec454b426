"""What an installation of CANN consists of: whether its packages have one version, and the kernels of its SoCs."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from aclspec.runtime.abi.products import aliases, folded, product_of

PACKAGES: Final = ("runtime", "compiler", "opp", "opp_kernel")
"""The packages of a toolkit that tell their version, each in a folder of its own."""
_KERNELS: Final = Path("built-in/op_impl/ai_core/tbe/kernel")
_CONFIG: Final = "config"
_LIST: Final = "binary_info_config.json"
_MOST: Final = 1 << 28
"""Bytes of a list of kernels that is read."""


class Kernels(NamedTuple):
    """The kernels of one SoC: the name of their folder, and what is wrong with their list, if anything."""

    soc: str
    problem: str | None


def versions(root: Path) -> dict[str, str]:
    """The version that each package of an installation tells of itself."""
    found = {}
    for name in PACKAGES:
        try:
            text = (root / name / "version.info").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        for line in text.splitlines():
            key, equals, value = line.partition("=")
            if equals and key.strip().lower() == "version" and value.strip():
                found[name] = value.strip()
                break
    return found


def opp_of(root: Path) -> Path:
    """The folder of operators: the one that ASCEND_OPP_PATH names, else that of the installation."""
    named = os.environ.get("ASCEND_OPP_PATH")
    return Path(named) if named else root / "opp"


def kernels(opp: Path) -> Iterator[Kernels]:
    """The kernels of each SoC below a folder of operators."""
    folder = opp / _KERNELS
    try:
        socs = sorted(one.name for one in folder.iterdir() if one.is_dir() and one.name != _CONFIG)
    except OSError:
        return
    for soc in socs:
        yield Kernels(soc, _problem(folder / _CONFIG / soc / _LIST))


def _problem(path: Path) -> str | None:
    try:
        if path.stat().st_size > _MOST:
            return "is too large to be read"
        json.loads(path.read_bytes())
    except FileNotFoundError:
        return "is missing"
    except OSError:
        return "cannot be read"
    except (ValueError, RecursionError):
        return "is not JSON"
    return None


def of_soc(found: list[Kernels], soc: str) -> Kernels | None:
    """The kernels that a SoC uses: those of the longest name with which its own begins, and of its product."""
    name, product = soc.lower(), product_of(soc)
    fitting = [one for one in found if name.startswith(one.soc.lower()) and _product(one.soc) in (product, None)]
    return max(fitting, key=lambda one: len(one.soc), default=None)


def _product(folder: str) -> str | None:
    """The product of a folder's name; of a name that several have now, the oldest, which had it alone."""
    return next(iter(aliases().get(folded(folder), ())), None)
