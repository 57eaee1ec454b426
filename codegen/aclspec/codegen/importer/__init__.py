"""Drafts of specs from documentation pages: what a page says as facts, the facts as a draft, the rest as questions."""
