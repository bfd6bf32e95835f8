"""Imperfect-information Monte Carlo: what worlds bring, and when the inner agent is overruled."""

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from skat_env.agents.random import RandomAgent
from skat_env.agents.search.iimc import Iimc
from skat_env.agents.search.objectives import result_objective
from skat_env.agents.search.pimc import Pimc
from skat_env.beliefs.belief import Belief, UniformSampler
from skat_env.cards import card_text
from skat_env.play.lockstep import play_game
from skat_env.play.starts import PlayedTo
from skat_env.protocols import Agent, Decision, State, View, World
from skat_env.registry import get_game, make_agent
from skat_env.skat.rules import Contract
from tests.helpers.choices import choice
from tests.helpers.scripted import Lowest

POSITIONS = int(os.environ.get("SKAT_ENV_POSITIONS", 60))
both_games = pytest.mark.parametrize("game", ["skat", "klaverjas"])


class Highest:
    """Plays its highest card by number, or the one that it is told to weigh."""

    name = "highest"

    def __init__(self, weights: dict[int, float] | None = None) -> None:
        self.weights = weights

    def decide(self, view: View, rng: np.random.Generator) -> Decision:
        if self.weights is None:
            return Decision(view.legal_actions()[-1])
        weights = np.zeros(64, np.float32)
        for action, weight in self.weights.items():
            weights[action] = weight
        return Decision(view.legal_actions()[-1], weights)


def iimc(game: str, **options: Any) -> Iimc:
    return Iimc(**{"inner": Highest(), "bidder": RandomAgent(), **options}, game=game)


def mean_results(
    view: Any, game: str, opponent: Callable[[State, int], Agent] | None = None
) -> dict[int, float]:
    """What each action brings on average over all worlds, written plainly.

    `Highest` plays the own side, and the other too unless `opponent` names the agent at a seat in a world.
    """
    unit, sums = get_game(game).match_unit, dict.fromkeys(view.legal_actions(), 0.0)
    partners = 1 if game == "skat" else 2
    belief, rng = Belief(view), np.random.default_rng(0)
    worlds = belief.sample_distinct(belief.count, rng)
    for world in worlds:
        for action in sums:
            state: Any = belief.state(world, rng)
            dealt = state.clone()
            state.apply(action)
            while not state.is_over:
                seat = state.to_act
                own = opponent is None or state.side(seat) == view.side(view.seat)
                agent = Highest() if own else opponent(dealt, seat)
                state.apply(agent.decide(state.view(seat), rng).action)
            for seat, points in enumerate(state.returns(unit)):
                sums[action] += (points if state.side(seat) == view.side(view.seat) else -points) / partners
    return {action: total / len(worlds) for action, total in sums.items()}


@both_games
def test_it_plays_the_best_mean_result_of_all_worlds(game: str) -> None:
    rng, overruled = np.random.default_rng(3), 0
    agent = iimc(game, worlds=100_000, caution=0.0)
    for _ in range(12):
        state = choice(game, rng, 3 if game == "skat" else 2)
        view = state.view(state.to_act)
        decision, expected = agent.decide(view, np.random.default_rng(0)), mean_results(view, game)
        assert decision.stats["means"] == pytest.approx(expected)
        best = max(expected.values())
        assert expected[decision.action] == pytest.approx(best)
        if expected[view.legal_actions()[-1]] == best:
            assert decision.action == view.legal_actions()[-1]
        overruled += decision.action != view.legal_actions()[-1]
    assert overruled


@both_games
def test_opponents_play_the_seats_of_the_other_side(game: str) -> None:
    rng, differ = np.random.default_rng(6), 0
    agent = iimc(game, worlds=100_000, caution=0.0, opponents=Lowest())
    for _ in range(8):
        state = choice(game, rng, 3 if game == "skat" else 2)
        view = state.view(state.to_act)
        means = agent.decide(view, np.random.default_rng(0)).stats["means"]
        assert means == pytest.approx(mean_results(view, game, lambda world, seat: Lowest()))
        differ += means != pytest.approx(mean_results(view, game))
    assert differ


