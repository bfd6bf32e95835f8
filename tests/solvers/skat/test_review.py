"""Reviews of games: against plain minimax, against the rules' results, known mistakes, and the command."""

import gzip
import importlib.metadata
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import tyro
from solvers.skat.aim import winning_question

from skat_env.cards import card_text, mask_text, parse_card, parse_mask
from skat_env.cli import main
from skat_env.datasets.importer import import_games
from skat_env.deal import Deal
from skat_env.errors import ParseError
from skat_env.records import GameRecord, Source, Status
from skat_env.skat import SkatState
from skat_env.skat.iss.notation import read, write
from skat_env.skat.rules import BID_VALUES, PLACE_SIZES, Contract, Declaration, SkatRules
from solvers import reference
from solvers.commands.review import Review as ReviewCommand
from solvers.review import NothingToReview, Review, review
from solvers.skat import Solver
from tests.conftest import ROOT
from tests.helpers.sgf_lines import DEAL, TAKEN, played, sgf, state_of

GAMES = ROOT / "skat_env/data/skat_games.jsonl"
DECLARATIONS = ("C", "SH", "H", "D", "G", "N", "NO", "NH", "CHS", "GHS", "DHZ", "GHZ", "GO", "SO")
SOLVER = Solver()


def random_game(rng: np.random.Generator, declaration: str, bid: int, play_out: bool = True) -> SkatState:
    """A game of random cards; the soloist of a null game ducks often, or all would be lost in the first trick."""
    seat = int(rng.integers(3))
    bids = (bid * (seat == 0), bid * (seat == 1), bid * (seat == 2))
    state = SkatState.cardplay(
        Deal.random(rng, PLACE_SIZES), seat, Declaration.parse(declaration), bids, SkatRules(play_out)
    )
    while not state.is_over:
        legal = state.legal_actions()
        low = state.contract == Contract.NULL and state.to_act == seat and rng.random() < 0.9
        state.apply(legal[0] if low else legal[int(rng.integers(len(legal)))])
    return state


def cardplay(
    hands: tuple[str, str, str], skat: str, declaration: str, cards: str, bid: int = 18
) -> SkatState:
    """A game of forehand as the soloist."""
    deal = Deal((*(parse_mask(hand) for hand in hands), parse_mask(skat)))
    state = SkatState.cardplay(deal, 0, Declaration.parse(declaration), (bid, 0, 0))
    for card in cards.split():
        state.apply(parse_card(card))
    return state


