"""Cases of the fuzzer: mutated specs and random YAML, each made from its seed alone."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import TypeAlias

import yaml

from aclspec.codegen.spec.operator import OperatorSpec
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.abi.products import KEYS
from aclspec.runtime.language.functions import FUNCTIONS

TESTS = Path(__file__).parents[1]
ROOTS = (TESTS.parent / "specs", *sorted(path for path in TESTS.glob("**/specs") if path.is_dir()))
"""The folders of specs that cases start from: the project's own, and those of other tests."""
FIRST_LINE = "# A case of the fuzzer: nothing else stands here, so that no true finding is at 1:1.\n"

STR = "tag:yaml.org,2002:str"
TOKEN = re.compile(r"[\w.]+|==|!=|<=|>=|[^\w\s]|\s+")
NUMBER = re.compile(r"(?<![\w.])-?\d+(\.\d+)?")
WORD = re.compile(r"[A-Za-z_]\w*")
_NUMBERS = """
    0 -1 1 2 7 8 9 64 1.5 -0.0 1e400 .nan .inf -.inf 0x10 007 1_000 65536 65537 2147483648 99999999999 1e308
    9223372036854775807 9223372036854775808 111111111111111111111111111111111111111111111
"""
NUMBERS = tuple(_NUMBERS.split())
TEXTS = (
    *("", " ", "~", "null", "true", "'", '"', '"""', "\\", "\\N{x}", "{", "}", "{{", "{% x %}", "{it}", "{0}", "$x"),
    *("*/", "/*", "// \\", "</script>", "`", "``", "|", "a | b", "# a", "\n", "a\n\nb", "a\tb", "x" * 400, "%s"),
    *("\u5f20\u91cf", "\u2028", "\U0001f600", "\ufeff", "\u200b", "\x85", "e\u0301", "<b>", "&amp;", "---", "- a"),
    *("a: b", "[a](b)"),
)
_NAMES = """
    lambda None self class check infer product library conformance backend int out executor stream workspace shapes math
    DType Format Verdict it all rank dtype shape in and not if x X x1 X1 x_1 _ __ _x x_ selfRef call calls rule pytest
    OPERATOR Param Any len min max range tuple any e l register template NULL errno status argc main ret device context
    name value type format T FLOAT result where constructor toString prototype var function __proto__ undefined NaN
    linux unix assert
"""
NAMES = tuple(_NAMES.split())
"""Words that mean something in Python, C, JavaScript, predicates or generated modules."""
DTYPES = tuple(dtype.name for dtype in DType)
KINDS: tuple[tuple[str, ...], ...] = (
    DTYPES,
    tuple(format_.name for format_ in Format),
    (*KEYS, "before_a2", "a2_and_later", "all"),
    (*PARAM_TYPES, "in", "out", "inout", "unknown"),
    tuple(FUNCTIONS),
    ("==", "!=", "<", "<=", ">", ">=", "in", "+", "-", "*", "//", "%", "and", "or", "if", "else", "for", "not"),
    ("document", "library", "[document, library]"),
    ("declared", "checked", "computed"),
    ("null", "dtype", "dtypes", "format", "rank", "empty", "contiguous", "length", "value", "shortcut", "product"),
    ("unwritten", "written", "zero", "refused", "ignored", "accepted", "exact"),
    ("ACLNN_ERR_PARAM_NULLPTR", "ACLNN_ERR_PARAM_INVALID", "ACLNN_ERR_INNER", "ACLNN_SUCCESS", "OK"),
)
ALIKE = {word: kind for kind in reversed(KINDS) for word in kind}
BROKEN = (
    *(
        "[",
        "]",
        "{",
        "}",
        "0",
        "-1",
        "null",
        "true",
        "1.5",
        "'x'",
        "~",
        "''",
        "- ",
        ": ",
        "\n  ",
        "<<",
        "&a",
        "*a",
        "? ",
    ),
    *(
        "!!x",
        "|",
        "> ",
        "\t",
        "\0",
        "\x07",
        "\ufeff",
        "\ud83d",
        "---\n",
        "...\n",
        "%YAML 9.9\n",
        "{it}",
        "# ",
        '"',
        "'",
    ),
)
Spot: TypeAlias = tuple[yaml.CollectionNode, int]


@dataclass(frozen=True)
class Case:
    """A file to lint: the folder of specs that it belongs to, its path below it, and its text."""

    seed: int
    root: Path
    file: str
    text: str


@lru_cache(maxsize=1)
def corpus() -> tuple[tuple[Path, str, str], ...]:
    """Every YAML file of every folder: the folder, the path below it, and the text."""
    files = ((root, file) for root in ROOTS for file in sorted(root.rglob("*.yaml")))
    return tuple((root, file.relative_to(root).as_posix(), file.read_text(encoding="utf-8")) for root, file in files)


def case_of(seed: int) -> Case:
    """The case of a seed."""
    chance = Random(seed)
    root, file, text = chance.choice(corpus())
    if chance.random() < 0.05:
        text = chance.choice((_random_yaml, _noise))(chance)
    elif chance.random() < 0.15:
        text = _broken(text, chance)
    else:
        text = _mutated(text, chance)
    return Case(seed, root, file, FIRST_LINE + text)


