"""Edelkamp's tables again: that their rows are the games played, by what was recorded and by open cards."""

from pathlib import Path
from typing import Any

import pytest

from skat_env.agents.reproduce.catalogue import find
from skat_env.agents.reproduce.edelkamp_endgame import expert, open_card_wins, read_recorded
from skat_env.agents.reproduce.run import run
from skat_env.datasets.dataset import Dataset
from skat_env.datasets.generation import GenerationConfig, generate
from skat_env.datasets.merge import merge
from skat_env.errors import ParseError
from skat_env.play.lockstep import play_games
from skat_env.play.randomness import agent_rng
from skat_env.registry import make_agent
from skat_env.skat import SkatState
from skat_env.solvers.skat import Solver
from skat_env.solvers.skat.winning import winning_question


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("edelkamp") / "games"
    generate(GenerationConfig("skat", ("rule",), 24, start="cardplay", kinds=("suit", "null")), folder)
    return folder


def finals(folder: Path) -> list[SkatState]:
    """The suit games at their end."""
    dataset = Dataset(folder)
    states: list[Any] = [dataset.state(number) for number in range(len(dataset))]
    return [state for state in states if state.kind == "suit"]


def starts(folder: Path, limit: int) -> list[SkatState]:
    """The first suit games at their first card."""
    found = finals(folder)[:limit]
    for state in found:
        for _ in range(len(state.plays())):
            state.undo()
    return found


@pytest.mark.slow
def test_the_rows_are_those_of_the_games(games: Path, tmp_path: Path) -> None:
    rows = {
        row.label: row
        for row in run(
            find("edelkamp-tables-1-4"), "smoke", tmp_path / "out", deals=10, models={"data": str(games)}
        )
    }
    everything = starts(games, 10)
    states = [state for state in everything if not state.hand_game]
    recorded = read_recorded(games, 10)
    assert recorded.won.tolist() == [record.result().won for record in finals(games)][:10]
    assert open_card_wins(everything).tolist() == recorded.open_cards.tolist()
    for state, opened in zip(everything, recorded.open_cards, strict=True):
        question = winning_question(state)
        assert question is not None
        assert question.target is not None
        if question.aim == "points":
            # By the exact value, where the table asks whether the target is reached.
            value = Solver().solve(state).value
            assert value is not None
            assert opened == (value >= question.target)

    agent = make_agent(expert("none"), "skat")
    played = [state.clone() for state in states]
    play_games(
        played,
        [[agent] * 3] * len(played),
        [[agent_rng(0, n, s) for s in range(3)] for n in range(len(played))],
    )
    wins = [state.result().won for state in played]
    total = rows["1", "D-O-", "total"]
    assert total.count == len(states)
    assert total.mean == pytest.approx(100 * sum(wins) / len(wins))
    assert total.paper == "82.01"

    settings = {label[:2] for label in rows} - {("all", "recorded game"), ("all", "open cards")}
    assert len(settings) == 16
    for setting in settings:
        parts = [
            row.mean for label, row in rows.items() if label[:2] == setting and "with open cards" in label[2]
        ]
        assert len(parts) == 4
        assert sum(parts) == pytest.approx(rows[(*setting, "total")].mean)
    assert rows["2", "confidence 0.4", "total"].mean == rows["1", "D+O-", "total"].mean
    assert rows["3", "1,000 worlds", "total"].mean == rows["4", "after 5 tricks", "total"].mean


def test_of_games_of_the_same_deal_the_first_counts(games: Path, tmp_path: Path) -> None:
    merge([Dataset(games)] * 2, tmp_path / "twice")
    once, twice = read_recorded(games, 100), read_recorded(tmp_path / "twice", 100)
    assert twice.won.tolist() == once.won.tolist()
    assert twice.open_cards.tolist() == once.open_cards.tolist()


def test_what_is_no_dataset_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ParseError):
        read_recorded(tmp_path, 5)
