"""The keys of plans, compiled: what `aclspec.runtime.plan_key` does in Python, in a fifth of the time."""

from __future__ import annotations

import hashlib
import importlib.util
import sysconfig
import tempfile
from collections.abc import Callable, Sequence
from contextlib import chdir
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from aclspec.runtime.environment import Variable, watched
from aclspec.runtime.native.library import is_on

SOURCES = Path(__file__).parent / "csource" / "keys"
MODULE = "_aclspec_keys"


class CompiledKeys(NamedTuple):
    """The functions of the extension module."""

    key: Callable[[Sequence[Any]], bytes | None]
    """All values of a call but the elements of its arrays, and the environment; None: it goes the long way."""
    call_key: Callable[[Sequence[Any], object], tuple[bytes, tuple[Any, ...]] | None]
    """The key of a call with what is given as ``out``, and the arrays in that; or None as above."""
    are_own: Callable[..., bool]
    """Whether the arrays in one or more sequences are different ones, each with memory of its own, none elsewhere."""
    are_apart: Callable[[Sequence[Any], bytes], bool]
    """Whether no two arrays, of which the bytes say that one is written, can share memory; in doubt they do."""
    bind: Callable[..., Callable[[Sequence[Any]], None]]
    """A function of the kernels' library, bound to all that it is given but the arrays of a call."""
    have_shapes: Callable[[list[Any], list[Any]], bool]
    """Whether each value for which there is a shape, and not None, is an array of it."""
    know: Callable[[type, str, str], None]
    """Values of this type are arrays of the kind that their first attribute says, or else the second one."""
    address: Callable[[Any], int | None]
    """Where the first element of an array is; None for what is no array."""


def keys_path(folder: Path) -> Path:
    """The file of the extension module in the folder of builds, built or not; named by what it is built from."""
    files = sorted(path for path in SOURCES.iterdir() if path.suffix in (".c", ".inc"))
    source = hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]
    return folder / f"{MODULE}_{source}{sysconfig.get_config_var('EXT_SUFFIX')}"


def build_keys(target: Path, flags: Sequence[str]) -> None:
    """Compile the module; whatever the compiler raises where that fails. The file appears whole or not at all."""
    from cffi import ffiplatform

    with tempfile.TemporaryDirectory(dir=target.parent) as beside, chdir(beside):  # else setuptools looks around
        extension = ffiplatform.get_extension(str(SOURCES / "keys.c"), MODULE, extra_compile_args=list(flags))
        Path(ffiplatform.compile(".", extension)).replace(target)


def _nowhere(array: Any) -> int | None:
    return None


_quick_address: Callable[[Any], int | None] = _nowhere
_bind: Callable[..., Callable[[Sequence[Any]], None]] | None = None


def binder() -> Callable[..., Callable[[Sequence[Any]], None]] | None:
    """`CompiledKeys.bind` where the module is loaded."""
    return _bind


def address_of(array: Any) -> int:
    """Where the first element of an array of NumPy's is; in a tenth of NumPy's own time where the module is loaded."""
    quick = _quick_address(array)
    address: int = array.__array_interface__["data"][0] if quick is None else quick
    return address


def load_keys(folder: Path, variables: Sequence[Variable]) -> CompiledKeys | None:
    """The compiled functions; None where they are turned off, not built, or cannot be used here."""
    path = keys_path(folder)
    seen = watched(variables)
    if seen is None or not is_on() or not path.exists():
        return None
    spec = importlib.util.spec_from_file_location(MODULE, path)
    assert spec is not None
    assert spec.loader is not None
    try:
        module: Any = importlib.util.module_from_spec(spec)
    except ImportError:  # built for another machine
        return None
    global _quick_address, _bind
    module.watch(np.ndarray, *seen)
    _quick_address, _bind = module.address, module.bind
    return CompiledKeys(*(getattr(module, name) for name in CompiledKeys._fields))