def _random_yaml(chance: Random) -> str:
    """A random tree of the keys and the scalars of the corpus."""
    keys = [word for kind in KINDS for word in kind] + re.findall(r"\b(\w+):", chance.choice(corpus())[2])

    def tree(depth: int) -> object:
        shape = chance.randrange(3) if depth else 2
        if shape == 2:
            return chance.choice((*NUMBERS[:12], *TEXTS, *NAMES, None, True, 1, 1.5, [], {}))
        inner = [tree(depth - 1) for _ in range(chance.randrange(6))]
        return inner if shape else {chance.choice(keys): one for one in inner}

    heads = [*OperatorSpec.model_fields, "use", "signatures"]
    return yaml.safe_dump({head: tree(4) for head in chance.sample(heads, 5)} if chance.random() < 0.8 else tree(5))


def _noise(chance: Random) -> str:
    """Random characters, most of which mean something in YAML."""
    return "".join(chance.choice("{}[]:,-?&*!|>'\"%@` \n\t#ab1.\u00e9") for _ in range(chance.randrange(400)))


def _broken(text: str, chance: Random) -> str:
    """The text with a few tokens dropped, doubled, or replaced by anything."""
    tokens = TOKEN.findall(text)
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(tokens))
        match chance.randrange(4):
            case 0:
                del tokens[place]
            case 1:
                tokens[place] = chance.choice(BROKEN)
            case 2:
                tokens[place] = chance.choice(tokens)
            case _:
                source = chance.randrange(len(tokens))
                tokens[place:place] = tokens[source : source + chance.randint(1, 12)]
    return "".join(tokens).encode(errors="replace").decode()


def _mutated(text: str, chance: Random) -> str:
    """The file with one to three nodes changed, and still YAML."""
    if chance.random() < 0.15:
        return _renamed(text, chance)
    root = compose(text)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        spots = list(spots_of(root))
        if spots:
            change = chance.choices([one for one, _ in CHANGES], [weight for _, weight in CHANGES])[0]
            change(spots, chance)
    return str(yaml.serialize(root, Dumper=yaml.CBaseDumper, allow_unicode=True, width=120))


def _renamed(text: str, chance: Random) -> str:
    """The file with one name, of a parameter mostly, replaced by another wherever it stands."""
    names = re.findall(r"^ {2}(\w+):", text, re.MULTILINE) or WORD.findall(text)
    old, new = chance.choice(names), chance.choice(NAMES)
    return re.sub(rf"\b{re.escape(old)}\b", new, text)


def compose(text: str) -> yaml.Node:
    """The nodes of a text, every scalar a string that is written as it was read."""
    node = yaml.compose(text, Loader=yaml.CBaseLoader)
    assert node is not None
    return node


def spots_of(node: yaml.Node) -> Iterator[Spot]:
    """Every place of a value below a node."""
    if isinstance(node, yaml.CollectionNode):
        for place in range(len(node.value)):
            yield node, place
            yield from spots_of(get((node, place)))


def get(spot: Spot) -> yaml.Node:
    """The value at a place."""
    found = spot[0].value[spot[1]]
    node: yaml.Node = found[1] if isinstance(spot[0], yaml.MappingNode) else found
    return node


def key_of(spot: Spot) -> str:
    """The key at a place; of an element of a list, none."""
    return str(spot[0].value[spot[1]][0].value) if isinstance(spot[0], yaml.MappingNode) else ""


def put(spot: Spot, node: yaml.Node) -> None:
    """Set the value at a place."""
    parent, place = spot
    parent.value[place] = (parent.value[place][0], node) if isinstance(parent, yaml.MappingNode) else node


def scalar(text: str, style: str | None = None) -> yaml.ScalarNode:
    """A scalar, plain where it can be."""
    return yaml.ScalarNode(STR, text, style=style)


def _texts(spots: Sequence[Spot], pattern: str) -> list[tuple[Spot, str]]:
    """The scalars in which a pattern is found."""
    nodes = ((spot, get(spot)) for spot in spots)
    return [
        (spot, node.value)
        for spot, node in nodes
        if isinstance(node, yaml.ScalarNode) and re.search(pattern, node.value)
    ]


def _delete(spots: Sequence[Spot], chance: Random) -> None:
    parent, place = chance.choice(spots)
    del parent.value[place]


def _duplicate(spots: Sequence[Spot], chance: Random) -> None:
    parent, place = chance.choice(spots)
    parent.value.insert(chance.randrange(len(parent.value) + 1), copy.deepcopy(parent.value[place]))


def _swap(spots: Sequence[Spot], chance: Random) -> None:
    one = chance.choice(spots)
    siblings = [spot for spot in spots if spot[0] is one[0]]
    other = chance.choice(siblings if chance.random() < 0.6 else spots)
    first, second = copy.deepcopy(get(one)), copy.deepcopy(get(other))
    put(one, second)
    put(other, first)


def _reorder(spots: Sequence[Spot], chance: Random) -> None:
    chance.shuffle(chance.choice(spots)[0].value)


