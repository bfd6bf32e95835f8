"""Networks that nobody would ship in every searcher, belief and lane: policies so sharp that chances underflow play on;
outputs that are not finite are one sentence that names the checkpoint, the network and the position.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from skat_env.agents.networks.checkpoint import load_checkpoint, save_checkpoint
from skat_env.agents.networks.checkpoint_folder import SHIPPED
from skat_env.agents.networks.network import Network
from skat_env.agents.search.evaluators.policy_value import PolicyValueEvaluator
from skat_env.agents.skat.policy.networks import VALUE_OUTPUTS
from skat_env.errors import NotFinite, ParseError
from skat_env.play.lanes import lane_players
from skat_env.play.players import Players
from skat_env.play.starts import PlayedTo
from skat_env.protocols import WorldSampler
from skat_env.registry import get_game, make_agent
from tests.helpers.checkpoints import forget_checksums
from tests.helpers.networks import changed

GAMES = ("skat", "klaverjas")
FACTORS = {"sharp": 40.0, "sharper": 400.0, "sharpest": 1e6, "zero": 0.0, "huge": 1e38}
"""By which the weights of the last layer are multiplied."""
POLICIES = (
    "policy(checkpoint={0})",
    "policy(checkpoint={0}, cardplay=sample)",
    "policy(checkpoint={0}, int8=true)",
    "exploring(agent=policy(checkpoint={0}), share=1, smoothing=0.1, temperature=0.5)",
    "player(bidding=rule, cardplay=policy(checkpoint={0}))",
    "hybrid(policy=policy(checkpoint={0}), search='pimc(worlds=3, bidder=rule)', trick=5)",
    "iimc(worlds=3, inner=policy(checkpoint={0}))",
    "iimc(worlds=20, inner=policy(checkpoint={0}), threshold=0, open_cards=0.5, race=2)",
    "ismcts(simulations=80, evaluator=world_values(policy={0}), bidder=rule)",
    "ismcts(simulations=80, evaluator=world_values(policy={0}), observers=many, minimax=0.5, bidder=rule)",
    "ismcts(simulations=40, evaluator=rollouts(inner=policy(checkpoint={0})), bidder=rule)",
    "pimc(worlds=3, belief=policy(k=20, model={0}), bidder=rule)",
    "pimc(worlds=3, belief=policy(k=20, model={0}, temper=0.5), bidder=rule)",
    "alpha_mu(worlds=3, belief=policy(k=20, model={0}), bidder=rule)",
    "epimc(worlds=3, belief=policy(k=20, model={0}), bidder=rule)",
    "local_best_response(agent=policy(checkpoint={0}), worlds=3, k=100)",
)
SEARCHERS = {
    **dict.fromkeys(POLICIES, "{game}-policy"),
    "ismcts(simulations=80, evaluator=policy_value(checkpoint={0}), bidder=rule)": "klaverjas-policy",
    "ismcts(simulations=80, evaluator=policy_value(checkpoint={0}), batch=7, trees=2, bidder=rule)": "klaverjas-policy",
    "ismcts(simulations=40, evaluator=value(checkpoint={0}), bidder=rule)": "klaverjas-value",
    "ismcts(simulations=40, evaluator=world_values(checkpoint={0}), bidder=rule)": "{game}-world",
    "pimc(worlds=3, belief=locations(checkpoint={0}), bidder=rule)": "{game}-locations",
    "search_calls(worlds=3, candidates=3, checkpoint={0})": "skat-policy",
    "search_calls(worlds=3, candidates=3, inner=policy(checkpoint={0}))": "skat-policy",
    "iimc(worlds=3, opponents=inferred, belief=policy(k=20, model={0}), bidder=rule)": "{game}-policy",
    "iimc(worlds=3, opponents=policy(checkpoint={0}), inner=rule)": "{game}-policy",
    "pimc(worlds=3, belief=policy(k=20, prior=locations(checkpoint={0})), bidder=rule)": "{game}-locations",
}
"""Agents, with the checkpoint that they need."""


def made_of(name: str, game: str, factor: float, folder: Path) -> str:
    """A checkpoint like one that ships, whose last layers are multiplied."""
    found = load_checkpoint(name, game)
    networks = {}
    for key, network in found.networks.items():
        weights, last = network.weights(), len(network.spec.hidden)
        arrays = {
            f"{last}.{kind}": weights[f"{last}.{kind}"] * np.float32(factor) for kind in ("weight", "bias")
        }
        networks[key] = Network(network.spec, {**weights, **arrays})
    save_checkpoint(folder, game, networks)
    return str(folder)


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], str]:
    """Folders by the checkpoint that they are like, and the name of the factor."""
    root = tmp_path_factory.mktemp("checkpoints")
    names = {shipped.format(game=game): game for shipped in SEARCHERS.values() for game in GAMES}
    return {
        (name, kind): made_of(
            name, "skat" if name.startswith("skat") else "klaverjas", factor, root / f"{name}-{kind}"
        )
        for name in names
        for kind, factor in FACTORS.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize("kind", FACTORS)
@pytest.mark.parametrize("agent", SEARCHERS)
@pytest.mark.parametrize("game", GAMES)
def test_searchers(game: str, agent: str, kind: str, checkpoints: dict[tuple[str, str], str]) -> None:
    name = SEARCHERS[agent].format(game=game)
    if not name.startswith(game):
        pytest.skip(f"{game} has no {name}")
    folder = checkpoints[name, kind]
    rng = np.random.default_rng(5)
    states = [PlayedTo(game, "cardplay", "rule")(rng) for _ in range(2)]
    with np.errstate(over="ignore"):
        try:
            player = make_agent(agent.format(f"'{folder}'"), game)
            Players(get_game(game), [player]).play(
                states, lambda number, seat: np.random.default_rng([number, seat])
            )
        except (NotFinite, ParseError) as error:
            assert kind == "huge"
            assert f"of checkpoint {folder}" in str(error)
            assert "network '" in str(error)
            assert " at '" in str(error)
        else:
            assert all(state.is_over for state in states)


@pytest.mark.parametrize("game", GAMES)
def test_lanes_name_the_position_at_which_a_network_fails(
    game: str, checkpoints: dict[tuple[str, str], str]
) -> None:
    folder = checkpoints[f"{game}-policy", "huge"]
    agent = make_agent(f"policy(checkpoint='{folder}')", game)
    assert lane_players([agent]) is not None
    state = PlayedTo(game, "cardplay", "rule")(np.random.default_rng(1))
    while state.legal().bit_count() == 1:
        state.apply(state.legal_actions()[0])
    before = state.text()
    with pytest.raises(NotFinite) as failure:
        Players(get_game(game), [agent]).play(
            [state], lambda number, seat: np.random.default_rng([number, seat])
        )
    assert failure.value.position == before
    with pytest.raises(NotFinite, match=r"has an output of -?(inf|nan)") as failure:
        agent.decide(state.view(state.to_act), np.random.default_rng(0))
    assert failure.value.position == state.view(state.to_act).text()


@pytest.mark.parametrize("game", GAMES)
def test_weights_that_are_not_numbers_are_not_loaded(game: str, tmp_path: Path) -> None:
    folder = made_of(f"{game}-policy", game, np.nan, tmp_path / "nan")
    with pytest.raises(ParseError, match="numbers that are not finite"):
        load_checkpoint(folder, game)


def test_networks_in_memory_that_are_not_numbers() -> None:
    """An evaluator may be made of networks that no file has checked."""
    game = "klaverjas"
    networks = {
        name: broken(network) for name, network in load_checkpoint("klaverjas-policy", game).networks.items()
    }
    from skat_env.agents.search.ismcts import Ismcts, IsmctsOptions

    evaluator = PolicyValueEvaluator(networks, game)
    search = Ismcts(IsmctsOptions(simulations=40, evaluator=evaluator, bidder="rule"), game=game)
    state = PlayedTo(game, "cardplay", "rule")(np.random.default_rng(1))
    with pytest.raises(NotFinite, match="network 'cardplay'"):
        search.decide(state.view(state.to_act), np.random.default_rng(0))


def broken(network: Network) -> Network:
    return changed(network, lambda arrays: arrays[f"{len(network.spec.hidden)}.bias"].fill(np.nan))


class OddBelief:
    """A belief that gives one world, with a weight."""

    name, cheats = "odd", False

    def __init__(self, state: Any, weight: float) -> None:
        self.state, self.weight = state, weight

    def worlds(self, view: Any, n: int, rng: np.random.Generator) -> list[Any]:
        from skat_env.protocols import World

        return [World(self.state, self.weight)]


@pytest.mark.parametrize("weight", [np.nan, np.inf, -1.0, 0.0])
@pytest.mark.parametrize("agent", ["pimc", "alpha_mu", "epimc", "iimc", "ismcts"])
def test_weights_of_worlds_are_checked(agent: str, weight: float) -> None:
    state = PlayedTo("skat", "cardplay", "rule")(np.random.default_rng(1))
    belief: WorldSampler = OddBelief(state, weight)
    from skat_env.agents.search.alpha_mu import AlphaMu
    from skat_env.agents.search.epimc import Epimc
    from skat_env.agents.search.iimc import Iimc
    from skat_env.agents.search.ismcts import Ismcts, IsmctsOptions
    from skat_env.agents.search.pimc import Pimc

    makers: dict[str, Any] = {"pimc": Pimc, "alpha_mu": AlphaMu, "epimc": Epimc, "iimc": Iimc}
    if agent == "ismcts":
        made: Any = Ismcts(IsmctsOptions(simulations=20, belief=belief, bidder="rule"), game="skat")
    else:
        options = {"inner": "random"} if agent == "iimc" else {}
        made = makers[agent](worlds=2, belief=belief, bidder="rule", game="skat", **options)
    with pytest.raises(ValueError, match=r"belief odd gives .*: expected finite weights"):
        made.decide(state.view(state.to_act), np.random.default_rng(0))


def test_worlds_without_weight_are_left_out() -> None:
    """A search that has time for the first worlds alone would divide by the sum of their weights."""

    class Rest(OddBelief):
        def worlds(self, view: Any, n: int, rng: np.random.Generator) -> list[Any]:
            return [*[World(self.state, 0.0)] * 3, World(self.state, self.weight)]

    from skat_env.play.capabilities import drawn_worlds
    from skat_env.protocols import World

    state = PlayedTo("skat", "cardplay", "rule")(np.random.default_rng(1))
    [world] = drawn_worlds(Rest(state, 2.0), state.view(state.to_act), 4, np.random.default_rng(0))
    assert world.weight == 2.0


def test_files_that_are_damaged_or_swapped_are_not_loaded(tmp_path: Path) -> None:
    """A flipped bit of a weight leaves a finite number, and the files of a checkpoint fit each other's shapes."""
    folder = Path(made_of("skat-policy", "skat", 1.0, tmp_path / "copy"))
    first, second = folder / "suit_soloist.safetensors", folder / "null_soloist.safetensors"
    whole = first.read_bytes()
    rng = np.random.default_rng(1)
    for _ in range(20):
        damaged = bytearray(whole)
        damaged[int(rng.integers(len(whole)))] ^= 1 << int(rng.integers(8))
        first.write_bytes(damaged)
        with pytest.raises(ParseError, match=r"suit_soloist.safetensors is damaged or of another checkpoint"):
            load_checkpoint(folder, "skat")
    first.write_bytes(second.read_bytes())
    with pytest.raises(ParseError, match="damaged or of another checkpoint"):
        load_checkpoint(folder, "skat")
    first.write_bytes(whole)
    load_checkpoint(folder, "skat")


