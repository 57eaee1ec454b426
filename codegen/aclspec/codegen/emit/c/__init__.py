"""The checks of an operator as straight-line C, from the same lowered programs as the Python ones."""
