"""The checks as JavaScript: what the question "Would this call work?" on a page of the manual is answered from."""
