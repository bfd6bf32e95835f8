"""Measuring inference: known answers by hand, calibration by construction, the choice of games, the command."""

import dataclasses
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from skat_env.agents.inference_quality.games import Split, choose_games
from skat_env.agents.inference_quality.groups import quality_groups, type_of
from skat_env.agents.inference_quality.measure import (
    BINS,
    RECORD,
    MeasureConfig,
    Measurer,
    measure_position,
    positions,
)
from skat_env.agents.inference_quality.run import Source, kept_measurement
from skat_env.agents.inference_quality.summary import summarise
from skat_env.agents.learners.experience.held_out import part_of_game
from skat_env.beliefs.belief import Belief, UniformSampler
from skat_env.cli import main
from skat_env.datasets.dataset import Dataset, DatasetWriter
from skat_env.errors import ParseError, UnknownName
from skat_env.klaverjas import GAME as KLAVERJAS
from skat_env.match.statistics import Ratio
from skat_env.records import GameRecord
from skat_env.skat import SkatState
from tests.conftest import ROOT, random_games

GAMES = ROOT / "skat_env" / "data" / "skat_games.jsonl"
ALL = Split("all")


@pytest.fixture(scope="module")
def klaverjas_games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("klaverjas") / "games"
    with DatasetWriter(folder, "klaverjas") as writer:
        for state in random_games(KLAVERJAS, 12, 3):
            writer.add(GameRecord.of("klaverjas", state, ["random"] * 4))
    return folder


class Known:
    """A posterior that knows the true row: it gives it a probability, and the rest to all worlds alike.

    Its marginals are those of that mixture.
    """

    def __init__(self, view: Any, row: np.ndarray, share: float) -> None:
        self.belief, self.row, self.share = Belief(view), row, share

    def probability(self, rows: np.ndarray) -> np.ndarray:
        true = (rows == self.row).all(axis=1)
        return self.share * true + (1 - self.share) * self.belief.probability(rows)

    def marginals(self) -> np.ndarray:
        true = self.row[None, :] >> np.arange(32, dtype=np.uint32)[:, None] & 1
        return self.share * true + (1 - self.share) * self.belief.marginals()


class Cheat(UniformSampler):
    """A belief that knows the true worlds of some games by their views."""

    name = "cheat"

    def __init__(self, share: float, games: list[Any], game: str) -> None:
        self.share = share
        self.rows = {}
        for each in games:
            final = state_of(each.position, game)
            for seat in range(3 if game == "skat" else 4):
                for state in positions(final, seat):
                    view = state.view(seat)
                    self.rows[view] = Belief(view).row(state)

    def posterior(self, view: Any, rng: np.random.Generator) -> Known:
        return Known(view, self.rows[view], self.share)


class Wrong(UniformSampler):
    """A belief that excludes every world."""

    name = "wrong"
    fallbacks = 0

    def posterior(self, view: Any, rng: np.random.Generator) -> Any:
        posterior = Known(view, np.zeros(4, np.uint32), 0.0)
        posterior.probability = lambda rows: np.zeros(len(rows))  # type: ignore[method-assign]
        self.fallbacks += 1
        return posterior


def state_of(position: str, game: str) -> Any:
    return SkatState.parse(position) if game == "skat" else KLAVERJAS.state.parse(position)


