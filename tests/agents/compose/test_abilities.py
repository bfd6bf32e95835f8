"""Every agent that leaves decisions to another has the other's abilities, and hands on what they need."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from skat_env.call_text import parse_call
from skat_env.datasets.generation import GenerationConfig, generate
from skat_env.match.compare import compare
from skat_env.match.play import MatchConfig, play_match
from skat_env.play.capabilities import Abilities, decide, listens
from skat_env.play.lanes import lane_players
from skat_env.protocols import Decision, State, View
from skat_env.registry import (
    AGENT_GROUP,
    agent_factory,
    agent_names,
    get_game,
    make_agent,
    option_parameters,
    register,
)


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
    "skat:player(bidding=rule, cardplay=rule, declaring=probe)": ("remembers", "batched"),
    "hybrid(policy=probe, search=random, trick=2)": ("remembers", "batched", "draws"),
    "hybrid(policy=random, search=probe, trick=2)": ("remembers", "batched", "draws"),
    "pimc(worlds=2, bidder=probe)": ("remembers",),
    "alpha_mu(worlds=2, bidder=probe)": ("remembers",),
    "epimc(worlds=2, bidder=probe)": ("remembers",),
    "ismcts(simulations=4, reuse=false, bidder=probe)": ("remembers", "batched"),
    "iimc(worlds=2, inner=rule, bidder=probe)": ("remembers",),
    "klaverjas:policy(bidder=probe)": ("remembers",),
    "skat:endgame(player=probe)": ("remembers",),
    "skat:search_calls(inner=probe)": ("remembers", "batched"),
    "skat:expert(bidding=probe)": ("remembers", "batched"),
    "ending_response(player=probe)": ("remembers", "batched"),
    "local_best_response(agent=probe, worlds=2, belief=uniform)": ("remembers",),
    "tree_best_response(agent=probe, simulations=4, belief=uniform)": ("remembers",),
}
"""Texts of agents, with the abilities that are theirs if they are the other's; `klaverjas:`: of one game."""
ALONE = {
    ("iimc", "inner"): "one that cheats sees the worlds, not the game; below",
    ("iimc", "opponents"): "it plays worlds that are thought of, never the game",
    ("ending_response", "model"): "it is not asked for a decision, but how others would decide",
    ("search_bidding", "inner"): "it plays worlds that are thought of, never the game",
    ("dmc", "bidder"): "needs a trained model; it is a Composite",
    ("sb3", "bidder"): "needs a trained model; tests/agents/sb3",
    ("learner", "bidder"): "needs a finished run; it is a Composite",
    ("engine", "instead"): "needs a program; tests/agents/engine",
    ("llm", "instead"): "needs a server; tests/agents/language",
}
"""Options that take an agent and are not in the table, with the reason."""
REFUSES_CHEATS = (
    "search_calls",
    "endgame",
    "expert",
    "ending_response",
    "local_best_response",
    "tree_best_response",
)
CASES = [
    (text.split(":")[-1], game, given)
    for text, given in WRAPPERS.items()
    for game in ("skat", "klaverjas")
    if ":" not in text or text.startswith(game)
]
cases = pytest.mark.parametrize(("text", "game", "given"), CASES)


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
def test_every_option_that_takes_an_agent_is_in_the_table(game: str) -> None:
    pytest.importorskip("torch", reason="agents of stable-baselines3 need the extra 'learn'")
    pytest.importorskip("pyspiel", reason="the agent of OpenSpiel needs the extra 'interop'")
    table = [parse_call(text) for text, _, _ in CASES]
    known = {
        (name, option)
        for name, arguments, options in table
        for option, value in options.items()
        if value == "probe" and not arguments
    }
    for name in agent_names(game):
        for option, parameter in option_parameters(agent_factory(name, game)).items():
            if "Agent" in str(parameter.annotation):
                assert (name, option) in known | ALONE.keys(), f"{name} with {option}="


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


@pytest.mark.parametrize("how", ["in step", "in lanes"])
def test_generated_games_are_told(tmp_path: Path, how: str) -> None:
    probe = Probe()
    text = "player(bidding=probe, cardplay=rule)" if how == "in step" else "policy(bidder=probe)"
    agent = wrapped(text, "klaverjas", probe)
    assert (lane_players([agent]) is None) == (how == "in step")
    generate(GenerationConfig("klaverjas", (text,), 5, 1), tmp_path / "games")
    assert probe.heard == 5 * 4


def test_games_that_are_thought_of_are_not_told() -> None:
    """Worlds are played to their end by the inner agent, which hears of the real game alone."""
    probe = Probe()
    agent = wrapped("iimc(worlds=2, inner=probe, bidder=rule)", "klaverjas", probe)
    assert Abilities.of(agent).listens
    match = compare(agent, "rule", game="klaverjas", deals=2)
    assert probe.heard == len(match.games) * 2


def test_nobody_listens_where_no_part_does() -> None:
    assert not listens(make_agent("player(bidding=rule, cardplay=policy)", "klaverjas"))
