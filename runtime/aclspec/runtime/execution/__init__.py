"""One call: arguments, outputs, the eager call, the two phases, the registry of backends."""