class OddAndEven:
    """Knows whom a seat follows: `Lowest` where its hand has an odd number of cards of clubs, else `Highest`."""

    name, cheats, models = "odd and even", False, (Highest(), Lowest())

    def worlds(self, view: View, n: int, rng: np.random.Generator) -> list[World]:
        return UniformSampler().worlds(view, n, rng)

    def models_in(self, view: View, states: list[State], rng: np.random.Generator) -> NDArray[np.int16]:
        return np.array(
            [[self.model(state, seat) for seat in range(len(state.returns()))] for state in states], np.int16
        )

    def model(self, state: Any, seat: int) -> int:
        return int((state.places[seat] & 0xFF).bit_count() % 2)


@both_games
def test_opponents_play_as_the_belief_infers(game: str) -> None:
    rng, differ, belief = np.random.default_rng(5), 0, OddAndEven()
    agent = iimc(game, worlds=100_000, caution=0.0, belief=belief, opponents="inferred")
    for _ in range(8):
        state = choice(game, rng, 3 if game == "skat" else 2)
        view = state.view(state.to_act)
        means = agent.decide(view, np.random.default_rng(0)).stats["means"]
        expected = mean_results(view, game, lambda world, seat: belief.models[belief.model(world, seat)])
        assert means == pytest.approx(expected)
        differ += means != pytest.approx(mean_results(view, game))
    assert differ
    with pytest.raises(ValueError, match="expected one that infers players"):
        iimc(game, opponents="inferred")


@pytest.mark.parametrize(
    "models", [np.full((1, 3), 2), np.full((1, 3), -1), np.zeros(3, int), np.zeros((1, 3)), [[0, 1]]], ids=str
)
def test_a_belief_that_infers_no_model_is_named(models: Any) -> None:
    class Wrong(OddAndEven):
        def models_in(self, view: View, states: list[State], rng: np.random.Generator) -> Any:
            return models if np.ndim(models) == 1 else np.repeat(models, len(states), axis=0)

    state = choice("skat", np.random.default_rng(4), 3)
    agent = iimc("skat", belief=Wrong(), opponents="inferred")
    with pytest.raises(
        ValueError, match=r"models_in of belief odd and even gives .* expected integers from 0 to 1 of"
    ):
        agent.decide(state.view(state.to_act), np.random.default_rng(0))


@both_games
def test_caution_keeps_the_inner_choice(game: str) -> None:
    rng, overruled = np.random.default_rng(3), 0
    for _ in range(12):
        state = choice(game, rng, 5 if game == "skat" else 4)
        view = state.view(state.to_act)
        agent, bold = (iimc(game, worlds=20, caution=caution) for caution in (1e9, 0.0))
        decision = agent.decide(view, np.random.default_rng(1))
        assert set(decision.stats["means"]) == set(view.legal_actions())
        # A lead that is the same in all worlds has no error, and so counts at any caution.
        worlds = agent.belief.worlds(view, 20, np.random.default_rng(1))
        values = agent.rollouts.results([world.state for world in worlds], view.legal_actions(), 0)
        if np.ptp(values - values[:, -1:], axis=0)[:-1].all():
            assert decision.action == view.legal_actions()[-1]
            overruled += bold.decide(view, np.random.default_rng(1)).action != decision.action
    assert overruled


@both_games
def test_a_single_drawn_world_is_played_out(game: str) -> None:
    """It is not the only one that is possible: the others still do not know the cards."""
    rng = np.random.default_rng(10)
    for _ in range(6):
        state = choice(game, rng, 5)
        view = state.view(state.to_act)
        agent = iimc(game, worlds=1)
        [world] = agent.belief.worlds(view, 1, np.random.default_rng(2))
        results = agent.rollouts.results([world.state], view.legal_actions(), 0)[0]
        means = agent.decide(view, np.random.default_rng(2)).stats["means"]
        assert means == dict(zip(view.legal_actions(), results.tolist(), strict=True))


