"""The entry point: runs a command and turns whatever stops it into an exit status and a sentence."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence

from aclspec.cli.errors import FINDING, GOOD, INTERNAL, USAGE, UsageError, one_line, reason
from aclspec.cli.printable import printable

EXTRA = ("typer", "rich", "pydantic", "jinja2", "yaml")
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the result is the exit status."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # what the terminal's encoding lacks becomes a question mark
    if os.environ.get("ACLSPEC_TRACEBACK"):
        return _run(arguments)
    try:
        return _run(arguments)
    except UsageError as error:
        return _say(str(error))
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in EXTRA:
            return _say(f"The module {error.name} is not installed.")
        return _say(f"The command line needs the package {missing}; install it with: pip install 'aclspec[cli]'.")
    except BrokenPipeError:
        sys.stderr.close()  # the reader left; nothing is left to say to it, nor by the interpreter on its way out
        return FINDING
    except OSError as error:
        return _say(reason(error))
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        kind = type(error).__name__
        _say(f"An internal error stopped the command ({kind}: {error}); set ACLSPEC_TRACEBACK=1 to see where.")
        return INTERNAL


def _run(arguments: Sequence[str] | None) -> int:
    from aclspec.cli.app import run

    return run(sys.argv[1:] if arguments is None else list(arguments)) or GOOD


def _say(sentence: str) -> int:
    print(f"aclspec: {printable(one_line(sentence))}", file=sys.stderr)
    return USAGE
