"""Builds a simulator: renders what follows from the specs, compiles it with the runtime's C sources, lays it out."""
