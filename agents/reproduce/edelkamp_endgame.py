"""Edelkamp 2020, tables 1 to 4: recorded suit games played again with votes on the last tricks."""

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.reproduce.bench import Bench, Played
from skat_env.agents.reproduce.reproduction import Model, Reproduction, Size
from skat_env.agents.reproduce.row import Row, compared, share
from skat_env.datasets.dataset import Dataset
from skat_env.deal import Deal
from skat_env.errors import ParseError
from skat_env.match.statistics import estimate
from skat_env.skat import SkatState
from skat_env.solvers.skat import Question, Solver
from skat_env.solvers.skat.winning import winning_question

Wins = NDArray[np.bool_]

SUIT: Final = ("suit",)
OUTCOMES: Final = (("lost", "lost"), ("lost", "won"), ("won", "lost"), ("won", "won"))
"""Of the recorded game and of open cards, in the order of the paper's rows."""
START, THRESHOLD, WORLDS = 5, 0.4, 1000
"""The paper's setting where it varies another one: after five rounds, more than 40% of the votes, 1,000 worlds."""
TABLE_1: Final = {
    "D-O-": (1095, 131, 4984, 1991, 8201),
    "D+O-": (1132, 134, 5054, 1990, 8310),
    "D-O+": (1075, 128, 4816, 1952, 7971),
    "D+O+": (1157, 129, 4979, 1961, 8226),
}
"""Games won of 10,000 by recorded result and open cards, and their sum."""
TABLE_2: Final = {
    0.1: (1130, 134, 5052, 1990, 8306),
    0.4: (1132, 134, 5054, 1990, 8310),
    0.8: (1172, 135, 5102, 2011, 8420),
    1.0: (1176, 132, 5103, 2014, 8425),
}
"""By confidence."""
TABLE_3: Final = {
    10: (1146, 135, 5033, 1999, 8313),
    100: (1132, 135, 5054, 1990, 8311),
    1000: (1132, 134, 5054, 1990, 8310),
    10000: (1132, 134, 5054, 1990, 8310),
}
"""By the largest number of worlds."""
TABLE_4: Final = {
    4: (1096, 135, 5000, 1982, 8213),
    5: (1132, 134, 5052, 1990, 8310),
    6: (1145, 133, 5046, 1993, 8317),
    7: (1108, 133, 4991, 1996, 8228),
}
"""By the number of tricks before the votes."""


@dataclasses.dataclass(frozen=True, slots=True)
class Recorded:
    """The recorded games, in the order of the starts."""

    won: Wins
    open_cards: Wins
    """Whether the soloist wins if all see all cards and play well."""


def expert(endgame: str, start: int = START, threshold: float = THRESHOLD, worlds: int = WORLDS) -> str:
    """The text of a player."""
    return f"expert(endgame={endgame}, start={start}, threshold={threshold:g}, worlds={worlds}, bidding=rule)"


def tables(bench: Bench) -> list[Row]:
    """The rows of the four tables."""
    source = bench.models["data"]
    bench = dataclasses.replace(bench, source=source)
    plain = expert("none")
    endings = bench.match("endings", {"none": plain, "both": expert("both")}, "mirrored", kinds=SUIT)
    pairs = {"D-O-": ("none", "none"), "D+O-": ("both", "none")}
    pairs |= {"D-O+": ("none", "both"), "D+O+": ("both", "both")}
    by_setting = {name: soloist_wins(endings, *pair) for name, pair in pairs.items()}
    recorded = read_recorded(Path(source), bench.deals)
    kept = recorded_games(endings)
    won, opened = recorded.won[kept], recorded.open_cards[kept]
    base = by_setting["D-O-"]

    def varied(name: str, number: float, **option: Any) -> Wins:
        played = bench.match(
            f"{name}-{number:g}",
            {"none": plain, "other": expert("soloist", **option)},
            "swapped",
            "none",
            SUIT,
        )
        return soloist_wins(played, "other", "none")

    rows = [_share(("all", "recorded game", "total"), won), _share(("all", "open cards", "total"), opened)]
    for setting, paper in TABLE_1.items():
        rows += _rows("1", setting, by_setting[setting], won, opened, paper, base)
    for threshold, paper in TABLE_2.items():
        found = varied("confidence", threshold, threshold=threshold)
        rows += _rows(
            "2", f"confidence {threshold:g}", found, won, opened, paper, base, "confidence", threshold
        )
    for worlds, paper in TABLE_3.items():
        found = varied("worlds", worlds, worlds=worlds)
        rows += _rows("3", f"{worlds:,} worlds", found, won, opened, paper, base, "worlds", worlds)
    for start, paper in TABLE_4.items():
        found = varied("start", start, start=start)
        rows += _rows("4", f"after {start} tricks", found, won, opened, paper, base, "tricks", start)
    return rows


