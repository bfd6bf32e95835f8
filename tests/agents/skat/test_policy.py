"""Skat policies by networks: the thesis's equations against a plain reading of them, and whole games."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="networks need the extra 'learn'")

import torch

from skat_env.agents.networks.checkpoint import load_checkpoint, save_checkpoint
from skat_env.agents.networks.network import Network, NetworkSpec
from skat_env.agents.skat.game_values import GAMES, declarable, next_action
from skat_env.agents.skat.policy.networks import (
    DISCARDS,
    LIKELY,
    PAIRS,
    POLICY_OUTPUTS,
    SHORTLIST,
    SOLOIST_FEATURES,
    VALUE_OUTPUTS,
    encoder_of,
    hand_output,
    network_of,
)
from skat_env.agents.skat.policy.policy import VARIANTS, SkatPolicy
from skat_env.cards import cards_of, mask_of
from skat_env.deal import Deal
from skat_env.encoders import get_encoder
from skat_env.errors import ParseError, UnknownName
from skat_env.play.lockstep import play_game, play_games
from skat_env.registry import make_agent
from skat_env.skat import Declaration, SkatState, SkatView
from skat_env.skat.rules import BID_LEVEL, BID_VALUES, PASS, YES, Announcement, Contract, Phase
from tests.helpers.networks import random_network


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Networks that nobody has trained."""
    torch.manual_seed(3)
    outputs = {**POLICY_OUTPUTS, **VALUE_OUTPUTS}
    # Untrained ones say nearly the same of every hand; these do not.
    networks = {
        name: random_network(NetworkSpec(encoder_of(name), n, (16, 16)), 5) for name, n in outputs.items()
    }
    folder = tmp_path_factory.mktemp("checkpoint") / "c"
    save_checkpoint(folder, "skat", networks)
    return folder


def luck(seed: int) -> list[np.random.Generator]:
    return [np.random.default_rng([seed, seat]) for seat in range(3)]


def policy(checkpoint: Path, **options: Any) -> SkatPolicy:
    return SkatPolicy(checkpoint=str(checkpoint), **options)


def told(policy: SkatPolicy, monkeypatch: pytest.MonkeyPatch, **outputs: list[float]) -> SkatPolicy:
    """The policy with networks that say the same of every position."""

    def logits(network: str, views: list[Any]) -> Any:
        return np.array([outputs[network]] * len(views), np.float32)

    monkeypatch.setattr(policy, "_logits", logits)
    return policy


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("cardplay", ["argmax", "sample"])
def test_whole_games_are_played_alike_alone_and_in_step(
    checkpoint: Path, variant: str, cardplay: str
) -> None:
    agent = policy(checkpoint, variant=variant, cardplay=cardplay)
    deals = [SkatState.random(np.random.default_rng(seed)) for seed in range(25)]
    in_step = [state.clone() for state in deals]
    play_games(in_step, [[agent] * 3] * 25, [luck(seed) for seed in range(25)])
    kinds = set()
    for seed, state in enumerate(deals):
        play_game(state, [agent] * 3, luck(seed))
        assert state.history() == in_step[seed].history()
        kinds.add(state.contract)
    assert len(kinds - {None}) > 1


def maxbid(chances: np.ndarray, aggression: float) -> int:
    """Equation 3.1: the first bid whose cumulated probability reaches the percentile."""
    total = 0.0
    for level, chance in enumerate(chances):
        total += chance
        if total >= aggression:
            return level
    return len(chances) - 1


@pytest.mark.parametrize("aggression", [0.5, 0.85, 0.89, 0.925])
def test_bids_go_up_to_the_percentile(
    checkpoint: Path, monkeypatch: pytest.MonkeyPatch, aggression: float
) -> None:
    rng = np.random.default_rng(8)
    for _ in range(20):
        chances = rng.dirichlet(np.full(64, 0.2))
        agent = policy(checkpoint, variant="AB", aggression=aggression)
        logits = np.log(chances + 1e-30).tolist()
        told(agent, monkeypatch, bid_answer=logits, continue_answer=logits)
        limit = maxbid(chances, aggression)
        # Middlehand bids against a forehand that always answers yes, and then the other way round.
        state = SkatState.random(np.random.default_rng(1))
        level = 0
        while state.phase in (Phase.BID, Phase.ANSWER) and state.to_act == 1:
            decision = agent.decide(state.view(1), rng)
            assert decision.action == (YES if limit > level else PASS)
            state.apply(decision.action)
            if decision.action == PASS:
                break
            level += 1
            state.apply(YES)
        state = SkatState.random(np.random.default_rng(1))
        for level in range(1, 64):
            state.apply(YES)
            decision = agent.decide(state.view(0), rng)
            assert decision.action == (YES if limit >= level else PASS)
            if decision.action == PASS:
                break
            state.apply(YES)


