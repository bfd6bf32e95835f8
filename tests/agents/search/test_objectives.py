"""The objectives of PIMC by name."""

import pytest

from skat_env.agents.search.objectives import make_objective
from skat_env.errors import UnknownName
from skat_env.registry import get_part


@pytest.mark.parametrize(
    ("game", "names"),
    [
        ("skat", ["win", "points", "tournament_points", "world_values", "rollouts"]),
        ("klaverjas", ["made", "difference", "final_difference", "world_values", "rollouts"]),
    ],
)
def test_the_first_of_a_game_is_its_default(game: str, names: list[str]) -> None:
    assert list(get_part(game, "objectives")) == names
    assert make_objective(None, game, 1).name == names[0]
    with pytest.raises(UnknownName, match=f"did you mean '{names[0]}'"):
        make_objective(names[0][:-1], game, 1)
