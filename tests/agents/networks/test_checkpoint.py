"""Networks and checkpoints: what is saved is what is loaded, and what does not fit is refused in one sentence."""

import gc
import json
import weakref
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="networks need the extra 'learn'")

import torch
from safetensors.torch import load_file, save_file

from skat_env.agents.learners.networks.network_module import NetworkModule
from skat_env.agents.networks import checkpoint
from skat_env.agents.networks.checkpoint import load_checkpoint, save_checkpoint
from skat_env.agents.networks.checkpoint_folder import MANIFEST, read_file
from skat_env.agents.networks.choice import masked
from skat_env.agents.networks.network import WIDTHS, Network, NetworkSpec
from skat_env.agents.skat.policy.networks import CARDPLAY, POLICY_OUTPUTS, encoder_of
from skat_env.errors import ParseError, UnknownName
from skat_env.registry import make_agent
from tests.helpers.checkpoints import forget_checksums
from tests.helpers.networks import random_network

SPEC = NetworkSpec("skat.bid_answer", 64, (8, 7, 6))


def saved(folder: Path, **networks: NetworkSpec) -> dict[str, Network]:
    torch.manual_seed(5)
    made = {name: random_network(spec) for name, spec in networks.items()}
    save_checkpoint(folder, "skat", made, {"note": "test"})
    return made


def test_what_is_loaded_computes_what_was_saved(tmp_path: Path) -> None:
    scaled = NetworkSpec("skat.declare", 7, (5,), scale=100.0)
    networks = saved(tmp_path / "c", bids=SPEC, value=scaled)
    loaded = load_checkpoint(tmp_path / "c", "skat")
    assert loaded.details == {"note": "test"}
    rng = np.random.default_rng(0)
    for name, network in networks.items():
        assert loaded.network(name).spec == network.spec
        features = rng.random((9, network.encoder.width), np.float32)
        assert (loaded.network(name).infer(features) == network.infer(features)).all()
        plain = features
        tensors = list(network.weights().values())
        for number in range(0, len(tensors), 2):
            plain = plain @ tensors[number].T + tensors[number + 1]
            plain = np.maximum(plain, 0) if number < len(tensors) - 2 else plain
        np.testing.assert_allclose(network.infer(features), plain * network.spec.scale, rtol=1e-4, atol=1e-4)


def test_a_checkpoint_has_the_networks_of_its_base_but_for_its_own(tmp_path: Path) -> None:
    own = random_network(NetworkSpec("skat.declare", 7, (5,)))
    save_checkpoint(tmp_path / "c", "skat", {"declare": own}, base="skat-imitation")
    loaded, base = load_checkpoint(tmp_path / "c", "skat"), load_checkpoint("skat-imitation", "skat")
    assert loaded.networks.keys() == base.networks.keys()
    assert [path.stem for path in (tmp_path / "c").glob("*.safetensors")] == ["declare"]
    for name, network in loaded.networks.items():
        expected = own if name == "declare" else base.network(name)
        rows = np.random.default_rng(1).random((3, network.encoder.width), np.float32)
        assert (network.infer(rows) == expected.infer(rows)).all()


@pytest.mark.parametrize("base", ["skat-nothing", "", 3, ["skat-policy"]])
def test_a_base_that_does_not_ship_is_reported(tmp_path: Path, base: object) -> None:
    saved(tmp_path / "c", one=SPEC)
    path = tmp_path / "c" / MANIFEST
    path.write_text(json.dumps({**json.loads(path.read_text()), "base": base}))
    with pytest.raises(
        ParseError, match=r"checkpoint\.json has the base .*: expected a checkpoint that ships"
    ):
        load_checkpoint(tmp_path / "c", "skat")


def test_a_base_of_another_game_is_reported(tmp_path: Path) -> None:
    save_checkpoint(tmp_path / "c", "skat", {}, base="klaverjas-policy")
    with pytest.raises(ParseError, match="is of klaverjas, expected one of skat"):
        load_checkpoint(tmp_path / "c", "skat")


