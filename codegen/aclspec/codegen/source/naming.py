"""One `Name` for every casing: the C name, ``snake_case`` and ``kebab-case``."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass

from aclspec.runtime.abi.parameters import PARAM_TYPES

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z][a-z0-9]*|[A-Z][A-Z0-9]*(?![a-z])|[0-9]+")
_C_PREFIX = "aclnn"
CALL_KEYWORDS = ("product", "conformance", "backend", "compute")
"""Keywords that every generated function takes; a parameter of that name gets an underscore."""

_CPP_KEYWORDS = """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class
    co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype
    default delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline int
    long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register
    reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast struct switch
    template this thread_local throw true try typedef typeid typename typeof union unsigned using virtual void
    volatile wchar_t while xor xor_eq
"""
_HEADER_NAMES = "NULL aclOpExecutor aclnnStatus aclrtStream executor size_t stream uint64_t workspace workspaceSize"
_MACROS = "EOF errno linux stderr stdin stdout unix"
_C_TYPES = " ".join(kind.c for kind in PARAM_TYPES.values()).replace("*", "")
PARAM_NAMES_IN_USE = frozenset(f"{_CPP_KEYWORDS} {_HEADER_NAMES} {_MACROS} {_C_TYPES} OPERATOR".split())
"""Names that no parameter may have: words and macros of C and C++, and what prototypes and generated modules use."""

_PACKAGE_NAMES = ("get", "names", "register", "why")
_MODULE_NAMES = ("annotations", "builtins", "check", "function_of", "infer", "math", "precision", "shapes")
MODULE_NAMES = frozenset((*_PACKAGE_NAMES, *_MODULE_NAMES))
"""What a generated package and its modules have; the function of an operator of such a name gets an underscore."""
_PAGE_NAMES = ("index",)
"""What else is among the pages of the operators; the page of an operator has the name of its function."""


@dataclass(frozen=True, slots=True)
class Name:
    """A name as C writes it, ``aclnnSomeOperator`` or ``gradOutput``, and its other casings."""

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
        ours = name in CALL_KEYWORDS or (self.c.startswith(_C_PREFIX) and name in (*MODULE_NAMES, *_PAGE_NAMES))
        return f"{name}_" if keyword.iskeyword(name) or ours else name

    @property
    def header(self) -> str:
        """``aclnn_prelu_backward.h``, the header of an operator."""
        return f"aclnn_{'_'.join(self.words)}.h"

    @property
    def kebab(self) -> str:
        """``prelu-backward``, as in the ids of rules."""
        return "-".join(self.words)

    def __str__(self) -> str:
        """The C name."""
        return self.c
