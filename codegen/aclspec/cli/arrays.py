"""Arrays in and out of files: .npy and .npz, bfloat16 included, which NumPy's files call two bytes of anything."""

from __future__ import annotations

import os
import re
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np

from aclspec.cli.errors import UsageError
from aclspec.runtime.dtypes import DType

Array = np.ndarray[Any, np.dtype[Any]]
_FILE = re.compile(r"(?P<path>.+?\.(?P<kind>npy|npz))(?P<rest>(?::[^:]*)*)", re.IGNORECASE)


def is_file(text: str) -> bool:
    """Whether a value names an array file rather than being a literal."""
    return _FILE.fullmatch(text) is not None


def load(text: str, name: str) -> Array:
    """The array of ``x.npy[:dtype]`` or ``x.npz[:key[:dtype]]``; the key is ``name`` where none is given."""
    found = _FILE.fullmatch(text)
    if found is None:
        raise UsageError(f"The value ({text}) is not the name of a .npy or .npz file")
    path, words = found["path"], [word for word in found["rest"].split(":") if word]
    try:
        # Opened here, since NumPy leaves a broken archive open.
        with open(path, "rb") as stream:
            if found["kind"].lower() == "npz":
                array = _member(stream, path, words.pop(0) if words else None, name)
            else:
                array = np.load(stream, allow_pickle=False)
    except (ValueError, zipfile.BadZipFile, EOFError, KeyError) as error:
        raise UsageError(f"The file {path} is not a readable array file ({error})") from error
    if len(words) > 1:
        raise UsageError(f"The value ({text}) says more than a file, a key and a dtype")
    return _typed(array, words[0] if words else None, path)


def _member(stream: IO[bytes], path: str, key: str | None, name: str) -> Array:
    with np.load(stream, allow_pickle=False) as archive:
        names = list(archive.files)
        wanted = key or (names[0] if len(names) == 1 else name)
        if wanted not in names:
            raise UsageError(f"The file {path} has no array {wanted}; it has {', '.join(names) or 'none'}")
        return np.asarray(archive[wanted])


def _typed(array: Array, dtype: str | None, path: str) -> Array:
    """The array with the dtype that its file could not name."""
    if array.dtype.kind != "V" or array.dtype.fields:
        if dtype is not None:
            raise UsageError(f"The dtype ({dtype}) given for {path} is refused: the file has its own, {array.dtype}")
        return array
    wanted = parse_dtype(dtype) if dtype else DType.BF16
    if wanted.numpy is None or wanted.numpy.itemsize != array.dtype.itemsize:
        raise UsageError(
            f"The file {path} holds elements of {array.dtype.itemsize} bytes with no dtype; "
            f"name the dtype after the file, as in {path}:float8_e5m2"
        )
    return array.view(wanted.numpy)


def parse_dtype(text: str) -> DType:
    """A dtype by any of its names."""
    try:
        return DType.parse(text)
    except ValueError as error:
        raise UsageError(str(error)) from error


def target(path: Path) -> Path:
    """A path that a .npz can be written to; refused before anything is computed."""
    if path.suffix != ".npz":
        raise UsageError(f"The file to write ({path}) does not end in .npz")
    if not path.parent.is_dir() or path.is_dir():
        raise UsageError(f"The file to write ({path}) is not in a folder that exists")
    return path


def save(path: Path, arrays: Mapping[str, Array]) -> None:
    """Write a .npz so that a reader sees the whole file or the old one, never a part."""
    try:
        _save(path, arrays)
    except OSError as error:  # which names the file that stands in for this one meanwhile
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def _save(path: Path, arrays: Mapping[str, Array]) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            np.savez(stream, **{name: _storable(array) for name, array in arrays.items()})  # type: ignore[arg-type]
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _storable(array: Array) -> Array:
    """The array under a dtype that NumPy can read back: one that it does not have itself is so many bytes."""
    own = array.dtype.isbuiltin == 1
    return array if own else array.copy().view(f"V{array.dtype.itemsize}")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