@pytest.mark.parametrize("branch_hidden", [(6, 4), ()])
def test_a_branch_takes_one_feature_through_layers_of_its_own(
    tmp_path: Path, branch_hidden: tuple[int, ...]
) -> None:
    spec = NetworkSpec("skat.locations", 5, (7, 3), 2.0, "elu", "trick", branch_hidden)
    network = saved(tmp_path / "c", one=spec)["one"]
    loaded = load_checkpoint(tmp_path / "c", "skat").network("one")
    assert loaded.spec == spec
    features = np.random.default_rng(0).random((9, network.encoder.width), np.float32)
    assert (loaded.infer(features) == network.infer(features)).all()
    weights = network.weights()

    def layer(rows: np.ndarray, name: str, last: bool = False) -> np.ndarray:
        rows = rows @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]
        return rows if last else np.where(rows > 0, rows, np.exp(rows) - 1)

    place = network.encoder.slices["trick"]
    own = features[:, place]
    for number in range(len(branch_hidden)):
        own = layer(own, f"branch.{number}")
    plain = np.concatenate((features[:, : place.start], own, features[:, place.stop :]), axis=1)
    plain = layer(layer(layer(plain, "0"), "1"), "2", last=True)
    np.testing.assert_allclose(network.infer(features), plain * 2, rtol=1e-4, atol=1e-4)


def test_what_a_network_cannot_have_is_reported() -> None:
    with pytest.raises(UnknownName, match="unknown activation 'gelu'"):
        Network(NetworkSpec("skat.locations", 5, activation="gelu"), {})
    with pytest.raises(
        UnknownName, match=r"unknown feature of skat\.locations 'tricks': did you mean 'trick'"
    ):
        Network(NetworkSpec("skat.locations", 5, branch="tricks"), {})


def test_manifests_without_the_younger_fields_are_read(tmp_path: Path) -> None:
    saved(tmp_path / "c", bids=SPEC)
    path = tmp_path / "c" / MANIFEST
    manifest = json.loads(path.read_text())
    for field in ("activation", "branch", "branch_hidden"):
        del manifest["networks"]["bids"][field]
    path.write_text(json.dumps(manifest))
    assert load_checkpoint(tmp_path / "c", "skat").network("bids").spec == SPEC


def test_weights_do_not_depend_on_dropout_and_inference_drops_nothing(tmp_path: Path) -> None:
    torch.manual_seed(1)
    module = NetworkModule(SPEC, dropout=0.5).train()
    network = module.frozen()
    features = np.ones((3, network.encoder.width), np.float32)
    assert (network.infer(features) == network.infer(features)).all()
    assert module.training
    save_checkpoint(tmp_path / "c", "skat", {"bids": network}, dtype=np.float16)
    loaded = load_checkpoint(tmp_path / "c", "skat").network("bids")
    np.testing.assert_allclose(loaded.infer(features), network.infer(features), atol=1e-2)


def test_the_paper_s_widths_give_the_paper_s_numbers_of_weights() -> None:
    def weights(name: str) -> int:
        spec = NetworkSpec(encoder_of(name), POLICY_OUTPUTS[name], WIDTHS["paper"])
        return sum(tensor.numel() for tensor in NetworkModule(spec).parameters())

    assert 2.3e6 < max(weights(name) for name in POLICY_OUTPUTS if name not in CARDPLAY) < 2.35e6
    assert 2.3e6 < max(weights(name) for name in CARDPLAY) < 2.4e6


def test_masked_is_a_softmax_over_legal_outputs() -> None:
    logits = np.array([[1.0, 2.0, 900.0], [0.0, 0.0, 0.0]], np.float32)
    legal = np.array([[True, True, False], [True, False, False]])
    odds = np.exp([1.0, 2.0])
    np.testing.assert_allclose(masked(logits, legal), [[*(odds / odds.sum()), 0], [1, 0, 0]], rtol=1e-6)


