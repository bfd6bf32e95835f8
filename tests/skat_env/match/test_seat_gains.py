"""Exchanges of one seat between games of a match: every one belongs to one part, and the parts add up to the games."""

import itertools
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.quality import kind_points, seat_gains
from skat_env.cli import main
from skat_env.records import GameRecord
from tests.conftest import ROOT


def match_in(folder: Path) -> Path:
    main(f"match --agents rule random --deals 12 --seed 3 --out {folder}".split())
    return folder


def deals_of(folder: Path) -> list[dict[tuple[str, ...], GameRecord]]:
    deals: dict[str, dict[tuple[str, ...], GameRecord]] = {}
    for line in (folder / "games.jsonl").read_text().splitlines():
        record = GameRecord.parse(line)
        deals.setdefault(line.split(" :")[0], {})[record.agents] = record
    return list(deals.values())


def exchanged(deals: list[dict[tuple[str, ...], GameRecord]]) -> Any:
    ends: list[Any] = [{cast: record.state for cast, record in games.items()} for games in deals]
    return seat_gains.exchanges(ends, ["rule", "random"])


def test_gains_are_those_of_the_games_that_differ_in_one_seat(tmp_path: Path) -> None:
    deals = deals_of(match_in(tmp_path / "match"))
    gains, counts = exchanged(deals)
    assert counts.sum(1).tolist() == [6.0] * 12
    assert (counts.sum(0) > 0).sum() > 3
    for games, gain in zip(deals, gains.sum(1), strict=True):
        expected = 0
        for (cast, game), (other_cast, other) in itertools.permutations(games.items(), 2):
            seats = [seat for seat in range(3) if cast[seat] != other_cast[seat]]
            if len(seats) == 1 and cast[seats[0]] == "rule":
                points = [each.returns("tournament_points") for each in (game, other)]
                assert points[0] is not None
                assert points[1] is not None
                expected += points[0][seats[0]] - points[1][seats[0]]
        assert gain == expected


@pytest.mark.parametrize(
    ("seat", "a", "b", "part"),
    [
        (0, (0, "suit", "C"), (0, "suit", "C"), "both declare the same suit"),
        (0, (0, "suit", "C"), (0, "suit", "S"), "other"),
        (0, (0, "grand", "G"), (0, "suit", "C"), "other"),
        (2, (2, "grand", "G"), (2, "grand", "G"), "both declare grand"),
        (1, (1, "null", "N"), (1, "null", "N"), "both declare null"),
        (1, (1, "null", "N"), (0, "suit", "C"), "A"),
        (1, (0, "suit", "C"), (1, "null", "N"), "B"),
        (1, (0, "suit", "C"), (0, "suit", "C"), "defence"),
        (1, (0, "suit", "C"), (0, "suit", "S"), "others"),
        (1, (0, "suit", "C"), (2, "suit", "C"), "others"),
        (1, (-1, None, None), (-1, None, None), "others"),
    ],
)
def test_what_the_seat_does_in_both_games_is_the_part(seat: int, a: Any, b: Any, part: str) -> None:
    class End:
        def __init__(self, soloist: int, kind: str | None, contract: str | None) -> None:
            self.soloist, self.kind, self.contract, self.declaration = soloist, kind, contract, contract

    assert seat_gains.part_of(End(*a), End(*b), seat) == part


def test_the_table_has_all_parts_and_their_sum(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = match_in(tmp_path / "match")
    capsys.readouterr()
    seat_gains.main(seat_gains.Options(folder))
    rows = [re.split(r"  +", line.strip()) for line in capsys.readouterr().out.splitlines() if "[" in line]
    gains = [float(row[4]) for row in rows]
    assert rows[-1][0] == "all"
    assert sum(gains[:-1]) == pytest.approx(gains[-1], abs=0.01 * len(gains))
    of_the_games, _ = exchanged(deals_of(folder))
    assert gains[-1] == pytest.approx(of_the_games.sum() / (6 * len(of_the_games)), abs=0.01)


def test_another_kind_of_match_or_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"has no result\.json: expected the folder of a finished match"):
        seat_gains.main(seat_gains.Options(tmp_path))
    (tmp_path / "result.json").write_text('{"foo": 1}')
    with pytest.raises(ValueError, match="expected two agents, Skat, and mode alone or all-seats"):
        kind_points.main(kind_points.Options(tmp_path))
    (tmp_path / "result.json").write_text(
        json.dumps({"config": {"game": "skat", "mode": "swapped", "agents": ["rule", "random"]}})
    )
    with pytest.raises(ValueError, match="expected two agents, Skat, and mode all-seats"):
        seat_gains.main(seat_gains.Options(tmp_path))


def test_points_by_kind_are_those_of_the_games(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = match_in(tmp_path / "match")
    capsys.readouterr()
    kind_points.main(kind_points.Options(folder))
    rows = [re.split(r"  +", line.strip()) for line in capsys.readouterr().out.splitlines()]
    rows = [row for row in rows if len(row) > 4 and row[0] != "role"]
    ends = [index for index, row in enumerate(rows) if row[0] == "all"]
    records = [record for games in deals_of(folder) for record in games.values()]
    first = 0
    for agent, end in zip(("rule", "random"), ends, strict=True):
        points: list[int] = []
        for record in records:
            returns = record.state.returns("tournament_points")
            points += [returns[seat] for seat, name in enumerate(record.agents) if name == agent]
        assert int(rows[end][1]) == len(points) == sum(int(row[1]) for row in rows[first:end])
        assert float(rows[end][-1]) == pytest.approx(sum(points) / len(points), abs=0.01)
        assert sum(float(row[-1]) for row in rows[first:end]) == pytest.approx(float(rows[end][-1]), abs=0.1)
        first = end + 1


def test_a_wrong_folder_ends_it_with_a_sentence(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "benchmarks.quality.seat_gains", tmp_path],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 2
    assert ran.stderr == (
        f"benchmarks.seat_gains: {tmp_path} has no result.json: expected the folder of a finished match\n"
    )