def test_all_that_ships_has_checksums() -> None:
    for manifest in SHIPPED.glob("*/checkpoint.json"):
        names = {path.name for path in manifest.parent.glob("*.safetensors")}
        assert json.loads(manifest.read_text())["files"].keys() == names


def test_checkpoints_written_before_there_were_checksums_are_loaded(tmp_path: Path) -> None:
    folder = Path(made_of("skat-world", "skat", 1.0, tmp_path / "old"))
    forget_checksums(folder)
    load_checkpoint(folder, "skat")


READERS = {
    "policy(checkpoint={0})": "{game}-policy",
    "policy(variant=MLV, checkpoint={0})": "skat-imitation",
    "pimc(worlds=2, belief=policy(model={0}), bidder=rule)": "{game}-policy",
    "iimc(worlds=2, inner=rule, belief=policy(model={0}))": "skat-imitation",
    "ismcts(simulations=2, evaluator=world_values(checkpoint={0}), bidder=rule)": "{game}-world",
}
"""Agents, with the checkpoint whose networks they read."""


def resized(network: Network, more: int) -> Network:
    """A network with more outputs, copies of its last ones, or fewer."""
    weights, last = network.weights(), len(network.spec.hidden)
    outputs = np.arange(network.spec.outputs + more).clip(max=network.spec.outputs - 1)
    arrays = {f"{last}.{kind}": weights[f"{last}.{kind}"][outputs] for kind in ("weight", "bias")}
    return Network(replace(network.spec, outputs=len(outputs)), {**weights, **arrays})


@pytest.mark.parametrize("more", [-2, 2])
@pytest.mark.parametrize("agent", READERS)
@pytest.mark.parametrize("game", GAMES)
def test_networks_of_other_outputs_are_refused(game: str, agent: str, more: int, tmp_path: Path) -> None:
    name = READERS[agent].format(game=game)
    if not name.startswith(game):
        pytest.skip(f"{game} has no {name}")
    found = load_checkpoint(name, game)
    for key, network in found.networks.items():
        if network.spec.outputs + more < 1 or (key in VALUE_OUTPUTS and "belief" in agent):
            continue
        save_checkpoint(tmp_path / key, game, {**found.networks, key: resized(network, more)})
        with pytest.raises(ParseError, match=rf"network '{key}' of .* outputs: expected "):
            make_agent(agent.format(f"'{tmp_path / key}'"), game)