def data_of(game: str, klaverjas_games: Path) -> Path:
    return GAMES if game == "skat" else klaverjas_games


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
def test_answers_that_are_known(game: str, klaverjas_games: Path) -> None:
    chosen = choose_games(data_of(game, klaverjas_games), game, ALL, 3)
    config = MeasureConfig(game, ("uniform", "oracle", "half", "wrong"))
    stubs = {
        "oracle": Cheat(1.0, chosen.games, game),
        "half": Cheat(0.5, chosen.games, game),
        "wrong": Wrong(),
    }
    measurer = Measurer(config, stubs)
    records = np.concatenate([measurer(each) for each in chosen.games])
    assert len(records) == len(chosen.games) * 2 * 4
    measured = ~np.isnan(records["cards"])
    uniform, oracle, half, wrong = (records["belief"] == belief for belief in range(4))
    count = records["count"]
    many = measured & (count > 1)
    assert np.allclose(records["tssr"][measured & uniform[:, None]], 1)
    assert np.allclose(records["tssr"][measured & oracle[:, None]], count[measured & oracle[:, None]])
    assert np.allclose(records["tssr"][many & half[:, None]], 0.5 * count[many & half[:, None]] + 0.5)
    assert (records["tssr"][many & wrong[:, None]] == 0).all()
    assert (records["tssr"][measured & (count == 1)] == 1).all()
    assert np.allclose(records["brier"][many & oracle[:, None]], 0)
    brier = records["brier"][many & uniform[:, None]]
    assert np.allclose(records["brier"][many & half[:, None]], brier / 4)
    for each in summarise(config, records):
        first, points = each.by_trick[0], each.by_cards
        assert each.games == sum(game.type == each.type for game in chosen.games)
        assert first.at == 1
        assert points[-1].at < 32
        if each.belief == "uniform":
            assert (each.tssr.mean, each.bits.mean) == (pytest.approx(1), pytest.approx(0))
            assert each.excluded == each.fallbacks == 0
        elif each.belief == "oracle":
            assert first.tssr.mean == pytest.approx(first.oracle)
            assert each.brier.mean == each.calibration_error == 0
            assert each.bits.mean > 1
            # What is certain is in the last bin, or in the first.
            assert [bool(one.number) for one in each.reliability] == [True, *[False] * (BINS - 2), True]
        elif each.belief == "wrong":
            assert each.excluded > 0.5
            assert np.isnan(each.bits.mean) or each.bits.mean == 0
            assert each.fallbacks == 1


def test_the_positions_are_the_soloist_s_moves_and_one_defender_s() -> None:
    chosen = choose_games(GAMES, "skat", ALL, 40, ("suit",))
    measurer = Measurer(MeasureConfig("skat", ("uniform",), seed=4))
    drawn = Counter()
    for game in chosen.games:
        final = SkatState.parse(game.position)
        records = measurer(game)
        for role, record in enumerate(records):
            cards = record["cards"][~np.isnan(record["cards"])].astype(int).tolist()
            order = {
                seat: [number for number, (other, _) in enumerate(final.plays()) if other == seat]
                for seat in range(3)
            }
            seats = [seat for seat in range(3) if final.side(seat) == role and order[seat] == cards]
            assert len(seats) == 1
            if role == 1:
                drawn[(seats[0] - final.soloist) % 3] += 1
    assert min(drawn[1], drawn[2]) >= 8
    assert game.declarer == final.soloist


def test_probabilities_that_come_true_are_called_calibrated() -> None:
    """The true worlds are drawn from a weighted belief: it is calibrated, a uniform one is not."""
    weights = np.random.default_rng(0).choice([1.0, 12.0], (32, 4))
    rng = np.random.default_rng(1)

    class Weighted(UniformSampler):
        def posterior(self, view: Any, rng: np.random.Generator) -> Belief:
            return Belief(view, weights)

    config = MeasureConfig("skat", ("weighted", "uniform"))
    scratch = np.zeros(2, RECORD)
    for final in [record.state for record in records_of(GAMES) if record.state.plays()][:150]:
        for state in positions(final, (final.soloist + 1) % 3)[:8:3]:
            view = state.view(state.to_act)
            drawn = Belief(view, weights)
            world = drawn.state(drawn.sample(1, rng)[0], rng)
            measure_position(Weighted(), world, rng, scratch[0], 0)
            measure_position(UniformSampler(), world, rng, scratch[1], 0)
    scratch["belief"] = 0, 1
    weighted, uniform = summarise(config, scratch)
    assert sum(one.number for one in weighted.reliability) > 5000
    assert weighted.calibration_error < 0.02
    assert weighted.brier.mean < uniform.brier.mean
    spread = [one for one in weighted.reliability if one.number > 200]
    assert len(spread) > 6
    assert all(abs(one.said - one.true) < 0.06 for one in spread)


def records_of(path: Path) -> list[GameRecord]:
    return [GameRecord.parse(line) for line in path.read_text().splitlines()]


