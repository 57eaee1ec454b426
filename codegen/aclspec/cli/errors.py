"""How a command ends, by its exit status; a usage error ends it in one sentence."""

from __future__ import annotations

GOOD, FINDING, USAGE, INTERNAL = 0, 1, 2, 70
NOT_JUDGED, NO_KERNEL, UNDOCUMENTED = 3, 4, 5
"""How ``explain`` ends where no rule refuses a call and it does not simply work."""


class UsageError(Exception):
    """What was asked for cannot be done as asked; the message is one sentence for a person."""


def one_line(text: str) -> str:
    """A message on one line, ending in a full stop."""
    line = " ".join(text.split())
    return line if line.endswith((".", "?", "!")) else f"{line}."


def reason(error: OSError) -> str:
    """Why the system refused, as a sentence that names the file."""
    detail = (error.strerror or str(error)).lower()
    return f"The file {error.filename} cannot be used ({detail})." if error.filename else f"{error}"
