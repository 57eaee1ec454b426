"""Files that a recording names: regular files below its folder, and nothing else of the machine."""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import BinaryIO

_LEADS_AWAY = (errno.ELOOP, errno.ENOTDIR)
"""The errors of O_NOFOLLOW at a link, which differ between a file and a folder."""


class OutsideError(Exception):
    """A name that leads out of the folder, over a link, or to something that is no regular file."""


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file by its name below a folder; the name comes from a recording, which may be anybody's."""

    folder: Path
    name: str

    def open(self) -> BinaryIO:
        """Open it to read; OutsideError, or OSError and ValueError where the system cannot open it."""
        *folders, last = PurePath(self.name).parts or ("..",)
        if ".." in (*folders, last) or PurePath(self.name).is_absolute():
            raise OutsideError
        place = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            for folder in folders:
                place, parent = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=place), place
                os.close(parent)
            # A pipe without a writer would wait for one.
            number = os.open(last, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=place)
        except OSError as error:
            if error.errno in _LEADS_AWAY:
                raise OutsideError from error
            raise
        finally:
            os.close(place)
        if not stat.S_ISREG(os.fstat(number).st_mode):
            os.close(number)
            raise OutsideError
        return os.fdopen(number, "rb")