def test_means_and_intervals_by_hand() -> None:
    records = np.zeros(3, RECORD)
    for name in ("cards", "count", "tssr", "brier", "effective", "fallback", "seconds"):
        records[name] = np.nan
    records["game"] = records["deal"] = 5, 2, 9
    # Two moves each; the third game's second one is in the ninth trick, which does not count.
    records["cards"][:, :2] = [[0, 4], [1, 3], [0, 24]]
    records["count"][:, :2] = [[100, 50], [100, 50], [300, 9]]
    records["tssr"][:, :2] = [[2, 4], [1, 0], [8, 1000]]
    records["brier"][:, :2] = 0.5
    records["fallback"][:, :2] = [[0, 1], [0, 0], [0, 0]]
    records["effective"][:, :2] = [[10, 20], [np.nan, np.nan], [30, 1]]
    records["seconds"][:, :2] = 0.002
    records["bins"][0] = [[10.0, *[0] * 8, 20.0], [0.0] * 10, [0.0] * 10]
    records["bins"][1] = [[10.0, *[0] * 9], [0.8, *[0] * 9], [1.0, *[0] * 9]]
    records["bins"][0][1] = [0.2, *[0] * 8, 19.0]
    records["bins"][0][2] = [1.0, *[0] * 8, 18.0]
    [found] = summarise(MeasureConfig("skat", ("one",)), records)
    means = np.array([3, 0.5, 8])
    half = stats.t.ppf(0.975, 2) * means.std(ddof=1) / np.sqrt(3)
    assert found.tssr == Ratio(
        pytest.approx(means.mean()), pytest.approx(means.mean() - half), pytest.approx(means.mean() + half), 3
    )
    assert found.bits.mean == pytest.approx((1.5 + 0 + 3) / 3)
    assert found.excluded == pytest.approx(1 / 5)
    assert found.fallbacks == pytest.approx(1 / 6)
    assert found.effective_size == pytest.approx(20)
    assert found.milliseconds == pytest.approx(2)
    assert (found.games, found.positions) == (3, 6)
    assert [(point.at, point.tssr.mean, point.oracle) for point in found.by_cards] == [
        (0, 5, 200),
        (1, 1, 100),
        (3, 0, 50),
        (4, 4, 50),
        (24, 1000, 9),
    ]
    assert [point.at for point in found.by_trick] == [1, 2, 9]
    assert found.by_trick[1].tssr.mean == 2
    assert found.calibration_error == pytest.approx((abs(1 - 2) + abs(19 - 18)) / 40)
    assert (found.reliability[0].number, found.reliability[0].said, found.reliability[0].true) == (
        20,
        0.05,
        0.1,
    )


def test_games_of_a_deal_count_as_one(tmp_path: Path) -> None:
    """Of a match's games, several a deal: the same games three times are not more certain than once."""
    lines = [line for line in GAMES.read_text().splitlines()[:60] for _ in range(3)]
    (tmp_path / "games.jsonl").write_text("\n".join(lines) + "\n")
    chosen = choose_games(tmp_path / "games.jsonl", "skat", ALL, 1000, ("suit",))
    assert all(game.deal == game.number - game.number % 3 for game in chosen.games)
    config = MeasureConfig("skat", ("uniform", "locations(features=BDI)"))
    records = np.concatenate([Measurer(config)(game) for game in chosen.games[::3]])
    repeated = np.repeat(records, 3)
    repeated["game"] = np.arange(len(repeated))
    for once, thrice in zip(summarise(config, records), summarise(config, repeated), strict=True):
        assert thrice.games == 3 * once.games
        for name in ("tssr", "bits", "brier"):
            one, three = getattr(once, name), getattr(thrice, name)
            assert (three.mean, three.low, three.high) == pytest.approx((one.mean, one.low, one.high))
            assert three.clusters == one.clusters == once.games


def test_a_folder_of_other_games_is_refused(tmp_path: Path) -> None:
    played = [record for record in records_of(GAMES) if record.state.plays()]
    data, config = tmp_path / "games.jsonl", MeasureConfig("skat", ("uniform",))
    data.write_text(played[0].text() + "\n")
    source = Source(data, split=ALL)
    first = kept_measurement(tmp_path / "out", config, source)
    again = kept_measurement(tmp_path / "out", config, source)
    assert [each.brier.mean for each in first] == [each.brier.mean for each in again]
    data.write_text(
        next(each for each in played[1:] if each.state.kind == played[0].state.kind).text() + "\n"
    )
    with pytest.raises(FileExistsError, match="holds measurements of other games"):
        kept_measurement(tmp_path / "out", config, source)
    few = [Source(GAMES, 2, ("suit",), Split("test", seed, test=0.2)) for seed in (3, 4)]
    kept_measurement(tmp_path / "split", config, few[0])
    with pytest.raises(FileExistsError, match="holds measurements of other games"):
        kept_measurement(tmp_path / "split", config, few[1])


