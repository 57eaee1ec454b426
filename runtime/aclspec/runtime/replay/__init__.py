"""What a recording of aclnn calls tells: how often, what failed, what ports to which product, and whether it computes.

A recording is what the layer writes (``ACLSPEC_RECORD=FILE``); ``aclspec replay`` shows what is found here.
"""
