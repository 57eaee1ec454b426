"""A description of a tensor means in the browser what it means in Python, and is refused there when it is here."""

from __future__ import annotations

from random import Random

from aclspec.runtime.tensors.tensor import Tensor
from tests.ask.node import Node

WRITTEN = (
    *("float32[4,2]", "FLOAT16[4,2]:NCHW", " acl_bf16 [ 4 , 2 ] : nd", "half[]", "bfloat16[0]:ACL_FORMAT_ND"),
    *("int8[-1,3]", "uint64[9223372036854775807,2]", "float64[1_000]", "float32[+4]", "undefined[2]:undefined"),
    *("float32[9223372036854775808]", "float32[2,]", "float32[x]", "float32[1.5]", "float32(2)", "float32", "[2]"),
    *("hfloat32[2]", "float33[2]", "float32[2]:NCHX", "float32[2]:", "float32[2]:ND:ND", "float32[2]:strides", ""),
    *("float32[2]:offset=1,2", "float32[2]:offset=", "float32[2]:offset=-1", "float32[2]:strides=-1"),
    *("float32[2]:strides=1:ND", "float32[2]:strides=1:strides=1", "float32[2]:ND:steps=1", "float32[2]:strides=1,1"),
    *("float32[2,2]:storage=3", "float32[2,2]:storage=4", "float32[2,2]:storage=2,2", "float32[2,2]:storage=5"),
    *("float32[2,2]:offset=1:storage=4", "float32[2,2]:offset=1:storage=5", "float32[-1]:storage=0"),
    *("float32(4,2)", "f32[4x2]:ND", "torch.half[4 × 2]", "float32 torch.Size([4, 2])", "float32[[4, 2]]", "i8(4,)"),
    *(
        "float32[(4, 2)]:ND",
        "float32[4,]",
        "float32(4,,)",
        "float32[4][2]",
        "float32[4x]",
        "float32[４x２]",
        "dt_bf16[1]",
    ),
    *("float32()", "float32[torch.Size([])]", "float32[[[[[4]]]]]", "np.float64(2)", "dt_undefined[2]", "float32(4"),
    *("float32[1,3]:strides=7,1", "float32[0,3]:strides=9,9:offset=4", "float32[2]]:ND", "float32[2]\n:ND"),
)


def described(text: str) -> str | None:
    """The description that Python gives back; None for a text that it refuses."""
    try:
        return str(Tensor.parse(text))
    except ValueError:
        return None


def made(random: Random) -> str:
    """A description with a layout that may make no sense."""
    rank = random.randint(0, 3)

    def numbers(count: int, *choices: int) -> str:
        return ",".join(str(random.choice(choices)) for _ in range(count))

    parts = [f"{random.choice(('float32', 'int8', 'BF16'))}[{numbers(rank, 0, 1, 2, 3, 4, -1)}]"]
    if random.random() < 0.5:
        parts.append(random.choice(("ND", "NCHW", "FRACTAL_NZ")))
    if random.random() < 0.6:
        parts.append(f"strides={numbers(rank if random.random() < 0.9 else rank + 1, 0, 1, 2, 4, 8)}")
    if random.random() < 0.5:
        parts.append(f"offset={random.choice((0, 1, 5))}")
    if random.random() < 0.5:
        parts.append(f"storage={numbers(random.randint(0, 2), 0, 1, 4, 8, 64)}")
    return ":".join(parts)


def test_descriptions(node: Node) -> None:
    random = Random(8)
    texts = [*WRITTEN, *(made(random) for _ in range(4000))]
    found = node.tensors(texts)
    expected = [described(text) for text in texts]
    assert [pair for pair in zip(texts, found, expected, strict=True) if pair[1] != pair[2]] == []
    assert 500 < sum(one is None for one in expected) < 3500
