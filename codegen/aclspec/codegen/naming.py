"""One `Name` for every casing: the C name, ``snake_case``, ``CamelCase`` and ``kebab-case``."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z][a-z0-9]*|[A-Z][A-Z0-9]*|[0-9]+")
_C_PREFIX = "aclnn"
CALL_KEYWORDS = ("product", "conformance", "backend", "compute")
"""Keywords that every generated function takes; a parameter of that name gets an underscore."""

_PACKAGE_NAMES = ("get", "names", "register")
_MODULE_NAMES = ("annotations", "builtins", "check", "function_of", "infer", "math", "precision", "shapes")
MODULE_NAMES = frozenset((*_PACKAGE_NAMES, *_MODULE_NAMES))
"""What a generated package and its modules have; the function of an operator of such a name gets an underscore."""


@dataclass(frozen=True, slots=True)
class Name:
    """A name as C writes it, ``aclnnPreluBackward`` or ``gradOutput``, and its other casings."""

    c: str

    @property
    def words(self) -> tuple[str, ...]:
        """The words in lower case; the prefix of operators is not one of them."""
        bare = self.c.removeprefix(_C_PREFIX) or self.c
        return tuple(word.lower() for word in _WORD.findall(bare))

    @property
    def snake(self) -> str:
        """``prelu_backward``: a Python identifier, with an underscore after a word that Python or we reserve."""
        name = "_".join(self.words)
        ours = name in CALL_KEYWORDS or (self.c.startswith(_C_PREFIX) and name in MODULE_NAMES)
        return f"{name}_" if keyword.iskeyword(name) or ours else name

    @property
    def camel(self) -> str:
        """``PreluBackward``."""
        return "".join(word[:1].upper() + word[1:] for word in self.words)

    @property
    def kebab(self) -> str:
        """``prelu-backward``, as in the ids of rules."""
        return "-".join(self.words)

    def __str__(self) -> str:
        """The C name."""
        return self.c
