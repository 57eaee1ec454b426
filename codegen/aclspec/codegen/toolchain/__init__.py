"""The C compiler of this machine, as the simulator and the layer use it, and what a wheel brings in its place."""
