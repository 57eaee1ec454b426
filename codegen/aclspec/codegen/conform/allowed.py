"""What may leave a machine: values that are known beforehand. All else is hidden, whatever it looks like.

A list of what secrets look like would never be whole; each function here knows what it lets through instead.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from typing import Final

from aclspec.codegen.conform.operators import find
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.environment import MODES
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.abi.products import KEYS, product_of
from aclspec.runtime.abi.status import RUNTIME_CODES, Status
from aclspec.runtime.npu.libraries import BASE_LIBRARY, CUSTOM_LIBRARY, FAMILIES, RUNTIME_LIBRARIES
from aclspec.runtime.npu.prototypes import BASE, RUNTIME

HIDDEN: Final = "*"
_VERSION: Final = re.compile(r"\d{1,4}(?:\.(?:\d{1,8}|(?:RC|rc|T|B|b|SPC|alpha|beta|dev|post)\d{0,4})){1,5}(?![\w])")
_RELEASE: Final = re.compile(
    r"(?:cann-)?\d{1,2}\.\d{1,2}(?:\.(?:\d{1,2}|RC\d{1,2}))?(?:[.-](?:alpha|beta|rc)\.?\d{1,3})?"
)
_SOC: Final = re.compile(r"Ascend\d{3}[A-Z0-9_]{0,8}")
_ERROR_CODE: Final = re.compile(r"E[A-Z0-9]\d{4}")
_SEPARATOR: Final = re.compile(f"([/{os.pathsep}])")
_FOLDERS: Final = frozenset(
    (
        *("usr", "local", "opt", "home", "root", "lib", "lib64", "devlib", "x86_64-linux", "aarch64-linux", "log"),
        *("Ascend", "ascend", "ascend-toolkit", "cann", "latest", "nnal", "driver", "runtime", "compiler"),
        *("opp", "vendors", "op_api"),
    )
)
_LIBRARIES: Final = frozenset(
    (*RUNTIME_LIBRARIES, BASE_LIBRARY, CUSTOM_LIBRARY, *(name for family in FAMILIES for name in family))
)
_WORDS: Final = frozenset(
    {*RUNTIME, *BASE, *RUNTIME_CODES.values(), *map(str, RUNTIME_CODES)}
    | {word for status in Status if status for word in (status.name, str(int(status)))}
    | {f"{prefix}{dtype.name}" for dtype in DType for prefix in ("", "DT_", "ACL_")}
    | {f"{prefix}{layout.name}" for layout in Format for prefix in ("", "ACL_FORMAT_")}
)


def words(text: str) -> str:
    """The words that are known: names of operators, C functions, dtypes and formats, statuses, CANN's error codes."""
    found = re.findall(r"[A-Za-z0-9_]+", text)
    return " ".join(word for word in found if word in _WORDS or _ERROR_CODE.fullmatch(word) or _is_operator(word))


def _is_operator(word: str) -> bool:
    """Whether this is the C name of an operator, or of its phase one."""
    name = word.removesuffix("GetWorkspaceSize")
    try:
        return name.startswith("aclnn") and find(name).name == name
    except LookupError:
        return False


def path(text: str) -> str:
    """Paths with the folders, the libraries and the releases that CANN has; others are hidden one by one."""
    return "".join(part if _is_place(part) else HIDDEN for part in _SEPARATOR.split(text))


def _is_place(part: str) -> bool:
    known = part in _FOLDERS or part in _LIBRARIES or part in ("", "/", os.pathsep)
    return known or _RELEASE.fullmatch(part) is not None


def version(text: str) -> str:
    """A version, without what somebody who built it has added."""
    found = _VERSION.match(text)
    return HIDDEN if found is None else found[0]


def reason(text: str) -> str:
    """What is known of the words of an error."""
    return words(text) or HIDDEN


def product(text: str) -> str:
    """A product, or a SoC of one."""
    is_soc = _SOC.fullmatch(text) is not None and product_of(text) is not None
    return text if text in KEYS or is_soc else HIDDEN


def one_of(*allowed: str) -> Callable[[str], str]:
    """One of some words."""
    return lambda text: text if text in allowed else HIDDEN


def numbers(text: str) -> str:
    """Short numbers with commas between them."""
    return text if re.fullmatch(r"\d{1,3}(,\d{1,3}){0,63}", text) else HIDDEN


_backend = one_of("numpy", "simulator", "npu")
VARIABLES: Final[Mapping[str, Callable[[str], str]]] = {
    "ACLSPEC_BACKEND": _backend,
    "ACLSPEC_PRODUCT": product,
    "ACLSPEC_SOC": product,
    "ACLSPEC_CONFORMANCE": one_of(*MODES),
    "ACLSPEC_KERNELS": one_of("numpy", "torch"),
    "ACLSPEC_NPU_CHECKS": one_of("on", "off"),
    "ASCEND_HOME_PATH": path,
    "ASCEND_TOOLKIT_HOME": path,
    "ASCEND_CUSTOM_PATH": path,
    "ASCEND_OPP_PATH": path,
    "ASCEND_CUSTOM_OPP_PATH": path,
    "ASCEND_PROCESS_LOG_PATH": path,
    "LD_LIBRARY_PATH": path,
    "ASCEND_RT_VISIBLE_DEVICES": numbers,
    "ASCEND_GLOBAL_LOG_LEVEL": numbers,
}
"""The variables that go in, and what of their values may."""
FIELDS: Final[Mapping[str, Callable[[str], str]]] = {
    "backend": _backend,
    "folder": path,
    "library": path,
    "path": path,
    "reason": reason,
    "soc": product,
    "version": version,
}
"""What of the values of a finding may go in, by their names."""


def field(name: str, value: object) -> object:
    """A value of a finding: a number is one that aclspec counted."""
    if isinstance(value, int):
        return value
    return FIELDS[name](str(value)) if name in FIELDS else HIDDEN
