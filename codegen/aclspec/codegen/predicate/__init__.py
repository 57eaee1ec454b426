"""The predicate language: text to tokens to a typed tree, and back to text."""
