"""PyTorch's functions as kernels: ``ACLSPEC_KERNELS=torch`` computes with them where the table has one.

The kernels of NumPy stay the reference and the default. A function of this package takes what the NumPy kernel of the
same name takes, and keeps to the tolerance of each spec rather than to NumPy's bits. It gets plain tensors on the CPU,
and PyTorch's own settings decide on threads. `aclspec.runtime.torch_kernels.choice` alone works without PyTorch.
"""
