"""Every agent that leaves decisions to another has the other's abilities, and hands on what they need."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from skat_env.match.play import MatchConfig, play_match
from skat_env.play.capabilities import Abilities, decide, listens
from skat_env.protocols import Decision, State, View
from skat_env.registry import AGENT_GROUP, get_game, make_agent, register

pytest.importorskip("torch", reason="networks need the extra 'learn'")


class Probe:
    """An agent with some abilities that notes what it is asked and told."""

    def __init__(self, **abilities: bool) -> None:
        self.name = "probe"
        self.seen: list[Any] = []
        self.heard = 0
        for name, value in abilities.items():
            setattr(self, name, value)

    def decide(self, view: View, rng: np.random.Generator) -> Decision:
        if getattr(self, "cheats", False):
            raise AssertionError("an agent that cheats was not shown the true state")
        self.seen.append(view)
        return Decision(view.legal_actions()[0])

    def decide_knowing(self, view: View, state: State, rng: np.random.Generator) -> Decision:
        self.seen.append(state)
        return Decision(view.legal_actions()[0])

    def hear_end(self, view: View, returns: Sequence[float]) -> None:
        self.heard += 1


class BatchedProbe(Probe):
    def decide_many(self, views: Sequence[View], rngs: Sequence[np.random.Generator]) -> list[Decision]:
        self.seen += views
        return [Decision(view.legal_actions()[0]) for view in views]


WRAPPERS = {
    "exploring(agent=probe)": ("remembers", "batched"),
    "player(bidding=probe, cardplay=rule)": ("remembers", "batched"),
    "player(bidding=rule, cardplay=probe)": ("remembers", "batched"),
    "player(bidding=random, cardplay=probe)": ("remembers", "batched", "draws"),
    "hybrid(policy=probe, search=random, trick=2)": ("remembers", "batched", "draws"),
    "hybrid(policy=random, search=probe, trick=2)": ("remembers", "batched", "draws"),
    "pimc(worlds=2, bidder=probe)": ("remembers",),
    "alpha_mu(worlds=2, bidder=probe)": ("remembers",),
    "epimc(worlds=2, bidder=probe)": ("remembers",),
    "ismcts(simulations=4, reuse=false, bidder=probe)": ("remembers", "batched"),
    "iimc(worlds=2, inner=rule, bidder=probe)": ("remembers",),
    "klaverjas:policy(bidder=probe)": ("remembers",),
    "skat:endgame(player=probe)": ("remembers",),
    "skat:expert(bidding=probe)": ("remembers", "batched"),
    "ending_response(player=probe)": ("remembers", "batched"),
}
"""Texts of agents, with the abilities that are theirs if they are the other's; `klaverjas:`: of one game."""
REFUSES_CHEATS = ("endgame", "expert", "ending_response")
CASES = [
    (text.split(":")[-1], game, given)
    for text, given in WRAPPERS.items()
    for game in ("skat", "klaverjas")
    if ":" not in text or text.startswith(game)
]
cases = pytest.mark.parametrize(("text", "game", "given"), CASES)


def wrapped(text: str, game: str, probe: Probe) -> Any:
    register(AGENT_GROUP, "probe", lambda: probe)
    return make_agent(text, game)


@cases
@pytest.mark.parametrize("ability", ["remembers", "batched", "draws"])
def test_abilities_are_handed_on(text: str, game: str, given: tuple[str, ...], ability: str) -> None:
    probe = BatchedProbe() if ability == "batched" else Probe(**{ability: True})
    without = Abilities.of(wrapped(text, game, Probe()))
    with_it = Abilities.of(wrapped(text, game, probe))
    if ability in given:
        assert not getattr(without, ability)
        assert with_it == replace(without, **{ability: True})


@cases
def test_whoever_cheats_is_shown_the_cards_and_nobody_else(
    text: str, game: str, given: tuple[str, ...]
) -> None:
    """At every decision of a game the wrapper decides, and the probe sees the true state at its own."""
    probe = Probe(cheats=True)
    if text.startswith(REFUSES_CHEATS):
        with pytest.raises(ValueError, match=r"cheats|may not see"):
            wrapped(text, game, probe)
        return
    agent = wrapped(text, game, probe)
    assert Abilities.of(agent).cheats
    rng = np.random.default_rng(1)
    asked = 0
    for rules in ({}, {"choice": "free"} if game == "klaverjas" else {}):
        state = get_game(game).state.random(np.random.default_rng(2), get_game(game).rules(**rules))
        while not state.is_over:
            before = len(probe.seen)
            decision = decide(agent, state.view(state.to_act), state, rng)
            asked += len(probe.seen) - before
            state.apply(decision.action)
    assert asked
    assert all(isinstance(each, get_game(game).state) for each in probe.seen)


@cases
def test_the_end_of_games_is_heard_once_for_each_seat(text: str, game: str, given: tuple[str, ...]) -> None:
    probe = Probe()
    agent = wrapped(text, game, probe)
    assert listens(agent)
    config = MatchConfig(game=game, agents=("rule", "random"), deals=2, seed=1)
    games = sum(1 for block in play_match(config, agents={"rule": agent}) for _ in block)
    seats = len(get_game(game).seats)
    assert probe.heard == games * seats / 2
