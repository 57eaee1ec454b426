"""What a page of the site loads, without what no page needs: languages, comments, rules of style that match nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from aclspec.codegen.render.manual.words import LANGS, Lang

_DATA = re.compile(r"\A(?P<head>.*?)(?P<data>\{.*\})(?P<tail>\)?;\n)\Z", re.DOTALL)
_TRAILING = re.compile(r",\n(\s*[\]}])")
_COMMENT = re.compile(r"^\s*(//|/\*\*|\*(?=[ /]|$))")  # a method that generates begins with a star, too
_CLASS = re.compile(r"\.(-?[A-Za-z_](?:[\w-]|\\.)*)")
_PALETTE = re.compile(r"data-md-color-[\w-]+=[\"']?([\w-]+)")
_FOREIGN = "[dir=rtl]"  # both languages run from left to right
_INNERMOST = re.compile(r"(?P<kind>:[\w-]+)?\((?P<listed>[^()]*)\)")
_READ = re.compile(r"var\(\s*(--[\w-]+)")
_DECLARED = re.compile(r"(?<=[{;])(?P<name>--[\w-]+):(?:\"[^\"]*\"|'[^']*'|\([^()]*\)|[^;}\"'(])*(?:;|(?=\}))")
_GROUPING = ("@media", "@supports", "@layer")


def localized(script: str, lang: Lang | None) -> str:
    """A script of data as short JSON, its texts in one language; in all of them where that is None."""
    found = _DATA.match(script)
    if found is None:
        return script
    data = _in_language(json.loads(_TRAILING.sub(r"\n\1", found["data"])), lang)
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return f"{found['head'].rpartition(chr(10))[2]}{_javascript(text)}{found['tail']}"


def _javascript(text: str) -> str:
    """JSON that is JavaScript too."""
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _in_language(value: Any, lang: Lang | None) -> Any:
    if isinstance(value, list):
        return [_in_language(item, lang) for item in value]
    if not isinstance(value, dict):
        return value
    names = [name for name in value if lang is None or value.keys() != set(LANGS) or name == lang]
    return {name: _in_language(value[name], lang) for name in names}


def without_comments(script: str) -> str:
    """A script of this project without lines that are comments, and without indentation."""
    return "\n".join(line.strip() for line in script.split("\n") if line.strip() and not _COMMENT.match(line)) + "\n"


def words_of(site: Path) -> frozenset[str]:
    """The classes and the colours of all pages, and every word of a script, which may be one."""
    found: set[str] = set()
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        found.update(word for names in re.findall(r'class="([^"]*)"', text) for word in names.split())
        found.update(_PALETTE.findall(text))
    for script in site.glob("assets/**/*.js"):
        found.update(re.findall(r"[\w-]+", script.read_text(encoding="utf-8")))
    return frozenset(found)


def without_unused(css: str, words: Collection[str]) -> str:
    """A style sheet without rules of which every selector asks for a class or a colour that no page has."""
    return "".join(_used(css, words))


def _used(css: str, words: Collection[str]) -> Iterator[str]:
    for prelude, body in _blocks(css):
        head = prelude.strip()
        if body is None:
            yield prelude
        elif head.startswith(_GROUPING):
            inner = without_unused(body, words)
            if inner.strip():
                yield f"{prelude}{{{inner}}}"
        elif head.startswith("@"):
            yield f"{prelude}{{{body}}}"
        else:
            selectors = [one for one in _split(prelude) if _may_match(one, words)]
            if selectors:
                yield f"{','.join(selectors)}{{{body}}}"


def _blocks(css: str) -> Iterator[tuple[str, str | None]]:
    """What stands before each block at the top level, and what stands in it; None for a statement without a block."""
    start = at = depth = opened = 0
    while at < len(css):
        char = css[at]
        if char in "\"'":
            at = _after_string(css, at)
            continue
        if css.startswith("/*", at):
            at = css.index("*/", at) + 2
            continue
        if char == "\\":
            at += 1
        elif char == "{":
            depth += 1
            opened = at if depth == 1 else opened
        elif char == "}":
            depth -= 1
            if depth == 0:
                yield css[start:opened], css[opened + 1 : at]
                start = at + 1
        elif char == ";" and depth == 0:
            yield css[start : at + 1], None
            start = at + 1
        at += 1
    if css[start:].strip():
        yield css[start:], None


def _after_string(css: str, at: int) -> int:
    end = at + 1
    while css[end] != css[at]:
        end += 2 if css[end] == "\\" else 1
    return end + 1


def _split(prelude: str) -> list[str]:
    """The selectors of a list, divided at commas outside of brackets."""
    found, depth, start = [], 0, 0
    for at, char in enumerate(prelude):
        depth += (char in "([") - (char in ")]")
        if char == "," and not depth:
            found.append(prelude[start:at])
            start = at + 1
    return [*found, prelude[start:]]


def _may_match(selector: str, words: Collection[str]) -> bool:
    """Whether a page has all classes and colours that a selector asks for; of alternatives, those of one of them."""
    if _FOREIGN in selector or not all(colour in words for colour in _PALETTE.findall(selector)):
        return False
    plain = re.sub(r"\[[^\]]*\]", "", selector)
    while inner := _INNERMOST.search(plain):
        kind, listed = inner["kind"], inner["listed"]
        if kind in (":is", ":where") and not any(_may_match(one, words) for one in listed.split(",")):
            return False
        plain = plain[: inner.start()] + plain[inner.end() :]
    return all(name.replace("\\", "") in words for name in _CLASS.findall(plain))


def without_unread(css: str, others: str) -> str:
    """A style sheet without custom properties that neither it nor another text reads."""
    read = set(_READ.findall(css)) | set(_READ.findall(others))
    return _DECLARED.sub(lambda found: found[0] if found["name"] in read else "", css)
