"""The entry point: runs a command and turns whatever stops it into an exit status and a sentence."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Sequence

from aclspec.cli.errors import GOOD, INTERNAL, USAGE, UsageError, one_line, reason
from aclspec.cli.printable import printable

EXTRA = ("typer", "rich", "pydantic", "jinja2", "yaml")
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the result is the exit status. With --json what stops a command is JSON, too."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # what the terminal's encoding lacks becomes a question mark
    if os.environ.get("ACLSPEC_TRACEBACK"):
        return _run(given)
    try:
        return _run(given)
    except UsageError as error:
        return _say(given, str(error))
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in EXTRA:
            return _say(given, f"The module {error.name} is not installed.")
        return _say(
            given, f"The command line needs the package {missing}; install it with: pip install 'aclspec[cli]'."
        )
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is still buffered has no reader
        return GOOD
    except OSError as error:
        return _say(given, reason(error))
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        kind = type(error).__name__
        sentence = f"An internal error stopped the command ({kind}: {error}); set ACLSPEC_TRACEBACK=1 to see where."
        return _say(given, sentence, INTERNAL)


def _run(given: list[str]) -> int:
    from aclspec.cli.app import run

    status = run(given) or GOOD
    sys.stdout.flush()  # a reader who left is noticed here, not when the interpreter ends
    return status


def _say(given: Sequence[str], sentence: str, status: int = USAGE) -> int:
    text = printable(one_line(sentence))
    own = given[: given.index("--")] if "--" in given else given
    if "--json" in own:
        print(json.dumps({"error": text, "status": status}))
    else:
        print(f"aclspec: {text}", file=sys.stderr)
    return status
