"""The simulator: a CANN root that C and C++ programs compile against and run with, where no NPU is.

The C sources are beside this file: ``include`` (the headers), ``core`` (all state, in libaclspec_simulator.so), ``api``
(libascendcl, libacl_rt and libnnopbase). Python computes in a process beside the program, `device_process`.
``aclspec simulator build`` compiles them with the entry points of the operators.
"""
