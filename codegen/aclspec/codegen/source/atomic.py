"""Files that are written whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """A name beside a file to write to: it takes the file's place at the end, and nothing is left where that fails.

    An OSError about that name is one about the file.
    """
    beside = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        yield beside
        beside.replace(path)
    except OSError as error:
        if error.filename != str(beside):
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        beside.unlink(missing_ok=True)
