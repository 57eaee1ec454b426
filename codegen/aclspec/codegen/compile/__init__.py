"""From the model of a spec to `OperatorInfo`, the compiled form that everything else reads."""