def _retype(spots: Sequence[Spot], chance: Random) -> None:
    spot = chance.choice(spots)
    node = get(spot)
    inner = node.value if isinstance(node, yaml.SequenceNode) else [node]
    if isinstance(node, yaml.MappingNode):
        inner = [value for _, value in node.value]
    options: list[Callable[[], yaml.Node]] = [
        lambda: yaml.SequenceNode(STR, inner, flow_style=True),
        lambda: yaml.MappingNode(STR, [(scalar(chance.choice(NAMES)), one) for one in inner], flow_style=True),
        lambda: scalar(chance.choice((*NUMBERS, *TEXTS))),
        lambda: scalar("null"),
        lambda: inner[0] if inner else scalar(""),
        lambda: scalar(str(node.value), '"') if isinstance(node, yaml.ScalarNode) else scalar("", "'"),
        lambda: yaml.SequenceNode(STR, [], flow_style=True),
        lambda: yaml.MappingNode(STR, [], flow_style=True),
    ]
    put(spot, chance.choice(options)())


def _splice(spots: Sequence[Spot], chance: Random) -> None:
    """A node of another spec, of the same key where it has one."""
    others = list(spots_of(compose(chance.choice(corpus())[2])))
    spot = chance.choice(spots)
    alike = [other for other in others if key_of(other) == key_of(spot)]
    other = chance.choice(alike if alike and chance.random() < 0.8 else others)
    if chance.random() < 0.5:
        put(spot, get(other))
    elif isinstance(spot[0], type(other[0])):
        spot[0].value.insert(spot[1], other[0].value[other[1]])


def _predicate(spots: Sequence[Spot], chance: Random) -> None:
    """Another text of a predicate."""
    found = _texts(spots, r"\w\(|[=<>]|\bis_null\b")
    if not found:
        return
    spot, text = chance.choice(found)
    tokens = TOKEN.findall(text)
    place = chance.randrange(len(tokens))
    match chance.randrange(8):
        case 0:
            del tokens[place]
        case 1:
            tokens[place] = chance.choice(tokens)
        case 2:
            tokens[place] = chance.choice((*NUMBERS, *NAMES, "''", "[]", "()", ",", "**", ":=", "lambda: 0"))
        case 3:
            tokens = ["not (", *tokens, ")"] * 1
        case 4:
            tokens = [chance.choice(("(", "-", "not ", "[")) * chance.choice((1, 40, 5000)), *tokens]
        case 5:
            tokens = [*tokens, chance.choice((" and ", " or ", " + ", " == ", " if ", " * ")), *tokens]
        case 6:
            tokens = [f"all({text} for it in {chance.choice(('shape(self)', 'range(0, 99999999)', '[1, 2]', 'self'))})"]
        case _:
            words = [place for place, token in enumerate(tokens) if token in ALIKE] or [place]
            place = chance.choice(words)
            tokens[place] = chance.choice(ALIKE.get(tokens[place], NAMES))
    put(spot, scalar("".join(tokens)))


def _number(spots: Sequence[Spot], chance: Random) -> None:
    """Another number, in a scalar or in a literal."""
    found = _texts(spots, NUMBER.pattern)
    if found:
        spot, text = chance.choice(found)
        match = chance.choice(list(NUMBER.finditer(text)))
        put(spot, scalar(text[: match.start()] + chance.choice(NUMBERS) + text[match.end() :]))


def _word(spots: Sequence[Spot], chance: Random) -> None:
    """Another word of the same kind: a dtype, a format, a product, a type, a status."""
    pattern = re.compile(rf"\b({'|'.join(word for word in ALIKE if word.isidentifier())})\b")
    found = _texts(spots, pattern.pattern)
    if found:
        spot, text = chance.choice(found)
        match = chance.choice(list(pattern.finditer(text)))
        put(spot, scalar(text[: match.start()] + chance.choice(ALIKE[match[0]]) + text[match.end() :]))


def _text(spots: Sequence[Spot], chance: Random) -> None:
    """Something nasty in a text."""
    found = _texts(spots, "")
    if found:
        spot, text = chance.choice(found)
        nasty, place = chance.choice(TEXTS), chance.randrange(len(text) + 1)
        put(spot, scalar(chance.choice((nasty, text + nasty, text[:place] + nasty + text[place:]))))


def _key(spots: Sequence[Spot], chance: Random) -> None:
    """Another key of a mapping."""
    parent, place = chance.choice(spots)
    if isinstance(parent, yaml.MappingNode):
        key = chance.choice(
            (*NAMES, *NUMBERS, *TEXTS, *(key_of(spot) for spot in chance.sample(spots, min(20, len(spots)))))
        )
        parent.value[place] = (scalar(key), parent.value[place][1])


CHANGES: tuple[tuple[Callable[[Sequence[Spot], Random], None], int], ...] = (
    (_delete, 3),
    (_duplicate, 1),
    (_swap, 2),
    (_reorder, 1),
    (_retype, 3),
    (_splice, 4),
    (_predicate, 6),
    (_number, 4),
    (_word, 5),
    (_text, 3),
    (_key, 2),
)
