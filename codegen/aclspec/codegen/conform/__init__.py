"""Conformance: many calls of each operator on a backend, and what it answers against what the spec says."""
