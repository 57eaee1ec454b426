"""Predicates in words: nouns and clauses in English and Chinese, derived from the AST alone."""
