"""The headers: in C where CANN's are C, in C++ always, and the numbers in them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from aclspec.codegen.simulator.interface import read_runtime
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.rules.operator_info import OperatorInfo
from tests.support.operators import infos, some
from tests.support.simulators import Simulator

ROOT = Path(__file__).parents[2]
OPERATORS = {info.name: info for info in infos()}
HEADERS = sorted({info.header for info in OPERATORS.values()})
INCLUDED = ["aclnn/acl_meta.h", "aclnn/aclnn_base.h"]
INCLUDED += [f"aclnnop/{header}" for header in some(len(HEADERS), HEADERS, small=10)]
STRICT = ("-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only")


def check(compiler: str, language: str, text: str, include: Path) -> subprocess.CompletedProcess[str]:
    words = [compiler, *STRICT, "-x", language, f"-I{include}", "-"]
    return subprocess.run(words, input=text, capture_output=True, text=True)


@pytest.mark.parametrize("header", ["acl/acl.h", "acl/acl_base.h", "acl/acl_rt.h", "acl/error_codes.h"])
def test_the_headers_of_the_runtime_are_c(simulator: Simulator, program: Callable[[str], str], header: str) -> None:
    text = f'#include "{header}"\n#include "{header}"\nint main(void) {{ return 0; }}\n'
    for language, compiler in (("c", program("cc")), ("c++", simulator.compiler)):
        done = check(compiler, language, text, simulator.root / "include")
        assert done.returncode == 0, done.stderr


def test_a_c_program_runs(simulator: Simulator, program: Callable[[str], str]) -> None:
    source = simulator.work / "main.c"
    source.write_text(
        '#include "acl/acl.h"\n'
        "int main(void) {\n"
        "    size_t room = 0, total = 0;\n"
        "    aclrtRunMode mode;\n"
        "    if (aclInit(NULL) != ACL_SUCCESS || aclrtSetDevice(0) != ACL_SUCCESS) {\n"
        "        return 1;\n"
        "    }\n"
        "    const int codes = aclrtGetRunMode(&mode) + aclrtGetMemInfo(ACL_HBM_MEM, &room, &total);\n"
        '    printf("%s %d\\n", aclrtGetSocName(), codes);\n'
        "    return aclFinalize();\n"
        "}\n"
    )
    made = simulator.work / "main_c"
    words = [program("cc"), "-std=c99", "-Wall", "-Wextra", "-Werror", str(source), "-o", str(made)]
    places = [f"-I{simulator.root / 'include'}", f"-L{simulator.root / 'lib64'}", "-lascendcl"]
    done = subprocess.run([*words, *places], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert simulator.run(made).out == "Ascend910B2 0\n"


@pytest.mark.parametrize(
    "header",
    INCLUDED,
)
def test_the_headers_of_the_operators_are_cpp(simulator: Simulator, program: Callable[[str], str], header: str) -> None:
    text = f'#include "{header}"\n#include "{header}"\nint main() {{ return OK; }}\n'
    done = check(simulator.compiler, "c++", text, simulator.root / "include")
    assert done.returncode == 0, done.stderr
    refused = check(program("cc"), "c", text, simulator.root / "include")
    assert "is a C++ header" in refused.stderr


@pytest.mark.parametrize("family", ["math", "nn", "cv", "transformer"])
def test_one_header_of_all_operators(simulator: Simulator, family: str) -> None:
    uses = "".join(f"  if ({name} == nullptr || {name}GetWorkspaceSize == nullptr) return 1;\n" for name in OPERATORS)
    header = f'#include "aclnnop/aclnn_ops_{family}.h"\n'
    text = f"{header}{header}int main() {{\n{uses}  return 0;\n}}\n"
    words = [
        simulator.compiler,
        "-Wall",
        "-Wextra",
        "-fsyntax-only",
        "-x",
        "c++",
        f"-I{simulator.root / 'include'}",
        "-",
    ]
    done = subprocess.run(words, input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


SHARED = {one.spec.header for one in read_runtime().interfaces.values()}


def test_the_headers_of_the_root_are_the_generated_ones(simulator: Simulator) -> None:
    generated = ROOT / "generated" / "include" / "aclnnop"
    assert sorted(path.name for path in generated.iterdir()) == HEADERS
    for header in HEADERS:
        text = (simulator.root / "include" / "aclnnop" / header).read_text(encoding="utf-8")
        own = (generated / header).read_text(encoding="utf-8")
        if f"aclnnop/{header}" in SHARED or "specs/signatures.yaml" in text:  # with more functions beside the operators
            lines = iter(text.splitlines())
            assert all(line in lines for line in own.splitlines() if "do not edit" not in line)
        else:
            assert text == own


def declared(text: str, function: str) -> list[str]:
    """The types of a function's parameters in a header, without const and without spaces before the stars."""
    found = re.search(rf"\b{function}\(([^)]*)\);", text)
    assert found is not None, function
    parts = [part.replace("const ", "").strip() for part in found[1].split(",")]
    return [re.sub(r"\s*(\**)\w+$", r"\1", part) for part in parts]


@pytest.mark.parametrize("info", OPERATORS.values(), ids=OPERATORS)
def test_prototypes(info: OperatorInfo) -> None:
    text = (ROOT / "generated" / "include" / "aclnnop" / info.header).read_text(encoding="utf-8")
    params = [PARAM_TYPES[param.type].c for param in info.params]
    assert declared(text, f"{info.name}GetWorkspaceSize") == [*params, "uint64_t*", "aclOpExecutor**"]
    assert declared(text, info.name) == ["void*", "uint64_t", "aclOpExecutor*", "aclrtStream"]


def test_numbers(simulator: Simulator) -> None:
    """The enums of the C headers are those of the runtime, member for member."""
    dtypes = {dtype: f"ACL_{dtype.name}" for dtype in DType if dtype.is_stored or dtype is DType.DT_UNDEFINED}
    formats = {layout: f"ACL_{'' if layout is Format.FRACTAL_Z_3D else 'FORMAT_'}{layout.name}" for layout in Format}
    names = {**{name: int(one) for one, name in dtypes.items()}, **{name: int(one) for one, name in formats.items()}}
    names["ACL_DT_UNDEFINED"] = -1
    lines = [f'static_assert({name} == {number}, "");' for name, number in names.items()]
    text = '#include "acl/acl.h"\n' + "\n".join(lines) + "\nint main() { return 0; }\n"
    done = check(simulator.compiler, "c++", text, simulator.root / "include")
    assert done.returncode == 0, done.stderr
    header = (simulator.root / "include" / "acl" / "acl_base.h").read_text(encoding="utf-8")
    written = set(re.findall(r"^    (ACL_\w+) = -?\d+,?$", header, re.MULTILINE)) - {"ACL_DEVICE_INFO_UNDEFINED"}
    assert {name for name in written if not name.startswith(("ACL_DEVICE_INFO", "ACL_MEMTYPE"))} == set(names)


def test_sizes(simulator: Simulator) -> None:
    """aclDataTypeSize is what the runtime says of every dtype that CANN's own runtime knows."""
    known = [dtype for dtype in DType if dtype.is_stored and dtype < DType.FLOAT6_E3M2]
    lines = [f'std::printf("%zu\\n", aclDataTypeSize(static_cast<aclDataType>({int(dtype)})));' for dtype in known]
    text = '#include <cstdio>\n#include "acl/acl.h"\nint main() {\n' + "\n".join(lines) + "\n}\n"
    done = simulator.run(simulator.compile(text))
    assert [int(line) for line in done.out.split()] == [dtype.itemsize for dtype in known]
