"""``aclspec native``: the compiled kernels."""

from __future__ import annotations

import time

from aclspec.cli import output
from aclspec.cli.errors import GOOD, UsageError
from aclspec.runtime.native.build import BuildError, build, library_path
from aclspec.runtime.native.library import forget, is_on, library


def perform(force: bool, as_json: bool) -> int:
    """Build the kernels, load them, and say where they are."""
    begin = time.perf_counter()
    there = library_path().exists() and not force
    try:
        with output.progress("compiling the kernels"):
            path = build(force)
    except BuildError as error:
        raise UsageError(str(error)) from error
    forget()
    loaded = library() if is_on() else None
    if is_on() and loaded is None:
        raise UsageError(
            f"The compiled kernels ({path}) cannot be loaded; 'aclspec native build --force' builds them anew"
        )
    uses = loaded.ffi.string(loaded.lib.aclspec_instruction_set()).decode() if loaded else None
    if as_json:
        output.show_json({"path": str(path), "built": not there, "instruction_set": uses, "on": is_on()})
        return GOOD
    took = "were built before" if there else f"were built in {time.perf_counter() - begin:.1f} s"
    state = f"and use the instruction set {uses}" if uses else "and are turned off by ACLSPEC_NATIVE=0"
    output.show(output.plain(f"The compiled kernels {took}, {state}: {path}"))
    return GOOD
