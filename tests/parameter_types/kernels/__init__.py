"""The kernels of the specs in ``tests/parameter_types/specs``: plain NumPy over whole arrays."""
