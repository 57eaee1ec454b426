"""C++ programs that call an operator with the data of its examples, and what they print."""

from aclspec.codegen.render.samples.program import expected_output, render_program, render_sample, sample_of

__all__ = ["expected_output", "render_program", "render_sample", "sample_of"]
