"""From specs to files: the spec model, the loader, the predicate language and the renderers."""
