"""The families of specs, for the site's reference and for ``aclspec reference``."""

from __future__ import annotations

from functools import cache
from textwrap import dedent

from aclspec.codegen.pages.predicate_reference import table
from aclspec.codegen.render.manual.words import LANGS, Lang
from aclspec.codegen.source.folders import COMMON, family_texts, find_specs
from aclspec.codegen.source.tree_edit import words
from aclspec.codegen.source.yaml_tree import Mapping, Scalar
from aclspec.codegen.spec.families import read_families

HEADS = ("family", "names", "what its operators have in common")


def families(lang: Lang) -> str:
    """The table of all families."""
    return table(HEADS, ((f"`{name}`", f"`{names}`", doc) for name, names, doc in rows(lang)), lang)


def rows(lang: Lang) -> list[tuple[str, str, str]]:
    """The name of each family, the names that it fills in, and what its operators have in common."""
    return [(name, names, docs[LANGS.index(lang)]) for name, names, docs in _families()]


def text(name: str) -> str:
    """What a family holds, as its file has it: parameters, rows of dtypes, lets, rules and the rest."""
    found = dict(family_texts(find_specs()))[name.encode()].decode("utf-8")
    return dedent(found[found.index("    spec:") :]).rstrip()


@cache
def _families() -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    found = read_families([find_specs() / COMMON], [])
    return tuple((name, ", ".join(words(one.values["names"])), _docs(one)) for name, one in found.items())


def _docs(family: Mapping) -> tuple[str, ...]:
    """What a family says of itself, in each language."""
    doc = family.values["doc"]
    assert isinstance(doc, Mapping)
    return tuple(str(one.value) for one in map(doc.values.get, LANGS) if isinstance(one, Scalar))


PARTS = {"families": families}
