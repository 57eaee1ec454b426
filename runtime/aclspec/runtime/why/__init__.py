"""What a pasted text, such as a traceback, says about a call, and what follows from the rules of its operator.

The grammar of such texts is data, ``specs/common/pasted.yaml``; nothing here reads a word of a message by itself. Code
of Python is read as a tree and never run. `aclspec.runtime.why.answer.why` is the entry.
"""
