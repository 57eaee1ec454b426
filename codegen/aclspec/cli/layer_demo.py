"""``python -m aclspec.cli.layer_demo``: a C++ program whose call fails with no reason, and then with that of the layer.

It needs a compiler for C++ and the packages of the command line.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from aclspec import ops
from aclspec.cli.demo import EXAMPLE
from aclspec.runtime.abi.products import KEYS
from aclspec.runtime.api.operator import Operator

COMPILERS = ("c++", "g++", "clang++")


def main() -> int:
    """Run the demo; 1 where the layer gives no reason."""
    compiler = next((path for name in COMPILERS if (path := shutil.which(name))), None)
    if compiler is None:
        print("The demo of the layer needs a C++ compiler; it is left out.")
        return 0
    from aclspec.codegen.layer.build import environment

    operator, product = next(_refused())
    print(f"A C++ program calls {operator.name} on {product}, of libraries that give no reason:\n", flush=True)
    with TemporaryDirectory(prefix="aclspec-demo-") as folder:
        program = _built(operator, Path(folder), compiler)
        plain = _run(program, product, {})
        print("\nThe same with the layer between the program and the libraries:\n", flush=True)
        layered = _run(program, product, environment(Path(folder, "layer")))
    return 0 if plain.returncode != 0 and "while checking rule" in layered.stderr else 1


def _refused() -> Iterator[tuple[Operator, str]]:
    """The operators of the documents' own calls, with a product that the call does not work on."""
    for name in sorted(ops.names()):
        operator = ops.get(name)
        listed = {product for product, _ in operator.info.products}
        if any(example.id == EXAMPLE for example in operator.info.examples):
            yield from ((operator, product) for product in KEYS if product not in listed)


def _built(operator: Operator, folder: Path, compiler: str) -> Path:
    """The sample program of an operator, with a simulator and a layer of that operator alone beside it."""
    from aclspec.codegen.layer.build import build_layer
    from aclspec.codegen.render.c.files import write_checks
    from aclspec.codegen.render.samples import program_of, render_sample_header
    from aclspec.codegen.simulator.root import build_root, home_of

    root, program = folder / "simulator", folder / "program"
    build_root([operator.info], root)
    root = home_of(root)
    build_layer([operator.info], partial(write_checks, [operator.info]), folder / "layer")
    libraries = [f"-L{root / 'lib64'}", f"-Wl,-rpath,{root / 'lib64'}", "-lascendcl", "-lnnopbase", "-lopapi"]
    for path, text in (program_of(operator.info) | render_sample_header()).items():
        Path(folder, path.name).write_text(text, encoding="utf-8")
    source = folder / f"{operator.snake}.cpp"
    subprocess.run([compiler, "-std=c++17", source, f"-I{root / 'include'}", "-o", program, *libraries], check=True)
    return program


def _run(program: Path, product: str, layer: dict[str, str]) -> subprocess.CompletedProcess[str]:
    variables = {"ACLSPEC_SIMULATOR_SILENT": "1", "ACLSPEC_PRODUCT": product, **layer}
    done = subprocess.run([program], env=os.environ | variables, capture_output=True, text=True, check=False)
    print("".join(f"    {line}\n" for line in (done.stdout + done.stderr).splitlines()), end="")
    return done


if __name__ == "__main__":
    sys.exit(main())