def test_a_result_is_written_again_with_its_measurements(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert command(out, "--no-plot") == 0
    whole = without_time(out)
    result = json.loads((out / "result.json").read_text())
    (out / "result.json").write_text(json.dumps(result | {"qualities": []}))
    (out / "measurements.bin").unlink()
    assert command(out, "--no-plot") == 0
    assert without_time(out) == whole


def test_games_are_those_that_learners_hold_back() -> None:
    split = Split("test", 3, 0.2, 0.3)
    chosen = choose_games(GAMES, "skat", split, 1000)
    part = part_of_game(np.arange(500), 3, (0.2, 0.3))
    numbers = {game.number for game in chosen.games}
    assert numbers
    assert numbers <= set(np.flatnonzero(part == 2).tolist())
    assert len(numbers) + sum(chosen.left_out.values()) == 500
    records = records_of(GAMES)
    for game in chosen.games:
        assert game.position == records[game.number].state.text()
        assert game.type == type_of("skat", records[game.number].state)
    few = choose_games(GAMES, "skat", split, 2)
    assert set(Counter(game.type for game in few.games).values()) == {2}
    assert {game.number for game in few.games} < numbers
    assert few.left_out["more than asked for"] == len(numbers) - len(few.games)
    assert {game.type for game in chosen.games} == set(quality_groups("skat").types)


def test_games_that_cannot_be_measured_are_counted(tmp_path: Path) -> None:
    records = records_of(GAMES)
    played = [record for record in records if record.state.plays()][:5]
    cut = played[0].state.clone()
    cut.undo()
    passed = next(record for record in records if record.state.soloist < 0)
    lines = [record.text() for record in played]
    lines += [GameRecord.of("skat", cut, ["a", "b", "c"]).text(), passed.text(), "{nonsense}"]
    path = tmp_path / "games.jsonl"
    path.write_text("\n".join(lines) + "\n")
    chosen = choose_games(path, "skat", ALL, 10)
    assert [game.number for game in chosen.games] == [0, 1, 2, 3, 4]
    assert chosen.left_out == {"aborted": 1, "without cardplay": 1, "unreadable, or cards hidden": 1}


def test_bad_input_is_reported_in_a_sentence(klaverjas_games: Path, tmp_path: Path) -> None:
    with pytest.raises(ParseError, match="holds games of klaverjas, inference is to be measured in skat"):
        choose_games(klaverjas_games, "skat", ALL, 10)
    with pytest.raises(ParseError, match="holds games of skat, inference is to be measured in klaverjas"):
        choose_games(GAMES, "klaverjas", ALL, 10)
    with pytest.raises(UnknownName, match="unknown game type of skat 'nul': did you mean 'null'"):
        choose_games(GAMES, "skat", ALL, 10, ("nul",))
    with pytest.raises(UnknownName, match="unknown part 'tests'"):
        choose_games(GAMES, "skat", Split("tests"), 10)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="expected at least 1 game and shares of at most 1 together"):
        choose_games(GAMES, "skat", ALL, 0)
    suits = tmp_path / "suits.jsonl"
    lines = GAMES.read_text().splitlines()
    suits.write_text(
        "\n".join(line for line in lines if type_of("skat", GameRecord.parse(line).state) == "suit") + "\n"
    )
    with pytest.raises(ParseError, match="there is no game of null in"):
        choose_games(suits, "skat", ALL, 10, ("suit", "null"))
    with pytest.raises(ParseError, match=r"there is no game of suit or grand .*in the part 'test' of"):
        choose_games(suits, "skat", Split("test", test=0.0), 10)
    for beliefs in ((), ("uniform", "uniform")):
        with pytest.raises(ValueError, match="needs one or more different beliefs"):
            Measurer(MeasureConfig("skat", beliefs))
    with pytest.raises(UnknownName, match="unknown belief for skat 'unifrom': did you mean 'uniform'"):
        Measurer(MeasureConfig("skat", ("unifrom",))).belief("unifrom")
    with pytest.raises(ValueError, match="'cheating' cannot be measured: it does not give the probabilities"):
        Measurer(MeasureConfig("skat", ("cheating",))).belief("cheating")