def test_a_seat_goes_on_where_being_the_soloist_is_worth_more(
    checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In both parts of the auction, for bids and answers; a tie passes."""
    rng = np.random.default_rng(0)
    for passing, playing, boldness, action in (
        (-5, 5, 0, YES),
        (5, -5, 0, PASS),
        (3, 3, 0, PASS),
        (-9, -8, 0, YES),
        (5, -5, 11, YES),
        (-5, 5, -10, PASS),
    ):
        agent = policy(checkpoint, variant="V", boldness=boldness)
        values = {"pass_value": float(passing), "soloist_value": float(playing)}
        playing += boldness
        monkeypatch.setattr(
            agent, "_outputs", lambda network, rows, v=values: np.full((len(rows), 1), v[network], np.float32)
        )
        for before in ([], [YES], [PASS], [YES, PASS], [PASS, PASS]):
            state = SkatState.random(rng)
            for each in before:
                state.apply(each)
            decision = agent.decide(state.view(state.to_act), rng)
            assert decision.action == action
            assert decision.value == max(passing, playing)
            assert decision.weights is not None
            # Ten points weigh e times as much.
            assert decision.weights[YES] / decision.weights[PASS] == pytest.approx(
                np.exp((playing - passing) / 10), rel=1e-4
            )
            assert decision.weights.sum() == pytest.approx(1)


def best_start(view: SkatView, network: Network, game: Declaration, pairs: list[int]) -> tuple[float, int]:
    """The highest value of a game, over the discards, by starting the cardplay with each of them; and these."""
    values = []
    for pair in pairs:
        rest = [card for card in range(32) if not (view.hand | view.skat) >> card & 1]
        places = [0, 0, 0, pair]
        places[view.seat] = (view.hand | view.skat) & ~pair
        places[(view.seat + 1) % 3], places[(view.seat + 2) % 3] = mask_of(rest[:10]), mask_of(rest[10:])
        start = SkatState.cardplay(Deal(tuple(places)), view.seat, game, view.bids)
        values.append((float(network.infer(network.encoder.encode([start], [view.seat]))[0, 0]), pair))
    return max(values, key=lambda each: each[0])


def test_games_and_discards_are_chosen_together_by_value(checkpoint: Path) -> None:
    """At each step of the declaration, against a plain reading: all discards on the shortlist of each likely game."""
    rng, declared = (
        np.random.default_rng(4),
        load_checkpoint(str(checkpoint), "skat").network("declared_value"),
    )
    agent = policy(checkpoint)
    networks = load_checkpoint(str(checkpoint), "skat").networks
    compared = 0
    for seed in range(40):
        state = SkatState.random(np.random.default_rng([7, seed]))
        while state.stage != "cardplay" and not state.is_over:
            view = state.view(state.to_act)
            decision = agent.decide(view, rng)
            if view.phase in (Phase.CONTRACT, Phase.ANNOUNCE, Phase.DISCARD) and not view.hand_game:
                legal = declarable(GAMES, [view])[0]
                if view.phase == Phase.DISCARD:
                    games = [Declaration(view.contract, announcement=view.announcement)]
                else:
                    logits = networks["declare"].outputs_of([view])[0].astype(np.float64)
                    chances = np.where(legal, np.exp(logits - logits[legal].max()), 0)
                    chances /= chances.sum()
                    games = [game for game, chance in zip(GAMES, chances, strict=True) if chance >= LIKELY]
                bests = {}
                for game in games:
                    twelve = cards_of(view.hand | view.skat)
                    network = networks[DISCARDS[game.contract]]
                    row = [float(card in twelve) for card in range(32)]
                    row += [float(view.seat == seat) for seat in range(3)]
                    level = min(BID_LEVEL.get(view.bids[0], 0), BID_LEVEL.get(view.bids[1], 0))
                    row += np.eye(64)[level].tolist() + np.eye(64)[BID_LEVEL[view.bid]].tolist()
                    row += [float(game.announcement == Announcement.OUVERT)]
                    logits = network.infer(np.array([row], np.float32))[0]
                    possible = [
                        (float(logits[number]), mask_of(pair))
                        for number, pair in enumerate(PAIRS)
                        if {*pair} <= {*twelve} and view.skat & ~mask_of(pair) == 0
                    ]
                    pairs = [pair for _, pair in sorted(possible, reverse=True)[:SHORTLIST]]
                    bests[game] = best_start(view, declared, game, pairs)
                game = max(bests, key=lambda each: bests[each][0])
                value, pair = bests[game]
                assert decision.value == pytest.approx(value, rel=1e-4)
                if view.phase == Phase.DISCARD:
                    assert decision.action == cards_of(pair & view.hand)[0]
                else:
                    assert decision.action == next_action(view, game)
                compared += 1
            state.apply(decision.action)
    assert compared > 20


@pytest.mark.parametrize("others", [[PASS], [YES, PASS], [PASS, YES], [YES, YES]])
def test_the_row_of_a_bid_begins_with_that_of_the_soloist(others: list[int]) -> None:
    """Of the seat that goes on while all others pass."""
    bid, picking_up = get_encoder("skat.bid"), get_encoder("skat.hand_pickup")
    state = SkatState.random(np.random.default_rng(1))
    for action in others:
        state.apply(action)
    seat = state.to_act
    row = bid.encode([state], [seat])[0, :SOLOIST_FEATURES]
    while state.phase in (Phase.BID, Phase.ANSWER):
        state.apply(YES if state.to_act == seat else PASS)
    assert state.soloist == seat
    assert (picking_up.encode([state], [seat])[0] == row).all()


def test_direct_imitation_bids_the_likeliest_maximum(
    checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chances = np.full(64, 0.001)
    chances[[0, 4, 9]] = 0.3, 0.33, 0.31
    logits = np.log(chances).tolist()
    agent = told(policy(checkpoint, variant="DI.M"), monkeypatch, bid_answer=logits)
    state = SkatState.random(np.random.default_rng(2))
    bids = 0
    while (action := agent.decide(state.view(1), np.random.default_rng(0)).action) == YES:
        state.apply(action)
        state.apply(YES)
        bids += 1
    assert bids == 4


def test_sampled_bids_have_the_distribution_of_the_network(
    checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chances = np.zeros(64)
    chances[[0, 1, 2, 5]] = 0.4, 0.1, 0.3, 0.2
    logits = np.log(chances + 1e-30).tolist()
    agent = told(policy(checkpoint, variant="DI.S"), monkeypatch, bid_answer=logits)
    reached = np.zeros(64)
    for seed in range(2000):
        state, rng, level = SkatState.random(np.random.default_rng(2)), np.random.default_rng(seed), 0
        while agent.decide(state.view(1), rng).action == YES:
            state.apply(YES)
            state.apply(YES)
            level += 1
        reached[level] += 1 / 2000
    # Four standard errors of a share of 0.4 in 2000.
    np.testing.assert_allclose(reached, chances, atol=0.044)


def before_declaring(picked_up: bool) -> SkatState:
    state = SkatState.random(np.random.default_rng(4))
    for _ in range(3):
        state.apply(PASS if state.phase == Phase.ANSWER or state.to_act == 2 else YES)
        if state.phase == Phase.PICK_UP:
            break
    while state.phase != Phase.PICK_UP:
        state.apply(PASS)
    state.apply(34 if picked_up else 35)
    return state


def declared(agent: Any, state: SkatState) -> tuple[Any, ...]:
    rng = np.random.default_rng(0)
    while state.phase in (Phase.PICK_UP, Phase.CONTRACT, Phase.ANNOUNCE):
        state.apply(agent.decide(state.view(state.to_act), rng).action)
    return state.contract, state.hand_game, int(state.announcement)


def test_values_choose_among_likely_games(checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logits = np.log([0.5, 0.05, 0.3, 0.06, 0.05, 0.03, 0.01]).tolist()
    values = [10.0, 90.0, 20.0, 95.0, 30.0, 50.0, 99.0]
    expected = {
        ("AB", 0.1): (Contract.DIAMONDS, 0),
        ("MV", 0.1): (Contract.NULL, 3),
        ("MLV", 0.1): (Contract.SPADES, 0),
        ("MLV", 0.06): (Contract.CLUBS, 0),
        ("MLV", 0.9): (Contract.DIAMONDS, 0),
        ("V", 0.06): (Contract.CLUBS, 0),
    }
    for (variant, threshold), (contract, announcement) in expected.items():
        agent = policy(checkpoint, variant=variant, threshold=threshold)
        told(agent, monkeypatch, declare=logits, declare_value=values)
        assert declared(agent, before_declaring(True)) == (contract, False, announcement)


def test_hand_games_and_picking_up_compete(checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logits, values = np.full(13, -9.0), np.zeros(13)
    logits[0], logits[hand_output(Contract.NULL, True)] = 0.0, -1.0
    values[0], values[hand_output(Contract.NULL, True)] = 50.0, 60.0
    options = {"hand_pickup": logits.tolist(), "hand_pickup_value": values.tolist()}
    state = before_declaring(True)
    state.undo()
    agent = told(policy(checkpoint, variant="MLV"), monkeypatch, **options)
    assert declared(agent, state.clone()) == (Contract.NULL, True, 3)
    agent = told(policy(checkpoint, variant="AB"), monkeypatch, **options)
    assert agent.decide(state.view(state.to_act), np.random.default_rng(0)).action == 34


def test_the_pair_with_the_best_logit_is_laid_away(checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(6)
    for seed in range(10):
        state = before_declaring(True)
        state.apply(36 + seed % 5)
        logits = rng.normal(size=496)
        name = network_of(state)
        agent = told(policy(checkpoint, variant="MLV"), monkeypatch, **{name: logits.tolist()})
        twelve = state.hands[state.to_act]
        held = [number for number, (a, b) in enumerate(PAIRS) if twelve >> a & 1 and twelve >> b & 1]
        best = max(held, key=lambda number: logits[number])
        soloist = state.to_act
        for _ in range(2):
            decision = agent.decide(state.view(soloist), rng)
            assert decision.weights is not None
            assert decision.weights.sum() == pytest.approx(1, abs=1e-5)
            state.apply(decision.action)
        assert state.skat == 1 << PAIRS[best][0] | 1 << PAIRS[best][1]


def test_agents_by_name(checkpoint: Path) -> None:
    agent = make_agent(f"policy(variant=MLV, aggression=0.89, checkpoint={checkpoint})", "skat")
    assert agent.name == f"policy(variant=MLV, aggression=0.89, threshold=0.1, checkpoint={checkpoint})"
    agent = make_agent(f"policy(variant=V, threshold=0.2, checkpoint={checkpoint})", "skat")
    assert agent.name == f"policy(variant=V, threshold=0.2, checkpoint={checkpoint})"
    with pytest.raises(UnknownName, match="variant of policy"):
        policy(checkpoint, variant="ML")
    with pytest.raises(ValueError, match=r"aggression=1.5"):
        policy(checkpoint, aggression=1.5)
    with pytest.raises(ValueError, match=r"boldness=1e\+39: expected a finite number from -1,000 to 1,000"):
        policy(checkpoint, boldness=1e39)
    with pytest.raises((UnknownName, ParseError)):
        make_agent("policy(checkpoint=/nowhere)", "skat")
    with pytest.raises(ParseError, match="expected some of bid_answer"):
        make_agent("policy(checkpoint=skat-locations)", "skat")


@pytest.mark.parametrize(("variant", "other"), [("V", "AB"), ("MLV", "AB")])
def test_a_checkpoint_without_values_names_the_variant_that_needs_none(variant: str, other: str) -> None:
    agent, view = (
        SkatPolicy(variant, checkpoint="skat-imitation"),
        SkatState.random(np.random.default_rng(1)).view(1),
    )
    with pytest.raises(ParseError, match=f"which policy with variant={variant} needs .* or variant={other}$"):
        agent.decide(view, np.random.default_rng(1))
    SkatPolicy(other, checkpoint="skat-imitation").decide(view, np.random.default_rng(1))


def test_bid_levels_are_those_of_the_rules() -> None:
    assert len(BID_VALUES) + 1 == POLICY_OUTPUTS["bid_answer"]
