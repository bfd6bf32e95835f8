"""Reviews of Skat: against plain minimax, against the rules' results, known mistakes, and the printed table."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from skat_env.cards import card_text, parse_card, parse_mask
from skat_env.deal import Deal
from skat_env.records import GameRecord, Status
from skat_env.skat import SkatState
from skat_env.skat.iss.notation import read
from skat_env.skat.rules import BID_VALUES, PLACE_SIZES, Contract, Declaration, SkatRules
from skat_env.solvers.review import NothingToReview, review
from skat_env.solvers.skat import Solver
from skat_env.solvers.skat.winning import winning_question
from tests.conftest import ROOT
from tests.helpers import minimax
from tests.helpers.reviews import check, run
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


@pytest.mark.parametrize("declaration", DECLARATIONS)
def test_endings_are_those_of_plain_minimax(declaration: str) -> None:
    rng = np.random.default_rng(sum(map(ord, declaration)))
    counted = "tricks" if declaration[-1] in "ZO" and declaration[0] != "N" else "points"
    for _ in range(12):
        state = random_game(rng, declaration, 18)
        found = review(state, SOLVER)
        asked, null = winning_question(state), state.contract == Contract.NULL
        position = state.clone()
        for _ in range(8):
            position.undo()
        for said in found.cards[-8:]:
            values = minimax.action_values(position, "points")
            decisive = minimax.action_values(position, counted)
            assert asked is not None
            assert asked.target is not None
            won = {card: (value >= asked.target) != null for card, value in decisive.items()}
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
    assert winning_question(found.state) is None
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


def test_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, GAMES, "--id", "2")
    assert (status, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
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
    status, out, _ = run(capsys, tmp_path / "x")
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
    status, out, err = run(capsys, tmp_path / "x")
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


@pytest.mark.slow
def test_games_of_the_server(shared: Callable[[str], Path], capsys: pytest.CaptureFixture[str]) -> None:
    path = shared("data/skat/iss_games.sgf")
    for line in path.read_text().splitlines():
        record = read(line).record
        if record.state.soloist >= 0 and record.status is not Status.ABORTED:
            check(review(record, SOLVER))


def test_a_file_without_cardplay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x").write_text(sgf("1 p 2 p 0 p") + "\n")
    status, out, err = run(capsys, tmp_path / "x")
    assert (status, out) == (2, "")
    assert err.splitlines()[-1] == f"skat-env: {tmp_path / 'x'} has no game to review"
