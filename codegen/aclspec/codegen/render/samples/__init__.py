"""C++ programs that call an operator with the data of its examples, and what they print."""

from aclspec.codegen.render.samples.program import program_of, render_sample, sample_of

__all__ = ["program_of", "render_sample", "sample_of"]
