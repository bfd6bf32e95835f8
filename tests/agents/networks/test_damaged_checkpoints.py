"""Checkpoints that are damaged or hold numbers that are not finite are refused when they are loaded."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="networks need the extra 'learn'")

from safetensors.numpy import load_file as load_tables
from safetensors.numpy import save_file as save_tables
from safetensors.torch import load_file, save_file

from skat_env.agents.networks.checkpoint import load_checkpoint, save_checkpoint
from skat_env.agents.networks.checkpoint_folder import MANIFEST
from skat_env.agents.networks.network import NetworkSpec
from skat_env.agents.skat.counted.tables import SkatTables
from skat_env.errors import ParseError
from tests.helpers.checkpoints import forget_checksums
from tests.helpers.networks import changed, random_network
from tests.helpers.tiny_runs import generate_data, tiny_config, train


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    network = random_network(NetworkSpec("skat.bid_answer", 64, (8,), branch="", branch_hidden=()))
    save_checkpoint(tmp_path / "c", "skat", {"bids": network}, {"note": "x"})
    return tmp_path / "c"


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    generate_data(folder / "data")
    train("tables", tiny_config("tables", folder / "data"), folder / "run")
    return folder / "run" / "checkpoint"


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_weights_that_are_not_finite(folder: Path, number: float) -> None:
    weights = load_file(folder / "bids.safetensors")
    weights["1.bias"][3] = number
    forget_checksums(folder)
    save_file(weights, folder / "bids.safetensors")
    with pytest.raises(
        ParseError,
        match=r"c/bids.safetensors: tensor '1.bias' of network 'bids' has numbers that are not finite",
    ):
        load_checkpoint(folder, "skat")


def test_half_precision_that_overflows(tmp_path: Path) -> None:
    network = random_network(NetworkSpec("skat.bid_answer", 64, (8,)))
    network = changed(network, lambda arrays: arrays["0.weight"].fill(1e6))
    save_checkpoint(tmp_path / "c", "skat", {"bids": network}, dtype=np.float16)
    with pytest.raises(
        ParseError, match=r"tensor '0\.weight' of network 'bids' has numbers that are not finite"
    ):
        load_checkpoint(tmp_path / "c", "skat")


def test_numbers_of_another_type(folder: Path) -> None:
    weights = load_file(folder / "bids.safetensors")
    forget_checksums(folder)
    save_file({name: weight.bfloat16() for name, weight in weights.items()}, folder / "bids.safetensors")
    with pytest.raises(
        ParseError, match=r"bids.safetensors has numbers of type 'BF16': expected float16 or float32"
    ):
        load_checkpoint(folder, "skat")


WRONG: list[Any] = [
    None,
    [],
    [1],
    {},
    -1,
    0,
    1.5,
    "x",
    True,
    [[1]],
    [-8],
    [0],
    ["8"],
    10**30,
    float("nan"),
    float("inf"),
]


def values_of(path: Path) -> list[dict[str, Any]]:
    """The manifest with every value, at any depth, replaced by every wrong one."""
    whole = json.loads(path.read_text())
    places: list[tuple[str, ...]] = [(key,) for key in whole]
    if "tables" in whole:
        places += [("tables", key) for key in whole["tables"]]
    else:
        places += [("networks", "bids"), *(("networks", "bids", key) for key in whole["networks"]["bids"])]
        places.append(("networks", "bids", "surplus"))
    found = []
    for wrong in WRONG:
        for keys in places:
            changed = json.loads(path.read_text())
            place = changed
            for key in keys[:-1]:
                place = place[key]
            if place.get(keys[-1], changed) != wrong:
                place[keys[-1]] = wrong
                found.append(changed)
    return found


def test_any_value_in_the_manifest_is_read_or_one_sentence(folder: Path) -> None:
    refused = 0
    for manifest in values_of(folder / MANIFEST):
        (folder / MANIFEST).write_text(json.dumps(manifest))
        try:
            load_checkpoint(folder, "skat")
        except ParseError as error:
            assert "\n" not in str(error)
            assert str(folder) in str(error)
            refused += 1
    assert refused > 100


def test_tables_with_any_value_are_read_or_one_sentence(tables: Path) -> None:
    whole = (tables / MANIFEST).read_text()
    refused = 0
    for manifest in values_of(tables / MANIFEST):
        (tables / MANIFEST).write_text(json.dumps(manifest))
        try:
            SkatTables.load(tables)
        except ParseError as error:
            assert "\n" not in str(error)
            refused += 1
    (tables / MANIFEST).write_text(whole)
    assert SkatTables.load(tables)
    assert refused > 30


@pytest.mark.parametrize("content", [b"[" * 100_000, b"\xff", b"[]", b"null", b'"format"', b""])
def test_what_is_no_manifest(folder: Path, content: bytes) -> None:
    (folder / MANIFEST).write_bytes(content)
    with pytest.raises(ParseError, match=r"c/checkpoint.json does not describe a checkpoint of skat_env"):
        load_checkpoint(folder, "skat")


@pytest.mark.parametrize("number", [np.nan, -1])
def test_tables_of_what_are_no_counts(tables: Path, number: float, tmp_path: Path) -> None:
    counts = load_tables(tables / "tables.safetensors")
    name = min(counts)
    changed = counts[name].astype(np.float32 if np.isnan(number) else np.int32)
    changed.flat[0] = number
    (tmp_path / MANIFEST).write_text((tables / MANIFEST).read_text())
    save_tables({**counts, name: changed}, tmp_path / "tables.safetensors")
    forget_checksums(tmp_path)
    with pytest.raises(ParseError, match=f"table '{name}' has numbers that are not counts"):
        SkatTables.load(tmp_path)
