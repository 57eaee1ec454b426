"""Compiled kernels: small portable C for what NumPy does slowly, used by themselves where they are built.

``aclspec native build`` builds them; ``ACLSPEC_NATIVE=0`` turns them off. Each computes what the NumPy kernel of the
same module and name computes, or declines, and then that one does it. Element-wise results are NumPy's bits; sums may
differ by the order of their terms. Results are the same bits whatever the number of threads and the instruction set,
but for the payload of a NaN, and for dense convolution (`aclspec.runtime.native.dense_convolution`).
"""
