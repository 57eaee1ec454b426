"""The version of aclspec."""

__version__ = "0.1.0"
