"""The table of the operators known by signature alone, ``specs/signatures.yaml``."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from aclspec.codegen.spec.base import HEADER, OPERATOR, SIGNATURE_PARAM, CName, Model, Sentence


class Signature(Model):
    """One operator, with what is known of its header and its products."""

    header: Annotated[str, StringConstraints(pattern=HEADER)] | None = None
    """The C header, where it is not named after the operator."""
    products: Annotated[tuple[Sentence, ...], Field(min_length=1)] | None = None
    """The products on which it may be called, or groups of them; left out: unknown."""
    params: Annotated[dict[CName, Annotated[str, StringConstraints(pattern=SIGNATURE_PARAM)]], Field(min_length=1)]
    """The parameters in C order, each with its direction and its type, as in ``in tensor``; ``const out tensor`` where
    the header has ``const`` before what is written."""


class SignaturesFile(Model):
    """``specs/signatures.yaml``."""

    signatures: dict[Annotated[str, StringConstraints(pattern=OPERATOR)], Signature]
    """The signatures by the C name of phase two."""
