"""The C sources of the layer: a library between a program and CANN that says why a call fails.

`aclspec.codegen.layer` renders the functions of every operator, compiles them with these sources and the generated
checks, and links ``libcust_opapi.so``.
"""
