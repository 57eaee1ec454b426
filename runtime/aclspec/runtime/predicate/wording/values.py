"""How an actual value is written in a sentence."""

from __future__ import annotations

from aclspec.runtime.predicate.values import symbol

SHOWN_ELEMENTS = 16
"""An array longer than this is shown by its first and last elements."""


def value_text(value: object, *, quoted: bool = False) -> str:
    """A value as the sentence shows it: arrays as tuples, enums by name, strings in quotes where asked."""
    match value:
        case bool():
            return "true" if value else "false"
        case tuple():
            return _tuple_text(value)
        case str():
            return f'"{value}"' if quoted else value
        case float():
            return repr(value)
        case _:
            return symbol(value)


def _tuple_text(values: tuple[object, ...]) -> str:
    texts = [value_text(value) for value in values]
    if len(texts) > SHOWN_ELEMENTS:
        texts = [*texts[: SHOWN_ELEMENTS - 2], "...", texts[-1]]
    numbers = not any(isinstance(value, str) for value in values)
    return f"({texts[0]},)" if len(texts) == 1 and numbers else f"({', '.join(texts)})"


def parenthesized(text: str) -> str:
    """The text in parentheses, unless it is a shape, which brings its own."""
    return text if text.startswith("(") and text.endswith(")") else f"({text})"
