"""Predicates in words: requirements as sentences and failures as templates, in English and Chinese."""
