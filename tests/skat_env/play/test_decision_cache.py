"""What comes up again in the games of a deal is decided once, and the games are those that they were."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from skat_env.agents.compose.player import Player
from skat_env.agents.random import RandomAgent
from skat_env.match.play import DealPlayer, MatchConfig, PlayedGame, play_match
from skat_env.play.capabilities import remembers
from skat_env.play.decision_cache import DecisionCache, Timed
from skat_env.play.lockstep import play_games
from skat_env.play.randomness import agent_rng
from skat_env.protocols import Agent, Decision
from skat_env.registry import get_game, make_agent

SEARCHERS = ("pimc(worlds=4)", "pimc(worlds=4, belief=cheating)")


class Counting:
    """Plays at random and counts how often it is asked."""

    name = "counting"

    def __init__(self) -> None:
        self.asked = 0

    def decide(self, view: Any, rng: np.random.Generator) -> Decision:
        self.asked += 1
        return Decision(int(rng.choice(view.legal_actions())))


class Remembering(Counting):
    """Says that it decides by more than it is told."""

    remembers = True


class Batched(Counting):
    """The same in batches; notes how large these were."""

    name = "batched"

    def __init__(self) -> None:
        super().__init__()
        self.sizes: list[int] = []

    def decide_many(self, views: Sequence[Any], rngs: Sequence[np.random.Generator]) -> list[Decision]:
        self.sizes.append(len(views))
        return [self.decide(view, rng) for view, rng in zip(views, rngs, strict=True)]


def played(agent: Agent, times: int, cache: DecisionCache | None, seed: int = 1) -> list[Any]:
    """The same deal of Skat played by an agent a few times."""
    game = get_game("skat")
    start = game.state.random(np.random.default_rng(seed), game.rules())
    states = [start.clone() for _ in range(times)]
    rngs = [[agent_rng(0, 0, seat) for seat in range(3)] for _ in states]
    play_games(states, [[agent] * 3] * times, rngs, cache=cache)
    return states


def as_told(games: Sequence[PlayedGame]) -> list[Any]:
    """All of some games but the seconds."""
    return [(game.spec, game.position, [each.moves for each in game.thinking]) for game in games]


def test_a_game_that_is_played_again_asks_nobody() -> None:
    agent = Counting()
    first, again = played(agent, 2, DecisionCache())
    moves = len(first.view(0).history())
    assert again.text() == first.text()
    assert agent.asked == moves


def test_an_agent_that_remembers_is_always_asked() -> None:
    agent = Remembering()
    states = played(agent, 2, DecisionCache())
    assert agent.asked == sum(len(state.view(0).history()) for state in states)


def test_an_agent_is_asked_again_where_its_luck_differs() -> None:
    agent, cache = Counting(), DecisionCache()
    game = get_game("skat")
    start = game.state.random(np.random.default_rng(1), game.rules())
    states = [start.clone() for _ in range(20)]
    rngs = [[agent_rng(number, 0, seat) for seat in range(3)] for number in range(20)]
    play_games(states, [[agent] * 3] * 20, rngs, cache=cache)
    assert len({state.text() for state in states}) > 1


def test_a_cheat_is_asked_again_where_the_hidden_cards_differ() -> None:
    """One view, two states: the first bidder's hand is the same, the others' are exchanged."""
    game = get_game("skat")
    state = game.state.random(np.random.default_rng(3), game.rules())
    *hands, skat = state.text().split(" ")[0].split("/")
    other = game.state.parse(f"{hands[0]}/{hands[2]}/{hands[1]}/{skat} :")
    seat = next(seat for seat in range(3) if state.view(seat) == other.view(seat))
    views = [each.view(seat) for each in (state, other)]
    for shown, wanted in (([state, other], [0, 1]), ([None, None], [0])):
        asked: list[int] = []

        def ask(numbers: list[int], asked: list[int] = asked) -> list[Timed]:
            asked += numbers
            return [(Decision(0), 0.0)] * len(numbers)

        DecisionCache()(Counting(), views, shown, [np.random.default_rng(0) for _ in views], ask)
        assert asked == wanted


def test_a_batch_is_asked_once_for_what_comes_twice() -> None:
    agent = Batched()
    first, again = played(agent, 2, DecisionCache())
    assert agent.sizes == [1] * len(first.view(0).history())
    assert again.text() == first.text()


@pytest.mark.parametrize(
    ("game", "agents", "mode"),
    [
        ("skat", SEARCHERS, "mirrored"),
        pytest.param(
            "skat", ("pimc(worlds=2, belief=policy(k=50))", *SEARCHERS), "mixed", marks=pytest.mark.slow
        ),
        ("skat", (SEARCHERS[0], "policy", "hybrid(policy=policy, search=pimc(worlds=2))"), "mirrored"),
        ("klaverjas", ("pimc(worlds=3)", "ismcts(simulations=20)", "random"), "mirrored"),
        ("skat", ("rule", "random"), "all-seats"),
    ],
)
def test_a_match_has_the_games_that_it_has_without(game: str, agents: tuple[str, ...], mode: Any) -> None:
    config = MatchConfig(game, agents, 2, seed=5, mode=mode)
    deals = [(deal, None) for deal in range(config.deals)]
    cached, decided_again = (DealPlayer(config, cache=cache)(deals) for cache in (True, False))
    assert as_told(cached) == as_told(decided_again)


def test_a_match_asks_less_often_than_it_plays() -> None:
    agent, random = Counting(), RandomAgent()
    config = MatchConfig("skat", ("counting", "random"), 5, mode="mirrored")
    players: dict[str, Agent] = {"counting": agent, "random": random}
    games = [game for games in play_match(config, agents=players) for game in games]
    moves = sum(
        game.thinking[seat].moves
        for game in games
        for seat, name in enumerate(game.agents)
        if name == "counting"
    )
    assert 0 < agent.asked < moves


def test_parts_that_remember_make_a_whole_that_does() -> None:
    assert remembers(make_agent("ismcts", "klaverjas"))
    assert not remembers(make_agent("ismcts(reuse=false)", "klaverjas"))
    assert not remembers(make_agent("ismcts(variant=thesis)", "klaverjas"))
    assert remembers(Player("random", make_agent("ismcts", "skat"), game="skat"))
    assert remembers(make_agent("exploring(agent=ismcts)", "klaverjas"))
    assert not remembers(make_agent("hybrid(policy=rule, search=pimc)", "skat"))
