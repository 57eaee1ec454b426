"""Operators as a caller sees them: the call, the C functions, the catalog, explain."""