@both_games
def test_where_one_world_is_possible_no_card_is_left_out(game: str) -> None:
    """The solver decides by the result in the match unit, whatever the inner agent finds improbable."""
    rng, objective, found = np.random.default_rng(11), result_objective(game, 1), 0
    while found < 12:
        state = choice(game, rng, int(rng.integers(2, 5)))
        view, actions = state.view(state.to_act), state.legal_actions()
        values = objective.values([state], actions)[0]
        best = {action for action, value in zip(actions, values, strict=True) if value == values.max()}
        worst = actions[int(values.argmin())]
        if Belief(view).count > 1 or worst in best:
            continue
        agent = iimc(game, inner=Highest({worst: 1.0}))
        decision = agent.decide(view, rng)
        assert decision.action in best
        assert decision.value == values.max()
        assert decision.unit == objective.name
        assert decision.stats["means"] == dict(zip(actions, values.tolist(), strict=True))
        found += 1


@pytest.mark.parametrize(
    ("text", "best"),
    [
        (
            "DJ.DA.H8.HQ.HK.HA.S9.SK.SA.CA/H9.HJ.SJ.SQ.C8.C9.CT.CJ.CQ.CK/D7.D8.D9.DT.DK.H7.HT.S7.S8.ST/DQ.C7"
            " declarer=0 bids=18,0,0 game=H : DJ H9 H7 SA SQ S7 H8 CJ HT C8 S8 CA HQ SJ DT CK DK",
            "S9",
        ),
        (
            "D8.D9.DK.H7.HA.S8.C8.CJ/D7.DT.DQ.HJ.S9.SQ.SK.CQ/DA.H8.H9.HK.SJ.C7.CT.CA/DJ.HT.HQ.S7.ST.SA.C9.CK"
            " declarer=1 trump=C : HA HJ HK HQ CJ CQ CA CK D8 D7 DA DJ H8 HT H7 DT SA S8 SK SJ ST C8 SQ CT H9 C9 D9",
            "DQ",
        ),
    ],
)
def test_the_last_world_of_a_game(text: str, best: str) -> None:
    game = "skat" if "bids" in text else "klaverjas"
    state = get_game(game).state.parse(text)
    assert (
        card_text(make_agent("iimc", game).decide(state.view(state.to_act), np.random.default_rng(0)).action)
        == best
    )


def test_improbable_actions_are_not_tried() -> None:
    rng = np.random.default_rng(4)
    state = choice("skat", rng, 5)
    view = state.view(state.to_act)
    actions = view.legal_actions()
    agent = iimc("skat", inner=Highest({actions[0]: 0.3, actions[-1]: 0.7}), threshold=0.2)
    assert set(agent.decide(view, rng).stats["means"]) == {actions[0], actions[-1]}
    alone = iimc("skat", inner=Highest({actions[-1]: 1.0}), threshold=0.2).decide(view, rng)
    assert alone.action == actions[-1]
    assert not alone.stats


@both_games
def test_all_actions_meet_the_same_luck(game: str) -> None:
    """With a random inner agent, an action that changes nothing brings the same in every world."""
    rng = np.random.default_rng(5)
    state = choice(game, rng, 5)
    action = state.legal_actions()[0]
    worlds = [world.state for world in UniformSampler().worlds(state.view(state.to_act), 30, rng)]
    agent = iimc(game, inner=RandomAgent())
    twice = agent.rollouts.results(worlds, [action, action], 7)
    assert (twice[:, 0] == twice[:, 1]).all()
    assert (agent.rollouts.results(worlds, [action], 7) == twice[:, :1]).all()
    assert (agent.rollouts.results(worlds, [action], 8) != twice[:, :1]).any()


@pytest.mark.slow
@both_games
def test_networks_play_worlds_in_lanes_as_in_step(game: str) -> None:
    agent = make_agent("iimc(worlds=12, inner=policy)", game)
    rng = np.random.default_rng(6)
    state: Any = PlayedTo(game, "cardplay", "random")(rng)
    for _ in range(len(state.hands)):
        worlds = [world.state for world in UniformSampler().worlds(state.view(state.to_act), 12, rng)]
        actions = state.legal_actions()
        together = agent.rollouts.results(worlds, actions, 1)
        for world, values in zip(worlds, together, strict=True):
            for action, value in zip(actions, values, strict=True):
                game_of = world.clone()
                game_of.apply(action)
                seats = len(state.hands)
                play_game(game_of, [agent.inner] * seats, [rng] * seats)
                own = world.side(world.to_act)
                points = game_of.returns(get_game(game).match_unit)
                total = sum(p if world.side(s) == own else -p for s, p in enumerate(points))
                assert value == (total if game == "skat" else total / 2)
        state.apply(actions[0])