def check(found: Review) -> None:
    """What holds for every review."""
    state, null = found.state, found.state.contract == Contract.NULL
    value, wins = found.value, found.wins
    for number, ((seat, card), said) in enumerate(zip(state.plays(), found.cards, strict=True)):
        assert (said.trick, said.seat, said.card) == (number // 3 + 1, seat, card)
        assert (said.before, said.wins_before) == (value, wins)
        value, wins = said.after, said.wins_after
        assert said.cost >= 0
        own_loss = (said.before - said.after) * (1 if (seat == state.soloist) != null else -1)
        assert said.cost == own_loss
        assert bool(said.better) == (said.cost > 0 or said.turns)
        assert card not in said.better
    own = found.costs[state.soloist]
    others = sum(found.costs) - own
    assert found.end_value == (found.value + own - others if null else found.value - own + others)
    assert (found.end_value, found.end_wins) == (value, wins)
    assert Review.parse(found.text()) == found
    if state.is_over:
        result = state.result()
        assert found.end_wins == result.won
        if len(state.plays()) == 30:
            assert found.end_value == ((result.tricks > 0) if null else result.card_points)


@pytest.mark.parametrize("declaration", DECLARATIONS)
def test_endings_are_those_of_plain_minimax(declaration: str) -> None:
    rng = np.random.default_rng(sum(map(ord, declaration)))
    tricks_count = declaration[-1] in "ZO" and declaration[0] != "N"
    for _ in range(12):
        state = random_game(rng, declaration, 18)
        found = review(state, SOLVER)
        aim, null = winning_question(state), state.contract == Contract.NULL
        position = state.clone()
        for _ in range(8):
            position.undo()
        for said in found.cards[-8:]:
            values = reference.action_values(position)
            decisive = reference.action_values(position, tricks=tricks_count)
            assert aim is not None
            assert aim.target is not None
            won = {card: (value >= aim.target) != null for card, value in decisive.items()}
            sign = 1 if position.to_act == position.soloist else -1
            merits = {
                card: (sign * won[card], sign * (-value if null else value)) for card, value in values.items()
            }
            assert said.after == values[said.card]
            assert said.wins_after == won[said.card]
            assert said.before == values[max(merits, key=merits.__getitem__)]
            assert set(said.better) == {card for card in merits if merits[card] > merits[said.card]}
            assert [merits[card] for card in said.better] == sorted(
                (merits[card] for card in said.better), reverse=True
            )
            position.apply(said.card)


@pytest.mark.parametrize("play_out", [True, False])
def test_costs_add_up_and_the_end_is_the_rules_result(play_out: bool) -> None:
    rng = np.random.default_rng(5)
    for declaration in DECLARATIONS * 2:
        bid = int(rng.choice(BID_VALUES[: int(rng.integers(1, 63))]))
        check(review(random_game(rng, declaration, bid, play_out), SOLVER))


@pytest.mark.slow
def test_costs_add_up_in_good_games() -> None:
    for line in GAMES.read_text().splitlines()[:60]:
        record = GameRecord.parse(line)
        if record.status is Status.COMPLETE:
            check(review(record, SOLVER))


def test_a_review_does_not_depend_on_threads_nor_on_what_was_solved_before() -> None:
    state = GameRecord.parse(GAMES.read_text().splitlines()[2]).state
    assert isinstance(state, SkatState)
    first = review(state)
    assert first == review(state, SOLVER) == review(state, SOLVER, threads=2)
    assert state == first.state


JACKS = ("CJ.SJ.HJ.DJ.CA.CT.CK.CQ.C8.C7", "C9.SA.ST.SK.SQ.S9.S8.S7.HA.HT", "DA.DT.DK.DQ.D9.D8.D7.HK.HQ.H9")
"""Only ♣9 can take a trick from forehand, and only from ♣8 and ♣7."""


def test_a_card_that_lets_a_trick_go() -> None:
    open_game = review(cardplay(JACKS, "H8.H7", "GO", "C7 C9 DA"))
    check(open_game)
    assert (open_game.value, open_game.wins, open_game.end_wins) == (120, True, False)
    (turn,) = open_game.turns
    assert turn == open_game.cards[0]
    assert (turn.before, turn.after, turn.cost) == (120, 109, 11)
    assert set(map(card_text, turn.better)) == {"CJ", "SJ", "HJ", "DJ", "CA", "CT", "CK", "CQ"}
    plain = review(cardplay(JACKS, "H8.H7", "GH", "C7 C9 H9"))
    assert not plain.turns
    assert [card.cost for card in plain.cards] == [11, 0, 11]
    assert card_text(plain.cards[2].better[0]) == "DA"
    assert plain.costs == (11, 0, 11)


def test_a_trick_without_points_is_a_schwarz_lost() -> None:
    """♣8 loses to ♣9, and rearhand has to follow with ♣7."""
    hands = (
        "CJ.SJ.HJ.DJ.CA.CT.CK.CQ.C8.DA",
        "C9.SA.ST.SK.SQ.HA.HT.HK.HQ.DT",
        "S9.S8.S7.H9.H8.H7.D9.D8.D7.C7",
    )
    found = review(cardplay(hands, "DQ.DK", "GO", "C8 C9 C7"))
    check(found)
    assert [(card.turns, card.cost) for card in found.cards] == [(True, 0), (False, 0), (False, 0)]
    assert (found.value, found.end_value) == (120, 120)
    assert (found.wins, found.end_wins) == (True, False)


NULL = (
    "D7.D8.D9.H7.H8.H9.S7.S8.S9.C8",
    "DT.DJ.DQ.DK.DA.HA.C7.CT.CJ.CQ",
    "C9.HT.HJ.HQ.HK.ST.SJ.SQ.SK.SA",
)
"""Forehand must lead ♣8 at once: else rearhand throws ♣9 on a diamond, and ♣7 makes ♣8 take a trick."""


def test_a_null_game_thrown_away_and_given_back() -> None:
    found = review(cardplay(NULL, "CK.CA", "N", "D7 DT HT C7"))
    check(found)
    assert (found.value, found.wins) == (0, True)
    assert [(card.seat, card_text(card.card), card.cost) for card in found.turns] == [
        (0, "D7", 1),
        (1, "C7", 1),
    ]
    assert [card_text(card) for card in found.cards[0].better] == ["C8"]
    assert found.end_wins
    assert review(cardplay(NULL, "CK.CA", "N", "C8 C7 C9")).costs == (0, 0, 0)


def test_a_null_game_that_is_overbid_cannot_be_won() -> None:
    found = review(cardplay(NULL, "CK.CA", "N", "D7", bid=24))
    check(found)
    assert found.aim is None
    assert not found.wins
    assert not found.turns
    assert found.cards[0].cost == 1


@pytest.mark.parametrize(
    ("declaration", "bid", "needs"),
    [
        ("G", 96, {"card_points": 61}),
        ("GH", 168, {"card_points": 90}),
        ("GH", 192, {"tricks": 10}),
        ("GH", 144, {"card_points": 61}),
        ("G", 144, {"card_points": 90}),
        ("G", 168, {"tricks": 10}),
        ("G", 180, None),
        ("GHS", 168, {"card_points": 90}),
        ("GHS", 216, {"tricks": 10}),
        ("GHS", 240, None),
        ("GHZ", 240, {"tricks": 10}),
        ("GO", 264, {"tricks": 10}),
        ("GHZ", 264, None),
        ("C", 108, {"card_points": 61}),
        ("C", 117, {"card_points": 90}),
        ("C", 132, {"tricks": 10}),
        ("N", 23, {"tricks": 0}),
        ("N", 24, None),
        ("NO", 46, {"tricks": 0}),
    ],
)  # fmt: skip
def test_what_the_bid_asks_for(declaration: str, bid: int, needs: dict[str, int] | None) -> None:
    """Grand with 4: 5 levels; clubs with 8."""
    found = review(cardplay(JACKS, "H8.H7", declaration, "CJ", bid))
    assert found.fields()["review"]["needs"] == needs
    assert found.wins == (needs is not None and needs != {"tricks": 0})


def test_a_claimed_game() -> None:
    state = cardplay(JACKS, "H8.H7", "GH", "C7 C9 DA")
    record = GameRecord("skat", state, ("a", "b", "c"), Status.CLAIMED, True)
    found = review(record)
    check(found)
    assert found.end_value == 109
    unplayed = cardplay(JACKS, "H8.H7", "GH", "")
    record = GameRecord("skat", unplayed, ("a", "b", "c"), Status.CLAIMED, True)
    found = review(record)
    check(found)
    assert (found.cards, found.value, found.end_value) == ((), 120, 120)


def test_games_without_cardplay() -> None:
    with pytest.raises(NothingToReview, match="everybody passed"):
        review(state_of("1 p 2 p 0 p "))
    for moves in ("1 18 ", TAKEN, TAKEN + "1 C.S8.H7 "):
        with pytest.raises(NothingToReview, match="ended before the first card"):
            review(state_of(moves))


def test_a_line_that_is_no_review() -> None:
    text = review(cardplay(JACKS, "H8.H7", "GH", "C7 C9 H9")).text()
    assert Review.parse(text).text() == text
    for wrong in (
        "",
        "[]",
        "{}",
        text[:-1],
        text.replace('"costs":[11,0,11]', '"costs":[11,0,12]'),
        text.replace('"cost":11', '"costs":11', 1),
        text.replace('"card":"C7"', '"card":"C1"'),
        text.replace('"cards":[', '"cards":[1,'),
    ):
        with pytest.raises(ParseError):
            Review.parse(wrong)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with games in every format."""
    lines = GAMES.read_text().splitlines()[:6]
    records = [GameRecord.parse(line) for line in lines]
    (tmp_path / "text").write_text("\n".join(lines) + "\n")
    (tmp_path / "text.gz").write_bytes(gzip.compress((tmp_path / "text").read_bytes()))
    (tmp_path / "sgf").write_text("".join(write(record) + "\n" for record in records))
    import_games(tmp_path / "text", tmp_path / "dataset", workers=1)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], command: ReviewCommand) -> tuple[int, str, str]:
    capsys.readouterr()
    status = command.run()
    return status, *capsys.readouterr()


def test_every_format_gives_the_same_reviews(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = []
    for name in ("text", "text.gz", "sgf", "dataset"):
        status, out, err = run(capsys, ReviewCommand(files / name, json=True))
        assert (status, err.strip()) == (0, "6 reviewed")
        rows.append([json.loads(line)["review"] for line in out.splitlines()])
        assert [Review.parse(line).text() for line in out.splitlines()] == out.splitlines()
    assert rows[0] == rows[1] == rows[2] == rows[3]
    assert len(rows[0]) == 6


def test_one_game(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = review(GameRecord.parse((files / "text").read_text().splitlines()[2]))
    for wanted in ("2", "sample/0/2"):
        status, out, _ = run(capsys, ReviewCommand(files / "text", wanted, json=True))
        assert (status, out) == (0, expected.text() + "\n")


def test_the_table(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, ReviewCommand(files / "text"))
    assert (status, err.strip()) == (0, "6 reviewed")
    assert max(map(len, out.splitlines())) <= 80
    status, out, _ = run(capsys, ReviewCommand(files / "text", "2"))
    for words in (
        "grand, bid 48: rearhand plays alone and needs 61 card points",
        "3   rearhand *   ♠A     67 → 55     12   ??   ♥7 ♥8 ♥9 ♥Q ♣A ♠8",
        "Perfect play from the first card: the soloist wins with 64 card points.",
        "trick  3: rearhand gave the game away with ♠A (67 → 55), ♥7 was better",
        "trick  6: middlehand gave it back with ♣10 (55 → 61), ♠10 was better",
        "From then on: the soloist wins with 61 card points.",
        "Cost: forehand 10, middlehand 6, rearhand * 19 card points.",
        "64 - 19 + 16 = 61: the soloist won with 61 card points, value 48.",
    ):
        assert words in out
    positions = [out.index(f"\n{trick:>6}   ") for trick in range(1, 11)]
    assert positions == sorted(positions)


def test_the_table_of_unfinished_games(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = "[red]" * 12, "b" * 100, "c"
    state = cardplay(JACKS, "H8.H7", "GH", "C7 C9 DA")
    claimed = GameRecord("skat", state, names, Status.CLAIMED, False)
    null = GameRecord("skat", cardplay(NULL, "CK.CA", "N", "D7 DT HT"), names, Status.ABORTED)
    (tmp_path / "x").write_text(claimed.text() + "\n" + null.text() + "\n")
    status, out, _ = run(capsys, ReviewCommand(tmp_path / "x"))
    assert status == 0
    assert max(map(len, out.splitlines())) <= 80
    words = " ".join(out.split())
    assert "Claimed after 3 cards, the rest for the defenders: the soloist lost with 0 card points" in words
    assert "perfect play from there: the soloist wins with 109 card points." in words
    assert "no → yes 1 ?? ♣8" in words
    assert "Broken off after 3 cards; perfect play from there: the soloist loses, with a trick." in words
    assert "[red][red]" in out


def test_games_that_cannot_be_reviewed_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = sgf(played(TAKEN + "1 C.S8.H7"))
    hidden = sgf(played(TAKEN + "1 C.S8.H7", 5) + " 1 RE", deal=".".join(["??"] * 20 + DEAL.split(".")[20:]))
    left = sgf(TAKEN + "1 C.S8.H7 w LE.2")
    broken = sgf(played(TAKEN + "1 C.S8.H7", 5) + " w LE.2")
    lines = (good, sgf("1 p 2 p 0 p"), hidden, left, broken, good[:-30])
    (tmp_path / "x").write_text("\n".join(lines) + "\n")
    status, out, err = run(capsys, ReviewCommand(tmp_path / "x"))
    assert status == 1
    assert "Broken off after 5 cards (seat 2 left)" in " ".join(out.split())
    said = err.splitlines()
    assert said[0] == f"{tmp_path}/x:2, game 7: the game has no cardplay: everybody passed"
    assert said[1] == f"{tmp_path}/x:3, game 7: cards of forehand and middlehand are hidden"
    assert said[2].endswith(
        "x:4, game 7: the game has no cardplay: it ended before the first card (seat 2 left)"
    )
    assert said[3].startswith(f"{tmp_path}/x:6: expected a game")
    assert said[4] == "2 reviewed, 2 without cardplay, 1 with hidden cards, 1 malformed"


def test_games_of_the_server(shared: Callable[[str], Path], capsys: pytest.CaptureFixture[str]) -> None:
    path = shared("data/skat/iss_games.sgf")
    for line in path.read_text().splitlines():
        record = read(line).record
        if record.state.soloist >= 0 and record.status is not Status.ABORTED:
            check(review(record, SOLVER))


def test_bad_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = importlib.metadata.EntryPoint("review", "solvers.commands.review:Review", "skat_env.commands")
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [entry])
    records = [
        replace(
            GameRecord.of("skat", cardplay(JACKS, "H8.H7", "GH", "CJ"), ("a", "b", "c")),
            source=Source(server, series, number),
        )
        for server, series, number in (("A B", 1, 5), ("A B", 2, 5), ("A B", 2, 6), ("C", 0, 1234))
    ]
    many = [replace(records[0], source=Source("C", 0, number)) for number in range(100, 120)]
    for name, lines in {
        "few": [record.text() for record in records],
        "many": [record.text() for record in many],
        "passed": [sgf("1 p 2 p 0 p")],
        "nameless": [replace(records[0], source=None).text(), "{}"],
        "empty": [],
        "prose": ["Once upon a time"],
    }.items():
        (tmp_path / name).write_text("".join(line + "\n" for line in lines))
    for words, sentence in {
        "few --id 5": "has 2 games with the id 5, which one is meant: 'A B/1/5', 'A B/2/5'?",
        "few --id 7": "has no game with the id '7': its games have the ids 5, 6, 1234",
        "few --id x": "has no game with the id 'x'",
        "many --id 121": "its games have 20 ids from 100 to 119, the nearest are 119, 118, 117",
        "nameless --id 1": "its games have no ids (1 of its lines cannot be read)",
        "passed": "has no game to review",
        "empty": "is not a file of games: it is empty",
        "prose": "is not a file of games",
        "missing": "No such file",
        "few --threads 65": "threads",
    }.items():
        name, *options = words.split()
        capsys.readouterr()
        assert main(["review", str(tmp_path / name), *options]) == 2, words
        out, err = capsys.readouterr()
        last = err.splitlines()[-1]
        assert last.startswith("skat-env: ")
        assert sentence in last
        assert "Traceback" not in err
        assert out == ""
    assert main(["review", str(tmp_path / "few"), "--id", "A B/2/5", "--json"]) == 0
    found = Review.parse(capsys.readouterr().out)
    assert found.record == records[1]
    assert mask_text(found.state.hands[0]) == mask_text(records[1].state.places[0])


def test_the_command_line() -> None:
    assert tyro.cli(ReviewCommand, args=["x.sgf"]) == ReviewCommand(Path("x.sgf"))
    words = ["x", "--id", "7", "--json", "--threads", "2"]
    assert tyro.cli(ReviewCommand, args=words) == ReviewCommand(Path("x"), "7", True, 2)