def command(out: Path | None, *more: str) -> int:
    words = [
        "inference",
        *(() if "--beliefs" in more else ("--beliefs", "uniform")),
        "--data",
        str(GAMES),
        "--part",
        "all",
        "--games",
        "2",
        *more,
    ]
    return main(words if out is None else [*words, "--out", str(out)])


def without_time(path: Path) -> Any:
    result = json.loads((path / "result.json").read_text())
    for quality in result["qualities"]:
        del quality["milliseconds"]
    return result["config"], result["qualities"], result["left_out"]


@pytest.mark.slow
def test_two_workers_find_what_one_finds(tmp_path: Path) -> None:
    pytest.importorskip("safetensors", reason="tables need the extra 'learn'")
    beliefs = ("--beliefs", "uniform", "tables(k=50)", "--no-plot")
    assert command(tmp_path / "one", *beliefs) == 0
    assert command(tmp_path / "two", *beliefs, "--workers", "2") == 0
    assert without_time(tmp_path / "one") == without_time(tmp_path / "two")


def test_a_stopped_measurement_goes_on_where_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert command(out, "--no-plot") == 0
    reported = capsys.readouterr()
    assert "suit, soloist: 2 games" in reported.out
    assert "games left out: more than asked for" in reported.err
    whole, measurements = without_time(out), (out / "measurements.bin").read_bytes()
    (out / "result.json").unlink()
    (out / "measurements.bin").write_bytes(measurements[: len(measurements) // 2 + 99])
    assert command(out, "--no-plot") == 0
    assert without_time(out) == whole
    assert len((out / "measurements.bin").read_bytes()) == len(measurements)
    assert command(out, "--no-plot", "--seed", "1") == 2
    assert "holds another measurement (seed 0 there, 1 here)" in capsys.readouterr().err


@pytest.mark.slow
def test_the_command_draws_and_says_what_made_it(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="figures need the extra 'plot'")
    out = tmp_path / "out"
    assert command(out, "--types", "suit", "null ouvert") == 0
    result = json.loads((out / "result.json").read_text())
    assert {"command", "versions", "commit", "config", "qualities", "left_out"} <= result.keys()
    assert result["config"]["seed"] == 0
    assert {quality["type"] for quality in result["qualities"]} == {"suit", "null ouvert"}
    for name in ("tssr.png", "reliability.png"):
        assert (out / name).read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("words", "reported"),
    [
        (("--beliefs", "unifrom"), "unknown belief for skat 'unifrom'"),
        (("--game", "klaverjas"), "holds games of skat"),
        (("--types", "ramsch"), "unknown game type of skat 'ramsch'"),
        (("--workers", "-1"), "-1 workers"),
    ],
    ids=lambda words: words[0],
)
def test_the_command_says_what_is_wrong(
    words: tuple[str, ...], reported: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(None, *words) == 2
    error = capsys.readouterr().err.splitlines()
    assert reported in error[-1]


def test_klaverjas_by_the_command(klaverjas_games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--game", "klaverjas", "--beliefs", "uniform", "--part", "all", "--games", "4"]
    assert main(["inference", "--data", str(klaverjas_games), *words]) == 0
    reported = capsys.readouterr().out
    assert "deal, declarer: 4 games" in reported
    assert "deal, opponent: 4 games" in reported


def test_datasets_and_lines_have_the_same_games(tmp_path: Path) -> None:
    with DatasetWriter(tmp_path / "games", "skat") as writer:
        for record in records_of(GAMES)[:60]:
            writer.add(record)
    lines = tmp_path / "games.jsonl"
    lines.write_text("\n".join(GAMES.read_text().splitlines()[:60]) + "\n")
    split = Split("train", 0, 0.2, 0.2)
    assert len(Dataset(tmp_path / "games")) == 60
    found = [choose_games(path, "skat", split, 5) for path in (tmp_path / "games", lines)]
    assert [dataclasses.astuple(game) for game in found[0].games] == [
        dataclasses.astuple(game) for game in found[1].games
    ]
