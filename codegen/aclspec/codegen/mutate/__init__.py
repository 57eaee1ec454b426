"""Proof of the derived tests: the generated checks are changed in small ways, and every change must be noticed."""
