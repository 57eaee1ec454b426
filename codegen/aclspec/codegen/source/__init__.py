"""Sources: YAML text with positions, findings, names and folders."""
