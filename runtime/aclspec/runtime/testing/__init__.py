"""What generated tests call: the data of a suite, and the checks that run it."""
