"""A call that the form copies as C++: it compiles, or says which value C++ cannot write here."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.ask.node import Node
from tests.support.headers import include_folder

OPERATORS = ("prelu", "convolution_backward", "cat", "adds", "arange", "cast", "foreach_add_list", "var")
CALLS: list[tuple[str, dict[str, str]]] = [
    ("prelu", {"self": "float32[4,2]", "weight": "float32[2]"}),
    ("prelu", {"self": "bfloat16[4,2]:ND:strides=1,4:offset=2:storage=12", "weight": "null"}),
    (
        "convolution_backward",
        {
            "gradOutput": "float16[2,2,7,7]:NCHW",
            "input": "float16[2,2,7,7]:NCHW",
            "weight": "float16[2,2,1,1]:NCHW",
            "biasSizesOptional": "null",
            "stride": "1,1",
            "padding": "0,0",
            "dilation": "1,1",
            "transposed": "false",
            "outputPadding": "0,0",
            "groups": "1",
            "outputMask": "true,true,false",
            "cubeMathType": "1",
        },
    ),
    ("cat", {"tensors": "float32[2,2]; float32[1,2]", "dim": "0"}),
    ("adds", {"self": "int32[]", "other": "2:int32", "alpha": "1.5:float32"}),
    ("cast", {"self": "float32[0,3]", "dtype": "FLOAT16"}),
]


def test_the_program_compiles(node: Node, program: Callable[[str], str], repository: Path, tmp_path: Path) -> None:
    for at, (operator, texts) in enumerate(CALLS):
        path = tmp_path / f"call{at}.cpp"
        path.write_text(node.program(operator, texts)["code"], encoding="utf-8")
        folders = [f"-I{include_folder()}", f"-I{repository / 'generated/include'}"]
        words = [program("g++"), "-std=c++17", "-Wall", "-Werror", "-fsyntax-only", *folders, str(path)]
        done = subprocess.run(words, capture_output=True, text=True)
        assert done.returncode == 0, (operator, done.stderr)


def test_a_value_that_c_cannot_write_is_refused(node: Node) -> None:
    refused = node.program("adds", {"self": "bfloat16[2]", "other": "2:bfloat16", "alpha": "1"})["refused"]
    assert "other: BF16" in refused
