"""The checks in C: the files that a C or C++ project compiles in."""
