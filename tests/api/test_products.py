from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from aclspec.runtime import Product
from aclspec.runtime.abi import products
from aclspec.runtime.abi.environment import is_exact, resolve_conformance
from aclspec.runtime.abi.products import KEYS, product_of, resolve_product
from aclspec.runtime.api import device
from aclspec.runtime.npu import libraries as roots

SOCS = [
    ("Ascend910B", "atlas_training"),  # the bare name is the first generation, not the second
    ("Ascend910A", "atlas_training"),
    ("Ascend910ProA", "atlas_training"),
    ("Ascend910B1", "atlas_a2"),
    ("Ascend910B4-1", "atlas_a2"),
    ("Ascend910_9362", "atlas_a3"),
    ("Ascend910_9591", "ascend_950"),
    ("Ascend950PR_9589", "ascend_950"),
    ("Ascend950DT_x", "ascend_950"),
    ("Ascend310P3", "atlas_inference"),
    ("Ascend310P3vir08", "atlas_inference"),
    ("Ascend310B4", "atlas_200i_500_a2"),
]


@pytest.fixture
def no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    find_device(monkeypatch, None)


def find_device(monkeypatch: pytest.MonkeyPatch, name: str | None) -> None:
    products._without_name.cache_clear()
    monkeypatch.setattr(device, "soc_name", lambda: name)


@pytest.fixture(autouse=True)
def forget() -> Any:
    yield
    products._without_name.cache_clear()


@pytest.mark.parametrize(("soc", "key"), SOCS)
def test_soc_names(soc: str, key: str) -> None:
    assert product_of(soc) == key


def test_members_are_their_keys() -> None:
    assert tuple(Product) == KEYS
    assert resolve_product(Product.atlas_a3) == "atlas_a3"
    assert f"{Product.atlas_a2}" == "atlas_a2"
    assert pickle.loads(pickle.dumps(Product.atlas_a2)) is Product.atlas_a2


@pytest.mark.usefixtures("no_device")
def test_the_default_is_atlas_a2() -> None:
    assert resolve_product() == "atlas_a2"


def test_the_environment_comes_before_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    find_device(monkeypatch, "Ascend310P3")
    assert resolve_product() == "atlas_inference"
    monkeypatch.setenv("ACLSPEC_PRODUCT", "Ascend910A")
    assert resolve_product() == "atlas_training"
    assert resolve_product("ascend_950") == "ascend_950"
    monkeypatch.setenv("ACLSPEC_PRODUCT", "")
    assert resolve_product() == "atlas_inference"


def test_a_device_of_another_series_leaves_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    find_device(monkeypatch, "Ascend610")
    assert resolve_product() == "atlas_a2"


def test_an_unknown_product(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match=r"The value of product \(atlas_a22\) .* \(did you mean atlas_a2\?\)"):
        resolve_product("atlas_a22")
    with pytest.raises(TypeError, match=r"The value of product \(2\) is not a product's key or SoC name"):
        resolve_product(2)
    monkeypatch.setenv("ACLSPEC_PRODUCT", "ascend95")
    with pytest.raises(ValueError, match=r"the environment variable ACLSPEC_PRODUCT \(ascend95\)"):
        resolve_product()


def test_where_cann_is_not_found_nothing_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roots, "candidates", lambda: iter(()))
    monkeypatch.setattr("ctypes.CDLL", lambda name: pytest.fail(f"{name} was loaded"))
    assert device.soc_name.__wrapped__() is None


@pytest.mark.parametrize(("answer", "expected"), [(b"Ascend910B3", "Ascend910B3"), (None, None)])
def test_the_device_answers_through_the_runtime_that_is_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, answer: bytes | None, expected: str | None
) -> None:
    class Loaded:
        def __init__(self, path: str) -> None:
            assert path == str(tmp_path / "lib64" / "libacl_rt.so")

        def __getitem__(self, name: str) -> Any:
            assert name == "aclrtGetSocName"

            def function() -> bytes | None:
                return answer

            return function

    (tmp_path / "lib64").mkdir()
    for name in roots.RUNTIME_LIBRARIES:
        (tmp_path / "lib64" / name).touch()
    monkeypatch.setenv("ASCEND_CUSTOM_PATH", str(tmp_path))
    monkeypatch.setattr("ctypes.CDLL", Loaded)
    assert device.soc_name.__wrapped__() == expected


def test_a_runtime_that_cannot_be_loaded_is_no_device(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "lib64").mkdir()
    (tmp_path / "lib64" / "libascendcl.so").write_text("no library")
    monkeypatch.setenv("ASCEND_CUSTOM_PATH", str(tmp_path))
    assert device.soc_name.__wrapped__() is None


def test_conformance(monkeypatch: pytest.MonkeyPatch) -> None:
    assert resolve_conformance() == "document"
    assert resolve_conformance("library") == "library"
    monkeypatch.setenv("ACLSPEC_CONFORMANCE", "library")
    assert resolve_conformance() == "library"
    assert resolve_conformance("document") == "document"
    with pytest.raises(ValueError, match=r"The value of conformance \(libary\) .*\(did you mean library\?\)"):
        resolve_conformance("libary")
    with pytest.raises(TypeError, match="is not a string"):
        resolve_conformance(1)
    monkeypatch.setenv("ACLSPEC_CONFORMANCE", "strict")
    with pytest.raises(ValueError, match=r"the environment variable ACLSPEC_CONFORMANCE \(strict\)"):
        resolve_conformance()


def test_compute() -> None:
    assert is_exact("exact")
    assert not is_exact(None)
    with pytest.raises(ValueError, match=r"The value of compute \(fast\) is not exact"):
        is_exact("fast")


PEOPLE = [
    ("910B", "atlas_a2", True),
    ("Ascend910B", "atlas_a2", True),
    ("a2", "atlas_a2", False),
    ("Atlas 800T A2", "atlas_a2", False),
    ("Atlas A2", "atlas_a2", False),
    ("910B3", "atlas_a2", False),
    ("ascend910b4-1", "atlas_a2", False),
    ("910A", "atlas_training", False),
    ("310P", "atlas_inference", False),
    ("Ascend310P", "atlas_inference", False),
    ("910C", "atlas_a3", False),
    ("Ascend910_93", "atlas_a3", False),
    ("950", "ascend_950", False),
    ("Ascend950PR", "ascend_950", False),
    ("310B", "atlas_200i_500_a2", False),
    ("Atlas 200I DK A2", "atlas_200i_500_a2", False),
]


@pytest.mark.parametrize(("name", "key", "noted"), PEOPLE)
def test_products_as_people_call_them(name: str, key: str, noted: bool) -> None:
    found = products.read_product(name)
    assert (found.key, bool(found.note)) == (key, noted)
    assert resolve_product(name) == key


def test_the_soc_of_the_first_generation_keeps_its_name_where_a_machine_answers_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert product_of("Ascend910B") == "atlas_training"
    find_device(monkeypatch, "Ascend910B")
    assert resolve_product() == "atlas_training"


@pytest.mark.parametrize("name", ["910", "Ascend910", "310"])
def test_an_ambiguous_name_lists_its_candidates(name: str) -> None:
    with pytest.raises(ValueError, match=rf"\({name}\) is ambiguous: it may mean atlas_\w+, atlas_\w+"):
        resolve_product(name)
