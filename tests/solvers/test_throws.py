"""Throws and gifts of many games: a plain count finds the same, and what one side throws is given to the other."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from skat_env.match.statistics import ratio
from skat_env.records import GameRecord
from skat_env.registry import get_game
from skat_env.solvers.review import Review, review, reviewed_game
from skat_env.solvers.throws import ALL, ThrowRow, Throws
from tests.conftest import random_games
from tests.helpers.reviews import run

GAMES = ("skat", "klaverjas")


def reviews_of(name: str, count: int = 12) -> list[Review]:
    """Reviews of random games, whose players change seats."""
    game = get_game(name)
    found = []
    for number, state in enumerate(random_games(game, 3 * count, 5)):
        if state.outcome() is not None and state.plays():
            agents = tuple("ann" if (seat + number) % 3 else "bob" for seat in range(len(game.seats)))
            found.append(review(GameRecord.of(name, state, agents)))
    return found[:count]


def rows_of(reviews: list[Review]) -> dict[tuple[str, str, str], ThrowRow]:
    throws = Throws()
    for each in reviews:
        throws.add(each)
    return {(row.agent, row.role, row.trick): row for row in throws.rows()}


@pytest.mark.parametrize("game", GAMES)
def test_a_plain_count_finds_the_same(game: str) -> None:
    reviews = reviews_of(game)
    sides = reviewed_game(game).sides
    thrown: Counter[tuple[str, str, str]] = Counter()
    given: Counter[tuple[str, str, str]] = Counter()
    won: Counter[tuple[str, str, str]] = Counter()
    lost: Counter[tuple[str, str, str]] = Counter()
    for each in reviews:
        agents = each.record.agents
        for number, card in enumerate(each.cards):
            state = each.state.clone()
            while len(state.plays()) > number:
                state.undo()
            side = state.side(card.seat)
            if len(state.legal_actions()) == 1 or card.wins_before != (side == 0):
                continue
            enemies = {agents[seat] for seat in range(len(agents)) if state.side(seat) != side}
            assert card.turns == (card.wins_after != card.wins_before)
            won[agents[card.seat], sides[side], str(card.trick)] += 1
            thrown[agents[card.seat], sides[side], str(card.trick)] += card.turns
            for enemy in enemies:
                lost[enemy, sides[1 - side], str(card.trick)] += 1
                given[enemy, sides[1 - side], str(card.trick)] += card.turns
    rows = rows_of(reviews)
    seen = 0
    for key, row in rows.items():
        if ALL not in key:
            assert (row.thrown.chances, row.thrown.times) == (won[key], thrown[key])
            assert (row.given.chances, row.given.times) == (lost[key], given[key])
            seen += row.thrown.times
    assert seen == sum(len(each.turns) for each in reviews) > 0
    assert set(rows) >= set(won) | set(lost)


@pytest.mark.parametrize("game", GAMES)
def test_what_one_side_throws_is_given_to_the_other(game: str) -> None:
    rows = rows_of(reviews_of(game))
    first, second = reviewed_game(game).sides
    for agent, role, trick in rows:
        if agent == ALL and role == first:
            other = rows[ALL, second, trick]
            assert rows[ALL, first, trick].thrown == other.given
            assert rows[ALL, first, trick].given == other.thrown
    whole = rows[ALL, ALL, ALL]
    assert whole.thrown == whole.given
    for place in ("chances", "times"):
        assert getattr(whole.thrown, place) == sum(
            getattr(rows[agent, ALL, ALL].thrown, place) for agent in ("ann", "bob")
        )


def test_intervals_are_of_games() -> None:
    """The same game twice is two games that agree, not twice as many cards."""
    reviews = reviews_of("klaverjas")
    rows = rows_of(reviews)
    chances, times = [], []
    for each in reviews:
        row = rows_of([each])[ALL, ALL, ALL]
        chances.append(row.thrown.chances)
        times.append(row.thrown.times)
    assert rows[ALL, ALL, ALL].thrown.share == ratio(np.array(times), np.array(chances))
    single = rows_of(reviews[:1])[ALL, ALL, ALL].thrown.share
    assert single is not None
    assert single.clusters == 1


@pytest.mark.parametrize("game", GAMES)
def test_the_command_prints_a_table(game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.jsonl"
    reviews = reviews_of(game, 4)
    unplayed = get_game(game).state.random(np.random.default_rng(1))
    records = [*(each.record for each in reviews), GameRecord.of(game, unplayed, reviews[0].record.agents)]
    path.write_text("".join(record.text() + "\n" for record in records))
    status, out, err = run(capsys, path, "--table")
    assert status == 0
    assert err == "4 reviewed, 1 without cardplay\n"
    assert max(map(len, out.splitlines())) <= 80
    for word in ("ann", "bob", *reviewed_game(game).sides, "thrown", "given"):
        assert word in out
    status, out, _ = run(capsys, path, "--table", "--json")
    found = json.loads(out)
    assert status == 0
    assert {"command", "versions", "commit"} <= set(found)
    assert found["games"] == 4
    rows = rows_of(reviews)
    assert len(found["rows"]) == len(rows)
    for fields in found["rows"]:
        row = rows[fields["agent"], fields["role"], fields["trick"]]
        assert (fields["thrown"]["times"], fields["given"]["chances"]) == (
            row.thrown.times,
            row.given.chances,
        )


def test_a_table_is_of_one_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.jsonl"
    records = [reviews_of(game, 1)[0].record for game in GAMES]
    path.write_text("".join(record.text() + "\n" for record in records))
    status, out, err = run(capsys, path, "--table")
    assert (status, out) == (2, "")
    assert "of one game: found skat and klaverjas" in err
