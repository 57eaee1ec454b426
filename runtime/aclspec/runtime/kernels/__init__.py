"""The NumPy kernels: plain functions over arrays, one module per operator family."""
