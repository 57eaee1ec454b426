"""What a spec says beside its rules: calls that it cannot judge, that have no kernel, that some versions refuse."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, StringConstraints

from aclspec.codegen.spec.base import VERSION, Expression, Kebab, Mode, Model, Products, RuleId, StatusName, Text

Version: TypeAlias = Annotated[str, StringConstraints(pattern=VERSION)]
"""Two numbers, such as ``"8.1"``; the release candidates of a version count as it."""


class Caveat(Model):
    """Calls on which the rules say less than all."""

    id: Kebab
    """Its stable id."""
    when: Expression | None = None
    """The calls that it is about; left out: all calls on the products."""
    products: Products | None = None
    """The products that it is about; left out: all of them."""
    conformance: Annotated[tuple[Mode, ...], Field(min_length=1)] = ("document", "library")
    """The modes that it is about."""
    because: Text
    """Why such a call is not judged, or what has no kernel."""
    rules: tuple[RuleId, ...] = ()
    """The rules that leave the case out: such a call may break them, and nothing follows."""


class Unjudged(Caveat):
    """Calls that the spec cannot judge: it knows of a case, and not what becomes of it."""


class Known(Caveat):
    """Calls that CANN refuses beside what the rules say, and where that is known from."""

    source: Literal["document", "library", "report"]
    """Where that is known from: the document, the sources of the library or a public report."""


class MissingKernel(Known):
    """Calls for which some evidence says that CANN has no kernel; a declaration that lacks a product is none."""

    status: StatusName | None = None
    """What the library answers to such a call; left out where the evidence does not say."""


class Versions(Known):
    """Calls that some versions of CANN take and others refuse: older ones, newer ones or both.

    Without ``when`` and ``products`` these are all calls of the operator.
    """

    since: Version | None = None
    """The first version that takes them."""
    until: Version | None = None
    """The first version that takes them no more; ``rules`` are those that refuse them from then on."""
    status: StatusName = "ACLNN_ERR_PARAM_INVALID"
    """What a version before ``since`` answers; left out: 161002."""