def test_a_checkpoint_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    saved(folder, bids=SPEC)
    with pytest.raises(UnknownName, match="unknown checkpoint 'nothing'"):
        load_checkpoint("nothing", "skat")
    with pytest.raises(ParseError, match="is of skat, expected one of klaverjas"):
        load_checkpoint(folder, "klaverjas")
    with pytest.raises(ParseError, match="has no network 'declare', only bids"):
        load_checkpoint(folder, "skat").network("declare")

    manifest = json.loads((folder / MANIFEST).read_text())
    manifest["networks"]["bids"]["encoder_version"] += 1
    (folder / MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(ParseError, match=r"reads version \d+ of the encoder skat.bid_answer, .* has version"):
        load_checkpoint(folder, "skat")
    (folder / MANIFEST).write_text("{}")
    with pytest.raises(ParseError, match="does not describe a checkpoint"):
        load_checkpoint(folder, "skat")


def test_missing_and_misshapen_tensors_and_cut_files_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    saved(folder, bids=SPEC)
    forget_checksums(folder)
    path = folder / "bids.safetensors"
    whole = path.read_bytes()
    weights = load_file(path)
    del weights["1.bias"]
    save_file(weights, path)
    with pytest.raises(ParseError, match=r"tensor '1.bias' is missing, expected shape \[7\]"):
        load_checkpoint(folder, "skat")
    save_file({**weights, "1.bias": torch.zeros(3)}, path)
    with pytest.raises(ParseError, match=r"tensor '1.bias' has shape \[3\], expected shape \[7\]"):
        load_checkpoint(folder, "skat")
    path.write_bytes(whole[:-100])
    with pytest.raises(ParseError, match="cannot be read"):
        load_checkpoint(folder, "skat")


def test_who_loads_the_same_network_shares_it(tmp_path: Path) -> None:
    champion, policy = load_checkpoint("skat-champion", "skat"), load_checkpoint("skat-policy", "skat")
    assert champion.network("suit_soloist") is policy.network("suit_soloist")
    assert champion.network("pass_value") is not policy.network("pass_value")
    in_bytes = champion.in_int8().network("suit_soloist")
    assert in_bytes.evaluated is policy.in_int8().network("suit_soloist").evaluated
    assert in_bytes.evaluated is not policy.network("suit_soloist").evaluated
    assert in_bytes.in_int8() is in_bytes

    saved(tmp_path / "c", bids=SPEC)
    first = load_checkpoint(tmp_path / "c", "skat").network("bids")
    save_checkpoint(tmp_path / "c", "skat", {"bids": random_network(SPEC, 2)})
    second = load_checkpoint(tmp_path / "c", "skat").network("bids")
    assert (first.weights()["1.weight"] != second.weights()["1.weight"]).any()
    assert load_checkpoint(tmp_path / "c", "skat").network("bids") is second
    kept = weakref.ref(second)
    del second
    gc.collect()
    assert kept() is None

    forget_checksums(tmp_path / "c")
    own = load_checkpoint(tmp_path / "c", "skat").network("bids")
    assert load_checkpoint(tmp_path / "c", "skat").network("bids") is not own


def test_bytes_are_shared_though_nobody_has_the_floats(tmp_path: Path) -> None:
    saved(tmp_path / "c", bids=SPEC)
    first = load_checkpoint(tmp_path / "c", "skat").network("bids").in_int8()
    gc.collect()
    second = load_checkpoint(tmp_path / "c", "skat").network("bids").in_int8()
    assert first.evaluated is second.evaluated


def test_weights_that_can_be_written_to_are_copied(tmp_path: Path) -> None:
    arrays = {key: array.copy() for key, array in random_network(SPEC).weights().items()}
    network = Network(SPEC, arrays)
    before = network.weights()["1.weight"].copy()
    arrays["1.weight"][:] = 7
    assert (network.weights()["1.weight"] == before).all()
    mapped = arrays | {"1.weight": np.memmap(tmp_path / "x", np.float32, "w+", shape=before.shape)}
    network = Network(SPEC, mapped)
    mapped["1.weight"][:] = 7
    assert not network.weights()["1.weight"].any()
    assert Network(SPEC, network.weights()).weights()["1.weight"] is network.weights()["1.weight"]


def test_a_checkpoint_is_replaced_whole(tmp_path: Path) -> None:
    saved(tmp_path / "c", bids=SPEC)
    saved(tmp_path / "c", other=SPEC)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c"]
    assert list(load_checkpoint(tmp_path / "c", "skat").networks) == ["other"]


def test_a_folder_called_like_a_checkpoint_that_ships_does_not_take_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    saved(Path("skat-policy"), bids=SPEC)
    assert "bids" not in load_checkpoint("skat-policy", "skat").networks
    for local in ("./skat-policy", Path("skat-policy"), tmp_path / "skat-policy"):
        assert list(load_checkpoint(local, "skat").networks) == ["bids"]


@pytest.mark.parametrize(
    ("agent", "game"),
    [
        ("policy(checkpoint='')", "skat"),
        ("policy(checkpoint='')", "klaverjas"),
        ("ismcts(evaluator=value(''))", "klaverjas"),
        ("ismcts(evaluator=world_values(''))", "klaverjas"),
    ],
)
def test_nothing_names_no_checkpoint(
    agent: str, game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_checkpoint(tmp_path, game, {})
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnknownName, match="unknown checkpoint ''"):
        make_agent(agent, game)


def test_a_save_that_was_killed_between_its_renames_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "c"
    saved(folder, one=SPEC)

    def killed(path: Path, *target: Path, **_: object) -> Path:
        if path.name == ".c.partial":
            raise KeyboardInterrupt
        return rename(path, *target)

    rename = Path.rename
    for step in ("rename", "mkdir"):
        with monkeypatch.context() as patch:
            patch.setattr(Path, step, killed)
            with pytest.raises(KeyboardInterrupt):
                saved(folder, two=SPEC)
        assert list(load_checkpoint(folder, "skat").networks) == ["one"]
    saved(folder, two=SPEC)
    assert list(load_checkpoint(folder, "skat").networks) == ["two"]
    assert [path.name for path in tmp_path.iterdir()] == ["c"]


@pytest.mark.parametrize("name", ["notes", "notes/today.txt"])
def test_a_save_replaces_nothing_but_a_checkpoint(tmp_path: Path, name: str) -> None:
    kept = tmp_path / "notes" / "today.txt"
    kept.parent.mkdir()
    kept.write_text("kept")
    with pytest.raises(ValueError, match="something else"):
        saved(tmp_path / name, one=SPEC)
    assert kept.read_text() == "kept"


def test_a_save_while_a_checkpoint_is_read_is_not_taken_for_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved(tmp_path / "c", one=SPEC)
    saves = [SPEC]

    def read_later(folder: Path, manifest: dict, name: str) -> bytes:
        if saves:
            save_checkpoint(folder, "skat", {"one": random_network(saves.pop(), 2)})
        return read_file(folder, manifest, name)

    monkeypatch.setattr(checkpoint, "read_file", read_later)
    assert list(load_checkpoint(tmp_path / "c", "skat").networks) == ["one"]
    assert not saves


def test_the_working_directory_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "c").mkdir()
    monkeypatch.chdir(tmp_path / "c")
    for folder in (".", "..", "../c"):
        with pytest.raises(ValueError, match="has the working directory: name another"):
            saved(Path(folder), one=SPEC)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c"]
    saved(Path("../d/."), one=SPEC)
    assert list(load_checkpoint("../d", "skat").networks) == ["one"]
