"""Builds the layer: renders the functions of every operator, compiles them with the runtime's C sources, lays them out."""
