"""The predicate language: text to a typed tree and back, one table of functions, and evaluation by closures."""
