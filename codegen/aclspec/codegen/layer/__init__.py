"""Builds the layer: renders the functions of every operator and compiles them with the runtime's C sources."""
