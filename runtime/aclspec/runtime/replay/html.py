"""What pages of reports share: the frame with its style, headings, tables. They open from a disk and fetch nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from html import escape

from aclspec.runtime.rules.sentences import Lang

_STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem; padding: 0 1rem; }
table { border-collapse: collapse; display: block; margin: 1rem 0; overflow-x: auto; }
th, td { border-bottom: 1px solid #8884; padding: .25rem .6rem; text-align: left; vertical-align: top; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
tr.wrong td { background: #c0353522; } code { font-size: 13px; overflow-wrap: anywhere; }
pre { background: #8881; overflow-x: auto; padding: .8rem; } summary { cursor: pointer; margin: .4rem 0; }
figure { margin: 1rem 0; } svg { background: #fff; height: auto; max-width: 100%; }
"""


def document(title: str, lang: Lang, parts: Iterable[str]) -> str:
    """The text of a file; the parts are HTML."""
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{escape(title)}</title>'
    body = "\n".join([heading(title, 1), *parts])
    return (
        f'<!DOCTYPE html>\n<html lang="{lang}"><head>{head}<style>{_STYLE}</style></head>\n'
        f"<body>\n{body}\n</body></html>\n"
    )


def heading(text: str, level: int = 2) -> str:
    """A heading."""
    return f"<h{level}>{escape(text)}</h{level}>"


def code(text: str) -> str:
    """A call, a rule, a name."""
    return f"<code>{escape(text)}</code>"


def figure(caption: str, svg: str) -> str:
    """A plot under its title."""
    return f"<figure><figcaption>{escape(caption)}</figcaption>{svg}</figure>"


def table(
    heads: Iterable[str],
    rows: Iterable[Sequence[object]],
    is_wrong: Callable[[Sequence[object]], bool] = lambda row: False,
) -> str:
    """A table; the cells of its rows are HTML, numbers apart. A wrong row is marked."""
    top = "".join(f"<th>{escape(head)}</th>" for head in heads)
    lines = [f"<tr{' class=wrong' if is_wrong(row) else ''}>{''.join(map(_cell, row))}</tr>" for row in rows]
    body = "\n".join(lines)
    return f"<table><thead><tr>{top}</tr></thead>\n<tbody>{body}</tbody></table>"


def _cell(value: object) -> str:
    return f'<td class="number">{value}</td>' if isinstance(value, int | float) else f"<td>{value}</td>"
