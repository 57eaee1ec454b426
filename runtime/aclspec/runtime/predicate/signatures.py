"""What a function of the predicate language takes and gives, and how a sentence speaks of it."""

from __future__ import annotations

from dataclasses import dataclass

from aclspec.runtime.info import Text


@dataclass(frozen=True, slots=True)
class Overload:
    """Argument types and the result type; with ``variadic`` the last argument may be repeated."""

    args: tuple[str, ...]
    result: str
    variadic: bool = False

    def accepts_count(self, count: int) -> bool:
        """Whether a call may have this many arguments."""
        return count >= len(self.args) if self.variadic else count == len(self.args)


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the library.

    ``phrase`` is a noun phrase with ``{0}``, ``{1}`` for the arguments (``{args}``: all of them, as a list); for a
    function that returns bool it is a clause, and ``negated`` is the clause for when it is false. ``doc`` says what it
    computes and when it is undefined. A function of many arguments has ``worked``: what it is called beside its value,
    and the actual arguments behind that.
    """

    name: str
    overloads: tuple[Overload, ...]
    phrase: Text
    doc: Text
    negated: Text | None = None
    worked: tuple[Text, Text] | None = None


_WINDOW = (
    ("int", "size", "大小"),
    ("int", "kernel", "核"),
    ("int", "stride", "步长"),
    ("int", "padding before", "前填充"),
    ("int", "padding after", "后填充"),
    ("int", "dilation", "膨胀"),
)


def one(args: str, result: str) -> tuple[Overload, ...]:
    """A single overload; ``args`` is a space-separated list of types."""
    return (Overload(tuple(args.split()), result),)


def windowed(name: str, what: Text, parameters: tuple[tuple[str, str, str], ...], doc: Text) -> Function:
    """The size along one axis of what a sliding window makes; the stride is the third argument.

    ``what`` makes it, with ``parameters`` after the six that all have: type, and name in both languages.
    """
    named = (*_WINDOW, *parameters)
    types = " ".join(kind for kind, _, _ in named)
    items = Text(
        "; ".join(f"{en}: {{{place}}}" for place, (_, en, _) in enumerate(named)),
        "；".join(f"{zh}：{{{place}}}" for place, (_, _, zh) in enumerate(named)),
    )
    values = Text(items.en.replace(":", "").replace(";", ","), items.zh.replace("：", " ").replace("；", "、"))
    brief = Text(f"the output size of the {what.en}", f"{what.zh}的输出大小")
    phrase = Text(f"the output size of a {what.en} ({items.en})", f"{what.zh}（{items.zh}）的输出大小")
    never = Text(" Undefined when stride <= 0.", "stride <= 0 时无定义。")
    text = Text(doc.en + never.en, doc.zh + never.zh)
    return Function(name, one(types, "int"), phrase, text, worked=(brief, values))


def extreme(name: str, en: str, zh: str) -> Function:
    """``min`` or ``max``: of several numbers, or of the elements of one list."""
    return Function(
        name,
        (
            Overload(("ints",), "int"),
            Overload(("floats",), "float"),
            Overload(("int", "int"), "int", variadic=True),
            Overload(("float", "float"), "float", variadic=True),
        ),
        Text(f"the {en} of {{args}}", f"{{args}} 中的{zh}"),
        Text(
            f"The {en} of the arguments, or of the elements of one list; undefined for an empty list.",
            f"各参数（或单个列表的各元素）中的{zh}；空列表时无定义。",
        ),
    )
