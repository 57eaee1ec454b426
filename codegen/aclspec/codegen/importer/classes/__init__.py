"""The classes of sentences: attributes, dtypes, null pointers, numbers of dimensions, shapes, and what is no check."""

from aclspec.codegen.importer.classes import attributes, dtypes, nulls, ranks, shapes, unchecked

__all__ = ["attributes", "dtypes", "nulls", "ranks", "shapes", "unchecked"]
