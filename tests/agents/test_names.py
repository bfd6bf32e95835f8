"""The name of an agent is the text from which it can be made again: each option is in it that changes what it does."""

import inspect
from typing import Any

import pytest

from skat_env import registry
from skat_env.registry import make_agent, make_belief

pytest.importorskip("torch", reason="networks need the extra 'learn'")

OTHER: dict[str, Any] = {
    "bidder": "random", "belief": "thesis", "worlds": 7, "ties": False, "skats": 5, "games": 4, "threshold": 0.25,
    "prior": 3.0, "m": 3, "depth": 4, "thresholds": "61", "time": 50.0, "backup": "vector", "simulations": 77, "c": 0.9,
    "rollouts": 2, "trees": 2, "batch": 3, "minimax": 0.5, "rollout_share": 0.5, "observers": "many", "reuse": False,
    "cardplay": "sample", "variant": "AB", "caution": 0.5, "k": 321, "share": 0.5, "smoothing": 0.5, "temperature": 0.5,
    "random_cards": 0.5, "random_declarations": 0.5, "random_bids": 0.5, "trick": 3, "role": "declarer", "inner": "random",
    "player": "rule", "model": "random", "tricks": 2, "floor": 0.01, "temper": 0.5, "features": "BDI",
    "proposal": "locations", "int8": False, "declaring": "random", "bidding": "random",
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
    ("player", "cardplay"): "random",
    ("hybrid", "role"): "soloist",
    ("hybrid", "policy"): "random",
}
"""Another value of an option that an agent reads in its own way."""
AGENTS = (
    "pimc", "alpha_mu", "epimc", "ismcts", "iimc", "search_bidding", "exploring", "player", "hybrid", "local_best_response",
    "tree_best_response", "policy",
)  # fmt: skip


def text(name: str, options: dict[str, Any]) -> str:
    words = [
        f"{key}={str(value).lower() if isinstance(value, bool) else value}" for key, value in options.items()
    ]
    return f"{name}({', '.join(words)})" if words else name


def options_of(group: str, kind: str, name: str, game: str) -> list[str]:
    factory = registry._factory(group, kind, name, game)
    return list(inspect.signature(getattr(factory, "Options", None) or factory).parameters)


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
@pytest.mark.parametrize("agent", AGENTS)
def test_every_option_is_in_the_name(agent: str, game: str) -> None:
    given = NEEDED.get(agent, {})
    plain = make_agent(text(agent, given), game).name
    tried = 0
    for option in options_of(registry.AGENT_GROUP, "agent", agent, game):
        if option in WITHOUT or option not in OTHER or (option == "thresholds" and game == "klaverjas"):
            continue
        changed = given | {option: OWN.get((agent, option), OTHER[option])}
        if option == "aggression" or (agent == "policy" and game == "skat" and option == "threshold"):
            changed |= {"variant": "MLV"}
        if (agent, option, game) == ("player", "declaring", "klaverjas"):
            continue  # it has no such stage
        made = make_agent(text(agent, changed), game)
        assert made.name != plain, (option, made.name)
        assert make_agent(made.name, game).name == made.name, (option, made.name)
        tried += 1
    assert tried


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
@pytest.mark.parametrize("belief", ["policy", "locations", "agent"])
def test_every_option_of_a_belief_is_in_the_name(belief: str, game: str) -> None:
    plain = make_belief(belief, game).name
    for option in options_of(registry.BELIEF_GROUP, "belief", belief, game):
        if option in WITHOUT or option not in OTHER or option in ("model", "agent"):
            continue
        made = make_belief(text(belief, {option: OTHER[option]}), game)
        assert made.name != plain, (option, made.name)
        assert make_belief(made.name, game).name == made.name
