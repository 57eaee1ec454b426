"""PyTorch programs on the simulator: what it does not compute, PyTorch computes on the CPU, and it is listed."""
