"""How a command ends: 0 good, 1 a finding, 2 a usage error, in one sentence."""

from __future__ import annotations

GOOD, FINDING, USAGE, INTERNAL = 0, 1, 2, 70


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
