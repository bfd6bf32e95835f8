"""Games that are held out: by deal, however often each was played."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="networks need the extra 'learn'")

from skat_env.agents.inference_quality.games import Split, choose_games
from skat_env.agents.learners import imitation
from skat_env.agents.learners.experience.held_out import PARTS, first_games, held_out, part_of_game
from skat_env.agents.learners.network_learner import NetworkLearner
from skat_env.agents.skat.policy.tasks import task
from skat_env.datasets.dataset import Dataset, DatasetWriter
from skat_env.datasets.decisions import Decisions
from skat_env.datasets.generation import GenerationConfig, generate


@pytest.fixture(scope="module")
def match(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """Games as those of a match: each deal twice, by other players."""
    folder = tmp_path_factory.mktemp("match")
    with DatasetWriter(folder / "games", "skat") as writer:
        for player in ("rule", "random"):
            writer.copy(generate(GenerationConfig("skat", (player,), 60, 3), folder / player), np.arange(60))
    return Dataset(folder / "games")


def deals_of(dataset: Dataset, games: Iterable[int]) -> set[str]:
    return {str(dataset[int(game)].state.deal) for game in games}


def test_no_deal_is_learnt_from_and_held_out(match: Dataset) -> None:
    assert len(deals_of(match, range(len(match)))) == 60
    out = held_out(match, 0.3, 1)
    config = imitation.Config(game="skat", data=str(match.folder), valid=0.2, test=0.3, hidden=(8,))
    decisions = Decisions(match)
    rows = task(decisions, match, "suit_defender", (8,))
    learner = NetworkLearner(rows, config, imitation.ImitationLesson(decisions, config))
    chosen = [choose_games(match.folder, "skat", Split(name, 1, 0.2, 0.3), 1000) for name in PARTS]
    for parts in (
        [np.flatnonzero(out), np.flatnonzero(~out)],
        [part.games for part in learner._parts],
        [[game.number for game in part.games] for part in chosen],
    ):
        deals = [deals_of(match, part) for part in parts]
        assert all(deals)
        assert sum(map(len, deals)) == len(set.union(*deals))


def test_a_file_of_the_same_games_is_split_alike(match: Dataset, tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    file.write_text("".join(f"{record.text()}\n" for record in match))
    split = Split("test", 1, 0.2, 0.3)
    assert choose_games(file, "skat", split, 1000) == choose_games(match.folder, "skat", split, 1000)


def test_games_of_different_deals_are_split_by_their_numbers(tmp_path: Path) -> None:
    """As shipped networks were measured."""
    games = generate(GenerationConfig("skat", ("random",), 40, 3), tmp_path / "games")
    assert first_games(games).tolist() == list(range(40))
    lots = np.random.default_rng(5).random(40)
    assert (part_of_game(first_games(games), 5, (0.2, 0.3)) == np.where(lots < 0.3, 2, lots < 0.5)).all()
    assert (held_out(games, 0.3, 5) == (np.random.default_rng([5, 40]).random(40) < 0.3)).all()