def recorded_games(played: Played) -> NDArray[np.int64]:
    """The deals of a match whose game is no hand game, int64 [n] ascending: the paper has none."""
    return np.array(sorted({game.spec.deal for game in played.games if "hand" not in _marks(game)}), np.int64)


def soloist_wins(played: Played, soloist: str, opponents: str) -> Wins:
    """Whether an agent won as soloist against another, bool [deals without hand games], by deal."""
    cast = (played.agents[soloist], *[played.agents[opponents]] * 2)
    games = [game for game in played.games if game.spec.cast == cast and "hand" not in _marks(game)]
    return np.array(
        [bool(game.outcome and game.outcome.won) for game in sorted(games, key=lambda game: game.spec.deal)]
    )


def read_recorded(source: Path, limit: int) -> Recorded:
    """The first suit games of a dataset: who won, and who wins with open cards.

    Raises:
        ParseError: if it is no dataset.
    """
    won, states = [], []
    for state in _suit_games(Dataset(source)):
        outcome = state.outcome()
        if outcome is None:
            raise ParseError(f"{source} has an unfinished game: expected games that were played to the end")
        won.append(outcome.won)
        for _ in range(len(state.plays())):
            state.undo()
        states.append(state)
        if len(states) == limit:
            break
    return Recorded(np.array(won, np.bool_), open_card_wins(states))


def open_card_wins(states: list[SkatState]) -> Wins:
    """Whether the soloist wins with open cards, bool [n]; the games begin their cardplay."""
    solver = Solver()
    groups: dict[Question, list[int]] = {}
    wins = np.zeros(len(states), np.bool_)
    for at, state in enumerate(states):
        question = winning_question(state)
        if question is not None:
            groups.setdefault(dataclasses.replace(question, actions=False), []).append(at)
    for question, members in groups.items():
        assert question.target is not None
        solutions = solver.solve_many([states[at] for at in members], question)
        wins[members] = [bool(solution.reaches(question.target)) for solution in solutions]
    return wins


def _suit_games(dataset: Dataset) -> Iterator[SkatState]:
    """The suit games that got to the cardplay, in order; of those of the same deal the first, as in a match."""
    seen: set[Deal] = set()
    for number in range(len(dataset)):
        state: Any = dataset.state(number)
        if state.kind == "suit" and len(state.plays()) and state.deal not in seen:
            seen.add(state.deal)
            yield state


def _marks(game: Any) -> tuple[str, ...]:
    return game.outcome.marks if game.outcome else ()


def _rows(
    table: str,
    setting: str,
    wins: Wins,
    recorded: Wins,
    opened: Wins,
    paper: tuple[int, ...],
    base: Wins,
    axis: str | None = None,
    x: float | None = None,
) -> Iterator[Row]:
    """The rows of a column of a table: the total, what it is more than without votes, and the paper's four parts."""
    total = _share((table, setting, "total"), wins, paper[-1])
    panel = axis
    yield dataclasses.replace(total, panel=panel, x=x, line="votes for the soloist") if axis else total
    if wins is not base:
        gain = estimate(100.0 * wins - 100.0 * base)
        yield compared(
            (table, setting, "more than D-O-"), gain, f"{(paper[-1] - TABLE_1['D-O-'][-1]) / 100:+.2f}"
        )
    for (was, shown), number in zip(OUTCOMES, paper, strict=False):
        chosen = (recorded == (was == "won")) & (opened == (shown == "won"))
        yield _share((table, setting, f"{was}, {shown} with open cards"), wins & chosen, number)


def _share(label: tuple[str, ...], wins: Wins, paper: int | None = None) -> Row:
    """The share of the games in percent; the paper's is of 10,000 games."""
    found = share(label, int(wins.sum()), len(wins), None if paper is None else f"{paper / 100:.2f}")
    assert found is not None
    return found


REPRODUCTIONS: Final = (
    Reproduction(
        "edelkamp-tables-1-4",
        "Edelkamp 2020, tables 1 to 4",
        "Recorded suit games with the skat, played again from the first card: the games that the soloist wins in the "
        "record, with open cards, and as `expert` with (+) and without (-) votes on the last tricks for the soloist "
        "(D) and the opponents (O); then by confidence, number of worlds, and the trick from which the worlds vote.",
        ("table", "setting", "games won, %"),
        {"smoke": Size(20, 0.5), "small": Size(1000, 5), "paper": Size(10_000, 40)},
        tables,
        "games won, %",
        models={"data": Model("path", None, "a dataset of recorded games, as skat-env generate makes")},
        notes=(
            "The paper's games are people's; hand games are left out, as there. Parts are by the recorded result and "
            "by the result with open cards.",
            "Two columns of the paper's table 1 do not add up: D-O+ is printed as 7,871 and D-O- as 8,301; their parts "
            "give 7,971 and 8,201, which stand here.",
            "Tables 2 to 4 are of votes for the soloist alone; a setting that is not varied is the paper's: confidence "
            "0.4, 1,000 worlds, after five tricks.",
        ),
    ),
)
