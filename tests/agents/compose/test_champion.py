"""`champion`: other agents by another name."""

import re

import pytest

from skat_env import compare
from skat_env.errors import OptionError, UnknownName
from skat_env.match.play import MatchConfig, play_match
from skat_env.registry import agent_names, game_names, make_agent

GAMES = [game for game in game_names() if "champion" in agent_names(game)]


def test_both_games_have_one() -> None:
    assert GAMES == ["skat", "klaverjas"]


@pytest.mark.parametrize("quick", ["false", "true"])
@pytest.mark.parametrize("game", GAMES)
def test_its_name_says_of_what_it_is_made(game: str, quick: str) -> None:
    made = make_agent(f"champion(quick={quick})", game)
    assert "champion" not in made.name.replace("checkpoint=skat-champion", "")
    assert make_agent(made.name, game).name == made.name


def test_its_boldness_is_that_of_its_calls() -> None:
    """It declares more where it is bolder, with the same cards."""
    names = [make_agent(f"champion(boldness={points})", "skat").name for points in (0, 10, 40)]
    assert names[1] == make_agent("champion", "skat").name
    assert names[0] == names[1].replace(", boldness=10", "") == names[2].replace(", boldness=40", "")
    declared = []
    for points in (0, 40):
        agent = f"player(bidding=champion(quick=true, boldness={points}), cardplay=rule)"
        match = compare(agent, "rule", deals=60, seed=3, mode="alone")
        declared.append(match.result.agents[agent].total.games)
    assert declared[0] < declared[1]
    with pytest.raises(OptionError, match="boldness=2000"):
        make_agent("champion(boldness=2000)", "skat")


@pytest.mark.parametrize("game", GAMES)
def test_the_quick_one_samples_fewer_worlds(game: str) -> None:
    quick, whole = (make_agent(text, game).name for text in ("champion(quick=true)", "champion"))
    worlds = [max(int(n) for n in re.findall(r"worlds=(\d+)", name)) for name in (quick, whole)]
    assert worlds[0] * 4 <= worlds[1]


@pytest.mark.parametrize("game", GAMES)
def test_it_plays_as_its_parts_do(game: str) -> None:
    """A deal goes the same way, whoever of the two sits where."""
    parts = make_agent("champion(quick=true)", game).name
    config = MatchConfig(game, ("champion(quick=true)", parts), 4)
    found: dict[int, set[str]] = {}
    for games in play_match(config):
        for played in games:
            found.setdefault(played.spec.deal, set()).add(played.position)
    assert [len(found[deal]) for deal in range(4)] == [1] * 4


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_it_plays_whole_games(game: str) -> None:
    config = MatchConfig(game, ("champion", "random"), 1)
    [games] = play_match(config)
    assert all(seat.moves for game in games for seat in game.thinking)


@pytest.mark.parametrize("game", GAMES)
def test_bad_options_are_refused(game: str) -> None:
    with pytest.raises(OptionError):
        make_agent("champion(quick=3)", game)
    with pytest.raises(UnknownName):
        make_agent("champion(slow=true)", game)
