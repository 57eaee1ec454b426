"""The command line of aclspec: what the library knows, from a terminal."""
