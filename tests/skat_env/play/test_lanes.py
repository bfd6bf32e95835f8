"""Games in lanes: those that are played in Python, decision by decision, whatever else is in play."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from skat_env.agents.card_policy import CardPolicy
from skat_env.agents.compose.player import Player
from skat_env.agents.networks.card_networks import card_networks
from skat_env.agents.networks.checkpoint import load_checkpoint, save_checkpoint
from skat_env.agents.networks.network import NetworkSpec
from skat_env.agents.skat.policy.networks import AUCTION_VALUES, encoder_of
from skat_env.encoders import get_encoder
from skat_env.errors import IllegalAction, ParseError
from skat_env.play import lanes
from skat_env.play._lanes import Lanes
from skat_env.play.lanes import in_lanes, lane_players, play_in_lanes
from skat_env.play.lockstep import play_games
from skat_env.play.randomness import agent_rng, deal_rng
from skat_env.play.starts import PlayedTo, RandomDeals, RandomDeclarations
from skat_env.protocols import Decision, State
from skat_env.registry import get_game, make_agent
from skat_env.rule_options import parse_rules
from tests.helpers.networks import changed, random_network

GREEDY = [
    ("skat", "policy"),
    ("skat", "policy(boldness=25)"),
    ("skat", "policy(variant=AB, aggression=0.6)"),
    ("skat", "policy(variant=DI.M, checkpoint=skat-imitation)"),
    ("skat", "policy(variant=MV)"),
    ("skat", "player(bidding=policy, cardplay=policy(checkpoint=skat-imitation))"),  # without values
    ("skat", "policy(int8=true)"),
    ("klaverjas", "policy"),
    ("klaverjas", "policy(int8=true)"),
    ("klaverjas", "policy(bidder=rule(variant=thesis))"),
    ("klaverjas", "player(bidding=rule, cardplay=policy)"),
]
DRAWING = [
    ("skat", "policy(variant=DI.S, cardplay=sample)"),
    ("skat", "exploring(agent=policy, share=0.5, smoothing=0.03)"),
    (
        "skat",
        "exploring(agent=policy, share=0.5, temperature=2, random_cards=0.1, random_declarations=0.3)",
    ),
    ("skat", "exploring(agent=policy(cardplay=sample), share=0, random_cards=1, random_declarations=1)"),
    ("skat", "exploring(agent=policy, share=0, random_bids=0.4)"),
    (
        "skat",
        "player(bidding=policy(variant=DI.S), declaring=exploring(agent=policy, temperature=3), cardplay=policy)",
    ),
    (
        "skat",
        "exploring(agent=player(bidding=policy, cardplay=policy(checkpoint=skat-imitation)), share=0.5)",
    ),
    ("klaverjas", "policy(cardplay=sample)"),
    (
        "klaverjas",
        "exploring(agent=policy, share=0.7, temperature=0.5, random_cards=0.1, random_declarations=0.5)",
    ),
    ("klaverjas", "exploring(agent=player(bidding=rule, cardplay=policy), share=0.5, random_declarations=1)"),
]
DEALS = 40

Found = tuple[list[State], np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any]]


def starts(game: str, count: int, seed: int) -> list[State]:
    """Deals; in Klaverjas trumps are chosen freely, by one player or another."""
    rules = parse_rules("choice=free", get_game(game)) if game == "klaverjas" else None
    deals = RandomDeals(game, rules)
    return [deals(deal_rng(seed, number)) for number in range(count)]


def fast(
    game: str, names: list[str], seated: np.ndarray[Any, Any], states: list[State], until: Any = None
) -> Found:
    states = [state.clone() for state in states]
    agents = [make_agent(name, game) for name in names]
    players = lane_players(agents)
    assert players is not None
    found = play_in_lanes(
        states, agents, players, seated, lambda n, seat: agent_rng(5, n, seat), get_game(game).stages, until
    )
    return states, *found.decided


def slow(
    game: str, names: list[str], seated: np.ndarray[Any, Any], states: list[State], until: Any = None
) -> Found:
    """The plain twin: every agent decides in Python."""
    states = [state.clone() for state in states]
    agents = [make_agent(name, game) for name in names]
    decided: list[list[tuple[list[int], Decision]]] = [
        [([], Decision(0))] * len(state.history()) for state in states
    ]
    stages = get_game(game).stages
    play_games(
        states,
        [[agents[player] for player in row] for row in seated],
        [[agent_rng(5, number, seat) for seat in range(seated.shape[1])] for number in range(len(states))],
        lambda number, state, decision: decided[number].append((state.legal_actions(), decision)),
        until=lambda state: (
            state.is_over or (until is not None and stages.index(state.stage) >= stages.index(until))
        ),
    )
    steps = [step for game_steps in decided for step in game_steps]
    return (
        states,
        np.array([0 if decision.weights is None else len(legal) for legal, decision in steps]),
        np.concatenate(
            [decision.weights[legal] for legal, decision in steps if decision.weights is not None]
        ),
        np.array([np.nan if decision.value is None else decision.value for _, decision in steps]),
    )


def require_equal(found: Found, expected: Found) -> None:
    for ours, theirs in zip(found[0], expected[0], strict=True):
        assert ours == theirs
    assert (found[1] == expected[1]).all()
    np.testing.assert_allclose(found[2], expected[2], atol=1e-5)
    np.testing.assert_allclose(found[3], expected[3], rtol=1e-4, atol=0.01)


@pytest.mark.parametrize(("game", "name"), GREEDY + DRAWING)
def test_the_games_of_python(game: str, name: str) -> None:
    states = starts(game, DEALS, 2)
    seated = np.zeros((DEALS, len(get_game(game).seats)), np.int16)
    require_equal(fast(game, [name], seated, states), slow(game, [name], seated, states))


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["policy", "exploring(agent=policy, temperature=2, random_declarations=0.2)"]
)
def test_the_games_of_python_many_times(name: str) -> None:
    states = starts("skat", 1000, 7)
    seated = np.zeros((1000, 3), np.int16)
    require_equal(fast("skat", [name], seated, states), slow("skat", [name], seated, states))


def test_each_side_has_its_network(tmp_path: Path) -> None:
    """Card networks of Skat, which differ by kind of game and side; others bid."""
    layout = card_networks("skat")
    networks = {name: random_network(layout.spec(name, (24,))) for name in layout.names}
    save_checkpoint(tmp_path / "net", "skat", networks)
    agent = CardPolicy(str(tmp_path / "net"), bidder="rule", game="skat")
    sources = [PlayedTo("skat", "cardplay", "rule", kind=kind) for kind in get_game("skat").kinds]
    states = [source(deal_rng(3, number)) for number, source in enumerate(sources * 5)]
    seated = np.zeros((len(states), 3), np.int16)
    require_equal(fast("skat", [agent], seated, states), slow("skat", [agent], seated, states))


@pytest.mark.parametrize("wrapped", ["{}", "exploring(agent={}, share=0.5, random_bids=0.1)"])
def test_bids_by_value(tmp_path: Path, wrapped: str) -> None:
    """With networks that nobody has trained, for which about half of the hands are worth playing."""
    states = starts("skat", DEALS, 6)
    networks = dict(load_checkpoint("skat-policy", "skat").networks)
    torch.manual_seed(1)
    for name, outputs in AUCTION_VALUES.items():
        network = random_network(NetworkSpec(encoder_of(name), outputs, (24,), 100.0))
        rows = get_encoder("skat.bid").encode(states, [1] * DEALS)[:, : network.encoder.width]
        mean = network.infer(rows).mean() / 100
        networks[name] = changed(network, lambda arrays, mean=mean: arrays["1.bias"].__isub__(mean))
    save_checkpoint(tmp_path / "net", "skat", networks)
    name = wrapped.format(f"policy(variant=V, checkpoint={tmp_path / 'net'})")
    seated = np.zeros((DEALS, 3), np.int16)
    found = fast("skat", [name], seated, states)
    require_equal(found, slow("skat", [name], seated, states))
    assert len({state.bid for state in found[0]}) > 3


def test_several_agents() -> None:
    names = ["policy", "policy(variant=DI.M, checkpoint=skat-imitation)", "exploring(agent=policy)"]
    states = starts("skat", DEALS, 3)
    seated = np.random.default_rng(0).integers(3, size=(DEALS, 3)).astype(np.int16)
    require_equal(fast("skat", names, seated, states), slow("skat", names, seated, states))


@pytest.mark.parametrize("stage", ["declaration", "cardplay"])
def test_up_to_a_stage(stage: str) -> None:
    states = starts("skat", DEALS, 4)
    seated = np.zeros((DEALS, 3), np.int16)
    found = fast("skat", ["policy"], seated, states, stage)
    require_equal(found, slow("skat", ["policy"], seated, states, stage))
    assert {state.stage for state in found[0] if not state.is_over} == {stage}


def test_games_that_have_begun() -> None:
    """Steps before the start have no weights and no value; some games are over at once."""
    source = RandomDeclarations("skat")
    states = [source(deal_rng(1, number)) for number in range(DEALS)]
    for number, state in enumerate(states):
        for _ in range(number):
            if not state.is_over:
                state.apply(state.legal_actions()[0])
    assert any(state.is_over for state in states)
    seated = np.zeros((DEALS, 3), np.int16)
    require_equal(fast("skat", ["policy"], seated, states), slow("skat", ["policy"], seated, states))


@pytest.mark.parametrize(
    ("game", "name"), [("skat", "exploring(agent=policy)"), ("klaverjas", "policy(cardplay=sample)")]
)
def test_lanes_share_nothing(game: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """To the last bit."""
    states = starts(game, 30, 5)
    seated = np.zeros((30, len(get_game(game).seats)), np.int16)
    whole = fast(game, [name], seated, states)
    for count in (1, 7):
        monkeypatch.setattr(lanes, "LANES", count)
        parts = fast(game, [name], seated, states)
        assert parts[0] == whole[0]
        assert all(
            ours.tobytes() == theirs.tobytes() for ours, theirs in zip(parts[1:], whole[1:], strict=True)
        )


class Fixed:
    """Decides the same whatever it sees."""

    name = "fixed"

    def __init__(self, decision: Any) -> None:
        self._decision = decision

    def decide(self, view: Any, rng: np.random.Generator) -> Any:
        return self._decision


@pytest.mark.parametrize(
    ("decision", "told"), [(Decision(60), "60 is not one of"), (None, "expected a Decision")]
)
def test_bad_decisions_in_python(decision: Any, told: str) -> None:
    agent = Player(Fixed(decision), "policy", game="klaverjas")
    player = in_lanes(agent)
    assert player is not None
    with pytest.raises(IllegalAction, match=told):
        play_in_lanes(
            starts("klaverjas", 2, 0),
            [agent],
            [player],
            np.zeros((2, 4), np.int16),
            lambda n, seat: agent_rng(5, n, seat),
            get_game("klaverjas").stages,
        )


@pytest.mark.parametrize(
    ("game", "name"),
    [
        ("skat", "rule"),
        ("skat", "player(bidding=rule, cardplay=rule)"),
        ("skat", "exploring(agent=rule)"),
        ("skat", "player(bidding=policy, cardplay=hybrid(policy=policy, search=rule))"),
        ("klaverjas", "policy(bidder=player(bidding=rule, cardplay=policy))"),
        ("klaverjas", "player(bidding=rule, cardplay=pimc(worlds=1, belief=cheating))"),
    ],
)
def test_other_agents_stay_in_python(game: str, name: str) -> None:
    agent = make_agent(name, game)
    assert in_lanes(agent) is None
    assert lane_players([make_agent("policy", game), agent]) is None


def test_networks_without_values_play_cards_in_lanes() -> None:
    """They are asked before the cardplay, where they say what they lack."""
    name = "policy(checkpoint=skat-imitation)"
    states = PlayedTo("skat", "cardplay", "policy").many([deal_rng(6, number) for number in range(DEALS)])
    seated = np.zeros((DEALS, 3), np.int16)
    require_equal(fast("skat", [name], seated, states), slow("skat", [name], seated, states))
    with pytest.raises(ParseError, match="has no network 'hand_pickup_value'"):
        fast("skat", [name], seated[:1], starts("skat", 1, 0))


def test_no_games() -> None:
    found = fast("skat", ["policy"], np.zeros((0, 3), np.int16), [])
    assert [len(part) for part in found] == [0, 0, 0, 0]


def test_bad_lanes() -> None:
    agent = make_agent("policy", "skat")
    player = in_lanes(agent)
    assert player is not None
    stages = get_game("skat").stages

    def play(states: list[State], seated: Any) -> None:
        play_in_lanes(states, [agent], [player], seated, lambda n, seat: agent_rng(5, n, seat), stages)

    with pytest.raises(ValueError, match="no player"):
        play(starts("skat", 2, 0), np.ones((2, 3), np.int16))
    with pytest.raises(ValueError, match="seats of 2 games"):
        play(starts("skat", 2, 0), np.zeros((1, 3), np.int16))
    with pytest.raises(ValueError, match=r"game 1 is a .*: expected a State of the game"):
        play([*starts("skat", 1, 0), *starts("klaverjas", 1, 0)], np.zeros((2, 3), np.int16))
    with pytest.raises(ValueError, match="expected a game"):
        Lanes([], np.zeros((0, 3), np.int16), [agent], [player], agent_rng, stages, 3)
    with pytest.raises(ValueError, match="equal numbers"):
        play_in_lanes(starts("skat", 1, 0), [], [player], np.zeros((1, 3), np.int16), agent_rng, stages)
    with pytest.raises(ValueError, match="does not read"):
        play(starts("klaverjas", 1, 0), np.zeros((1, 4), np.int16))


def test_starts_by_a_bidder_in_lanes(monkeypatch: pytest.MonkeyPatch) -> None:
    def played() -> list[Any]:
        source = PlayedTo("skat", "cardplay", "exploring(agent=policy, share=0.5)", kind="null")
        return source.many([deal_rng(6, number) for number in range(6)])

    found = played()
    monkeypatch.setattr("skat_env.play.players.lane_players", lambda agents: None)
    assert found == played()
