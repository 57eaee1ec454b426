"""Tensors, and the coercion of what a caller gives."""