@both_games
def test_with_open_card_players_it_is_pimc_by_points(game: str) -> None:
    """Players who see all cards of a world end it as the open-card solver says.

    PIMC's tournament points leave schwarz out, so both sides of the endings of Skat have a trick.
    """
    rng, compared = np.random.default_rng(7), 0
    points = "tournament_points" if game == "skat" else "final_difference"
    seeing = Pimc(belief="cheating", objective=points, bidder=RandomAgent(), ties=False, game=game)
    agent = iimc(game, worlds=6, inner=seeing)
    pimc = Pimc(6, objective=points, bidder=RandomAgent(), ties=False, game=game)
    while compared < POSITIONS // 2:
        state = choice(game, rng, int(rng.integers(2, 5)))
        if game == "skat" and state.contract != Contract.NULL and 0 in state.tricks:
            continue
        view = state.view(state.to_act)
        decisions = [each.decide(view, np.random.default_rng(compared)) for each in (agent, pimc)]
        if decisions[1].stats["worlds"] > 1:  # else it asks the solver itself
            assert decisions[0].stats["means"] == pytest.approx(decisions[1].stats["means"])
            assert decisions[0].action == decisions[1].action
            compared += 1


@both_games
def test_open_cards_are_mixed_in(game: str) -> None:
    """All of the worth: the means of PIMC in the match unit. A part: as much of the way there."""
    rng = np.random.default_rng(8)
    points = "tournament_points" if game == "skat" else "final_difference"
    pimc = Pimc(30, objective=points, bidder=RandomAgent(), ties=False, game=game)
    for _ in range(8):
        state = choice(game, rng, 5)
        view, seed = state.view(state.to_act), int(rng.integers(1000))

        def means(agent: Iimc | Pimc, view: Any = view, seed: int = seed) -> Any:
            return agent.decide(view, np.random.default_rng(seed)).stats["means"]

        played, opened = (means(iimc(game, worlds=30, open_cards=share)) for share in (0, 1))
        assert opened == pytest.approx(means(pimc))
        expected = {action: 0.7 * played[action] + 0.3 * opened[action] for action in played}
        assert means(iimc(game, worlds=30, open_cards=0.3)) == pytest.approx(expected)


@both_games
def test_a_race_ends_with_the_same_best_action(game: str) -> None:
    """Actions drop out, but hardly ever the one that is best in all worlds; the inner agent's own never does."""
    rng, dropped, same = np.random.default_rng(9), 0, 0
    for number in range(30):
        state = choice(game, rng, 6)
        view = state.view(state.to_act)
        whole, raced = (
            iimc(game, worlds=64, caution=0.0, race=race).decide(view, np.random.default_rng(number))
            for race in (None, 3.0)
        )
        assert set(raced.stats["means"]) == set(whole.stats["means"])
        changed = {a for a, mean in raced.stats["means"].items() if mean != whole.stats["means"][a]}
        assert view.legal_actions()[-1] not in changed or raced.stats["worlds"] < whole.stats["worlds"]
        dropped += bool(changed)
        same += raced.action == whole.action
    assert dropped > 10
    assert same >= 28


def test_bad_options() -> None:
    with pytest.raises(ValueError, match="expected a bidder besides"):
        Iimc(inner=Pimc(belief="cheating", bidder=RandomAgent(), game="skat"), game="skat")
    with pytest.raises(ValueError, match="that cheats"):
        iimc("skat", belief="cheating")
    with pytest.raises(ValueError, match="caution"):
        iimc("skat", caution=-1.0)
    with pytest.raises(ValueError, match="worlds"):
        iimc("skat", worlds=0)
    assert make_agent("iimc(worlds=3, inner=rule)", "skat").name == (
        "iimc(worlds=3, inner=rule, belief=uniform, caution=1, threshold=0.01)"
    )
