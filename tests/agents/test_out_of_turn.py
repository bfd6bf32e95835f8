"""Agents that are asked out of turn say so."""

import numpy as np
import pytest

from skat_env.play.starts import PlayedTo
from skat_env.registry import get_game, make_agent

SEARCHES = (
    "pimc(worlds=2)",
    "iimc(worlds=2)",
    "ismcts(simulations=2)",
    "alpha_mu(worlds=2)",
    "epimc(worlds=2)",
    "openspiel_ismcts(simulations=2)",
)
AGENTS = {
    "skat": (
        "random",
        "policy",
        "rule",
        "expert",
        "search_bidding",
        "expert_bidding",
        "player(rule, random)",
        "hybrid(rule, random)",
        "exploring(rule)",
        *SEARCHES,
    ),
    "klaverjas": (
        "random",
        "policy",
        "rule",
        "rule(variant=thesis)",
        "search_bidding(worlds=2)",
        "search_bidding(worlds=2, inner=rule)",
        "player(rule, random)",
        "hybrid(rule, random)",
        "exploring(rule)",
        *SEARCHES,
    ),
}


@pytest.mark.parametrize(("game", "name"), [(game, name) for game, names in AGENTS.items() for name in names])
def test_a_seat_that_is_not_to_act_is_refused(game: str, name: str) -> None:
    rng = np.random.default_rng(1)
    about, agent = get_game(game), make_agent(name, game)
    rules = about.rules(choice="free") if game == "klaverjas" else about.rules()
    cardplay = PlayedTo(game, "cardplay", "random")(rng)
    over = cardplay.clone()
    while not over.is_over:
        over.apply(over.legal_actions()[0])
    for state in (about.state.random(rng, rules), cardplay, over):
        view = state.view((state.to_act + 1) % len(about.seats))
        with pytest.raises(ValueError, match="not to act"):
            agent.decide(view, rng)


@pytest.mark.parametrize(
    ("game", "name"),
    [
        (game, name)
        for game, names in AGENTS.items()
        for name in names
        if name.partition("(")[0] in ("rule", "expert", "expert_bidding", "policy", "pimc", "ismcts")
    ],
)
def test_a_seat_of_another_game_is_refused(game: str, name: str) -> None:
    rng = np.random.default_rng(1)
    agent, other = make_agent(name, game), get_game("klaverjas" if game == "skat" else "skat")
    for state in (other.state.random(rng), PlayedTo(other.name, "cardplay", "rule")(rng)):
        with pytest.raises(
            ValueError, match=f"expected a {get_game(game).view.__name__} of a game of {game}"
        ):
            agent.decide(state.view(state.to_act), rng)
