"""From a folder of specs to the generated files: load, compile, analyse, derive, emit, render, write."""
