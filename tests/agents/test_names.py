"""The name of an agent is the text from which it can be made again: each option is in it that changes what it does."""

from pathlib import Path
from typing import Any

import pytest

from skat_env import registry
from skat_env.agents.networks.checkpoint_folder import SHIPPED
from skat_env.call_text import call_text
from skat_env.registry import make_agent, make_belief

OTHER: dict[str, Any] = {
    "bidder": "random", "belief": "thesis", "worlds": 7, "ties": False, "skats": 5, "games": 4, "threshold": 0.25,
    "prior": 3.0, "m": 3, "depth": 4, "thresholds": "61", "time": 50.0, "backup": "vector", "simulations": 77, "c": 0.9,
    "rollouts": 2, "trees": 2, "batch": 3, "minimax": 0.5, "rollout_share": 0.5, "observers": "many", "reuse": False,
    "cardplay": "sample", "variant": "AB", "caution": 0.5, "k": 321, "share": 0.5, "smoothing": 0.5, "temperature": 0.5,
    "random_cards": 0.5, "random_declarations": 0.5, "random_bids": 0.5, "trick": 3, "role": "declarer", "inner": "random",
    "player": "rule", "model": "random", "tricks": 2, "floor": 0.01, "temper": 0.5, "features": "BDI",
    "proposal": "locations", "int8": True, "declaring": "random", "bidding": "random", "objective": "points",
    "paranoia": True, "second": "win", "near": 0.5, "evaluator": "rollouts(inner=rule)", "reward": "card_points", "start": 3,
    "side": "soloist", "assumptions": "all", "bad_skats": True, "endgame": "soloist", "without": "none",
    "open_cards": 0.5, "race": 2.0, "source": "marked", "aggression": 0.5, "boldness": 20.0, "candidates": 5, "played_out": 0.25, "agent": "policy(cardplay=sample)", "search": "random",
}  # fmt: skip
"""Another value than the default, by option."""
WITHOUT = {
    "threads": "decisions do not depend on their number",
    "game": "not an option",
    "checkpoint": "another one is not at hand; its name is in the tests of each agent",
}
NEEDED: dict[str, dict[str, Any]] = {
    "exploring": {"agent": "rule"},
    "player": {"bidding": "rule", "cardplay": "rule"},
    "hybrid": {"policy": "policy", "search": "rule", "trick": 5},
    "local_best_response": {"agent": "policy"},
    "tree_best_response": {"agent": "policy"},
}
"""Options without which an agent cannot be made or changed, by agent."""
OWN: dict[tuple[str, str], Any] = {
    ("ismcts", "variant"): "thesis",
    ("rule", "variant"): "thesis",
    ("endgame", "player"): "random",
    ("ending_response", "belief"): "locations",
    ("player", "cardplay"): "random",
    ("hybrid", "role"): "soloist",
    ("hybrid", "policy"): "random",
    ("iimc", "opponents"): "rule",
    ("search_calls", "race"): 3.0,
    ("search_calls", "close"): 25.0,
}
"""Another value of an option that an agent reads in its own way."""
OF_BELIEFS = {"prior": "locations", "int8": False}
"""Another value of options that beliefs read in their own way."""
KLAVERJAS = {"objective": "difference", "second": "made", "reward": "difference"}
"""The same where Klaverjas has other words."""
ONLY = {
    ("pimc", "paranoia"): "skat",
    ("player", "declaring"): "skat",
    **{(agent, "thresholds"): "skat" for agent in ("alpha_mu", "epimc")},
}
"""Options that one game has, or that the table has a value for in one."""
BESIDES: dict[tuple[str, str], dict[str, Any]] = {
    ("policy", "aggression"): {"variant": "MLV"},
    ("policy", "threshold"): {"variant": "MLV"},
    ("pimc", "near"): {"second": "rollouts"},
}
"""What an option needs besides to change anything."""
ALONE = {
    "champion": "its name says of what it is made",
    "dmc": "needs a trained model",
    "value_bidding": "needs a trained model",
    "sb3": "needs a trained model",
    "learner": "needs a finished run; tests/agents/bench",
    "engine": "needs a program; tests/agents/engine",
    "llm": "needs a server; tests/agents/language",
    "openspiel_ismcts": "needs open_spiel",
}
"""Agents with options that are not in the table, with the reason."""


CASES = [
    (agent, game)
    for game in ("skat", "klaverjas")
    for agent in registry.agent_names(game)
    if agent not in ALONE and registry.option_parameters(registry.agent_factory(agent, game))
]
"""Every agent that has options, in its games."""


@pytest.mark.parametrize(("agent", "game"), CASES)
def test_every_option_is_in_the_name(agent: str, game: str) -> None:
    given = NEEDED.get(agent, {})
    others = OTHER | (KLAVERJAS if game == "klaverjas" else {})
    for option in registry.agent_options(call_text(agent, given), game):
        if option in WITHOUT or ONLY.get((agent, option), game) != game:
            continue
        besides = given | BESIDES.get((agent, option), {})
        changed = besides | {option: OWN[agent, option] if (agent, option) in OWN else others[option]}
        made = make_agent(call_text(agent, changed), game)
        assert made.name != make_agent(call_text(agent, besides), game).name, (option, made.name)
        assert make_agent(made.name, game).name == made.name, (option, made.name)


def test_nothing_is_named_where_it_is_not_the_default() -> None:
    every = make_agent("search_calls(race=none)", "skat")
    assert "race=none" in every.name
    assert make_agent(every.name, "skat").name == every.name
    assert every.name != make_agent("search_calls", "skat").name


@pytest.mark.parametrize("folder", ["2024", "run,2", "run 1", "true", "none", "it's", "a=b", "1e3"])
def test_any_folder_can_be_named(folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for checkpoint, text in (
        ("klaverjas-policy", call_text("policy", {"checkpoint": folder})),
        ("klaverjas-value", call_text("ismcts", {"evaluator": call_text("value", {"checkpoint": folder})})),
    ):
        (tmp_path / folder).unlink(missing_ok=True)
        (tmp_path / folder).symlink_to(SHIPPED / checkpoint)
        made = make_agent(text, "klaverjas")
        assert make_agent(made.name, "klaverjas").name == made.name


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
@pytest.mark.parametrize("belief", ["policy", "locations", "agent"])
def test_every_option_of_a_belief_is_in_the_name(belief: str, game: str) -> None:
    plain = make_belief(belief, game).name
    factory = registry._factory(registry.BELIEF_GROUP, "belief", belief, game)
    for option in registry.option_parameters(factory):
        if option in WITHOUT or option not in OTHER or option in ("model", "agent"):
            continue
        made = make_belief(call_text(belief, {option: (OTHER | OF_BELIEFS)[option]}), game)
        assert made.name != plain, (option, made.name)
        assert make_belief(made.name, game).name == made.name
