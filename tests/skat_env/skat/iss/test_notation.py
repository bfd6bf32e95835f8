"""The SGF of the ISS: every feature of the grammar, the server's results, what cannot be read."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skat_env.cards import CARD_TEXTS, parse_mask
from skat_env.datasets.formats import format_of
from skat_env.errors import ParseError
from skat_env.records import GameRecord, HiddenCards, Source, Status, parse_date
from skat_env.skat import Declaration, SkatRules, SkatState
from skat_env.skat.iss.notation import SgfGame, read, write
from skat_env.skat.iss.server_result import ServerResult
from skat_env.skat.rules import Announcement, Contract, Phase, Start
from tests.conftest import random_skat_games
from tests.helpers.sgf_lines import BY_HAND, DEAL, TAKEN, played, sgf, state_of, value_or_refusal

EIGHTEEN = "1 18 0 y 1 20 0 y 1 22 0 y 1 23 0 y 1 24 0 p 2 p "


def result(moves: str, **changes: object) -> str:
    """The server's result of some moves by the rules."""
    game = SgfGame.of(SgfGame.parse(sgf(moves)).record)
    assert game.result is not None
    words = game.result.text().split()
    for key, value in changes.items():
        words = [f"{key}:{value}" if word.startswith(f"{key}:") else word for word in words]
    return " ".join(words)


# The recorded games of the server are the referee.


def test_results_of_the_server(shared: Callable[[str], Path]) -> None:
    counts: Counter[Status] = Counter()
    for line in shared("data/skat/iss_games.sgf").read_text().splitlines():
        game = SgfGame.parse(line)
        counts[game.record.status] += 1
        assert game.differences() == (None if game.record.status is Status.ABORTED else ())
        if game.record.status is not Status.ABORTED:
            assert game.result is not None
            assert game.record.returns() == game.record.result == game.result.returns()
        again = SgfGame.parse(game.text())
        assert (again.record, again.result, again.ratings) == (game.record, game.result, game.ratings)
    assert counts == {Status.COMPLETE: 18, Status.CLAIMED: 7, Status.PASSED: 3, Status.ABORTED: 2}


def test_games_that_the_server_broke_off_come_back_whole(shared: Callable[[str], Path]) -> None:
    lines = shared("data/skat/iss_games.sgf").read_text().splitlines()
    broken = [line for line in lines if " w LE." in line or " w TI." in line]
    assert len(broken) == 3
    for line in broken:
        game = SgfGame.parse(line)
        again = SgfGame.parse(write(GameRecord.parse(game.record.text())))
        assert (again.record, again.reason) == (game.record, game.reason)
        assert again.result is not None
        assert again.result.text() == value_of(line, "R")
        assert value_of(again.text(), "MV").split()[-2:] == value_of(line, "MV").split()[-2:]


def value_of(line: str, name: str) -> str:
    """The value of a property."""
    return line.partition(f"]{name}[")[2].partition("]")[0]


# The auction.


def test_forehand_takes_the_game_after_two_passes() -> None:
    state = state_of("1 p 2 p 0 18")
    assert (state.soloist, state.bid, state.phase) == (0, 18, Phase.PICK_UP)
    assert SgfGame.parse(sgf("1 p 2 p 0 p")).record.status is Status.PASSED


def test_jump_bids_are_expanded_into_steps() -> None:
    jumped = state_of("1 18 0 y 1 24 0 p 2 30 1 y 2 p")
    stepped = state_of("1 18 0 y 1 20 0 y 1 22 0 y 1 23 0 y 1 24 0 p 2 27 1 y 2 30 1 y 2 p")
    assert jumped == stepped
    assert (jumped.soloist, jumped.bid, jumped.bids) == (1, 30, (23, 30, 30))


def test_forehand_jumps_where_nobody_can_hold() -> None:
    state = state_of("1 p 2 p 0 30")
    assert (state.soloist, state.bid, state.start) == (0, 30, Start.AUCTION_GIVEN)
    game = SgfGame.parse(sgf(played("1 p 2 p 0 30 0 s w H7.D7 0 C.H7.D7", last=True)))
    assert game.record.state.start == Start.AUCTION_GIVEN
    assert SgfGame.parse(game.text()).record == game.record


@pytest.mark.parametrize(
    ("moves", "expected"),
    [
        ("1 y", "expected a bid or p"),
        ("1 18 0 20", "expected the answer y or p"),
        ("1 19", "expected a bid or p"),
        ("1 20 0 y 1 18", "expected a bid above 20"),
        ("0 18", "it is the turn of 1"),
        ("1 18 1 p", "it is the turn of 0"),
        ("1 p 2 p 0 p 0 18", "it is the turn of nobody"),
        ("1 p 2", "the last mover '2' has no move"),
        ("3 p", "expected a mover 0, 1, 2 or w"),
    ],
)
def test_malformed_auctions(moves: str, expected: str) -> None:
    with pytest.raises(ParseError, match=expected):
        SgfGame.parse(sgf(moves))


# Declarations.


def test_contract_and_discards_as_one_move_or_two() -> None:
    assert state_of(TAKEN + "1 G.S8.H9") == state_of(TAKEN + "1 G 1 S8.H9")
    assert state_of(TAKEN + "1 NO.CJ.DA") == state_of(TAKEN + "1 NO 1 CJ.DA")
    assert state_of(TAKEN + "1 G").phase == Phase.DISCARD


@pytest.mark.parametrize(
    ("text", "hand", "announcement"),
    [
        ("C", True, Announcement.NONE),
        ("CH", True, Announcement.NONE),
        ("CHS", True, Announcement.SCHNEIDER),
        ("CSH", True, Announcement.SCHNEIDER),
        ("CS", True, Announcement.SCHNEIDER),
        ("CHZ", True, Announcement.SCHWARZ),
        ("CZSH", True, Announcement.SCHWARZ),
        ("CO", True, Announcement.OUVERT),
        ("GO", True, Announcement.OUVERT),
        ("GOSZH", True, Announcement.OUVERT),
        ("NOH", True, Announcement.OUVERT),
        ("NHO", True, Announcement.OUVERT),
        ("NO", True, Announcement.OUVERT),
        ("N", True, Announcement.NONE),
    ],
)
def test_declarations_without_a_pick_up_are_hand_games(
    text: str, hand: bool, announcement: Announcement
) -> None:
    state = state_of(BY_HAND + f"1 {text}")
    assert state.phase == Phase.PLAY
    assert state.declaration == Declaration(Contract("DHSCGN".index(text[0])), hand, announcement)


def test_ouvert_declarations_may_list_the_hand() -> None:
    hand = "CJ.SJ.CK.CQ.HA.HT.H9.DA.DT.S8"
    plain = state_of(BY_HAND + "1 CO")
    assert state_of(BY_HAND + f"1 CO.{hand}") == plain
    laid = state_of(TAKEN + "1 NO.CJ.SJ")
    left = "CK.CQ.HA.HT.H9.DA.DT.S8.H7.D7"
    assert state_of(TAKEN + f"1 NO.CJ.SJ.{left}") == laid
    assert state_of(TAKEN + f"1 NO.{left} 1 CJ.SJ") == laid
    assert state_of(TAKEN + f"1 NO 1 CJ.SJ.{left}") == laid
    with pytest.raises(ParseError, match="seat 1 does not hold SA"):
        state_of(BY_HAND + f"1 CO.{hand.replace('S8', 'SA')}")


@pytest.mark.parametrize(
    ("moves", "expected"),
    [
        (TAKEN + "1 CO.S8.H9", "a hand game is declared, but the skat was picked up"),
        (TAKEN + "1 CH.S8.H9", "a hand game is declared"),
        (TAKEN + "1 CS.S8.H9", "only in a hand game"),
        (TAKEN + "1 X", "is not a declaration"),
        (TAKEN + "1 C.S8", "expected two discards or no cards"),
        (BY_HAND + "1 CH.S8.H9", "expected no cards"),
        (TAKEN + "1 C.S8.S8", "S8 is not legal"),
        (TAKEN + "1 C.S8.XX", "'XX' is not a card"),
        (TAKEN + "1 C.S8.SA", "SA is not legal"),
        (TAKEN + "1 C 1 S8", "expected the two discards"),
        (BY_HAND + "1 NS", "never schneider"),
        ("1 18 0 p 2 p 1 s w H7.D8", "the deal has D7.H7 in the skat"),
        ("1 18 0 p w H7.D7", "expected LE.n, TI.n, or after 's'"),
        (BY_HAND + "0 CH", "it is the turn of 1"),
    ],
)
def test_malformed_declarations(moves: str, expected: str) -> None:
    with pytest.raises(ParseError, match=expected):
        SgfGame.parse(sgf(moves))


# Play, claims and ends.


@pytest.mark.parametrize(
    ("moves", "expected"),
    [
        ("0 SA 1 HA", "HA is not legal for seat 1"),
        ("1 CJ", "it is the turn of 0"),
        ("0 S9.S8", "expected a card"),
        ("0 SC", "expected SC, and cards if any, from the soloist"),
        ("0 SA 1 SC.SA", "seat 1 does not hold SA"),
    ],
)
def test_malformed_plays(moves: str, expected: str) -> None:
    with pytest.raises(ParseError, match=expected):
        SgfGame.parse(sgf(TAKEN + "1 C.H7.H9 " + moves))


def test_nothing_is_played_after_the_end() -> None:
    moves = played(TAKEN + "1 C.S8.H9")
    with pytest.raises(ParseError, match=r"move \d+, '0 CA': it is the turn of nobody"):
        SgfGame.parse(sgf(moves + " 0 CA"))


def test_who_resigns_loses_the_open_tricks() -> None:
    moves = played(TAKEN + "1 C.S8.H7", 9)
    seat_one = SgfGame.parse(sgf(moves + " 1 RE")).record
    assert (seat_one.status, seat_one.claim) == (Status.CLAIMED, False)
    assert not seat_one.state.result(False).won
    for end in (" 0 RE 2 RE", " 0 RE", " 1 SC", " 1 SC 0 RE", " 1 SC.CJ.SJ 2 RE 0 RE"):
        record = SgfGame.parse(sgf(moves + end)).record
        assert (record.status, record.claim) == (Status.CLAIMED, True)
        ours = record.state.result(True)
        assert ours.card_points == 120 - record.state.points[1]
        assert ours.tricks == 10 - record.state.tricks[1]


def test_resignations_in_null() -> None:
    moves = played(TAKEN + "1 N.CJ.HA", 3)
    won = SgfGame.parse(sgf(moves + " 0 RE 2 RE", "d:1 win v:23 m:0 bidok p:13 t:0 s:0 z:0"))
    assert won.differences() == ()
    lost = SgfGame.parse(sgf(moves + " 1 RE", "d:1 loss v:-46 m:0 bidok t:0 s:0 z:0"))
    assert lost.differences() == ()


def test_play_that_goes_on_after_a_resignation() -> None:
    moves = played(TAKEN + "1 C.S8.H7")
    head, _, tail = moves.partition("1 C.S8.H7")
    words = tail.split()
    after = f"{head}1 C.S8.H7 {' '.join(words[:8])} 1 SC 0 RE {' '.join(words[8:])}"
    assert SgfGame.parse(sgf(after)).record == SgfGame.parse(sgf(moves)).record


@pytest.mark.parametrize(
    ("moves", "reason"),
    [
        ("1 p w TI.2", "seat 2 ran out of time"),
        ("1 18 0 p w LE.2", "seat 2 left"),
        ("1 18 0 p", "the moves end in the phase bid"),
        (TAKEN, "the moves end in the phase contract"),
        (TAKEN + "1 C w TI.1", "seat 1 ran out of time"),
        (TAKEN + "1 C.S8.H7 0 SA", "the moves end in the play"),
        (TAKEN + "1 C.S8.H7 0 SA w LE.0 1 RE", "seat 0 left"),
    ],
)
def test_aborted_games(moves: str, reason: str) -> None:
    game = SgfGame.parse(sgf(moves, "d:-1 penalty v:0 m:0 bidok p:0 t:0 s:0 z:0 p0:0 p1:0 p2:1 l:-1 to:2"))
    assert (game.record.status, game.reason, game.differences()) == (Status.ABORTED, reason, None)
    assert game.record.result == (0, 0, 0)
    assert SgfGame.parse(game.text()).record == game.record


def test_a_judged_game_keeps_the_servers_points() -> None:
    game = SgfGame.parse(sgf(TAKEN + "1 C.S8.H7 0 SA w LE.0", "d:1 win v:96 m:1 bidok p:120 t:10"))
    assert game.record.status is Status.ABORTED
    assert game.record.result == (0, 146, 0)
    assert SgfGame.of(game.record).result == game.result
    assert SgfGame.of(replace(game.record, ending="")).result == ServerResult("win", 1, 96)
    lost = ServerResult.parse("d:1 loss v:-288 m:-11 bidok")
    assert lost.returns() == (40, -338, 40)
    assert ServerResult.of_points((40, -338, 40)) == ServerResult("loss", 1, -288)


def judged(moves: str, soloist_wins: bool) -> str:
    """The result if the tricks after these moves go to the soloist, or to the defenders."""
    state = state_of(moves)
    return ServerResult.of(state.result(soloist_wins), True).text()


@pytest.mark.parametrize(
    ("end", "soloist_wins"),
    [
        ("w LE.0", True),
        ("w TI.2", True),
        ("N ?? w LE.2", True),
        ("w TI.1", False),
        ("w LE.1 0 RE", False),
        ("1 SC w LE.2 w LE.1", True),
    ],
)
def test_tricks_that_the_server_gave_away(end: str, soloist_wins: bool) -> None:
    moves = played(TAKEN + "1 C.S8.H7", 9)
    end = end.replace("N", str(state_of(moves).to_act))
    won, lost = judged(moves, True), judged(moves, False)
    assert won != lost
    line = sgf(f"{moves} {end}", won if soloist_wins else lost)
    game = SgfGame.parse(line)
    assert (game.record.status, game.record.claim, game.reason) == (Status.CLAIMED, soloist_wins, "")
    assert game.differences() == ()
    assert game.record.returns() == game.record.result
    assert game.text().endswith(line[line.index(f" {end} ]R[") :])
    assert SgfGame.parse(game.text()) == game
    assert write(GameRecord.parse(game.record.text())) == game.text()
    otherwise = SgfGame.parse(sgf(f"{moves} {end}", lost if soloist_wins else won))
    assert (otherwise.record.status, otherwise.differences()) == (Status.ABORTED, None)
    assert otherwise.reason.startswith("seat ")
    assert SgfGame.parse(sgf(f"{moves} {end}")).record.status is Status.ABORTED


def test_who_leaves_after_the_end_changes_nothing() -> None:
    moves = played(TAKEN + "1 C.S8.H7")
    line = sgf(moves + " w LE.2", result(moves) + " l:2")
    game = SgfGame.parse(line)
    assert (game.record.status, game.differences()) == (Status.COMPLETE, ())
    assert game.record.state == SgfGame.parse(sgf(moves)).record.state
    assert SgfGame.parse(write(game.record)) == game
    passed = SgfGame.parse(sgf("1 p 2 p 0 p w TI.1", "passed"))
    assert passed.record.status is Status.PASSED


@pytest.mark.parametrize(
    "moves",
    [
        "1 p w TI.2",
        TAKEN + "w TI.1",
        TAKEN + "1 C w TI.1",
        TAKEN + "1 C.S8.H7 0 SA w LE.0 1 RE",
        TAKEN + "1 C.??.?? 0 SA 1 CJ 2 S7 w LE.2",
        TAKEN + "1 C 1 S8.?? 0 SA 2 RE",
        TAKEN + "1 C.S8.H7 w TI.0 0 SA 1 CJ",
        TAKEN + "1 C.S8.H7 0 ?? 1 S9",
        TAKEN + "1 C.S8.H7 1 SC 0 SA 0 RE w LE.0",
    ],
)
@pytest.mark.parametrize(
    "said", [None, "d:-1 penalty v:0 m:0 bidok p:3 t:1 s:0 z:1 p0:0 p1:2 p2:1 l:-1 to:2 r:0"]
)
def test_the_end_of_an_aborted_game_is_kept(moves: str, said: str | None) -> None:
    game = SgfGame.parse(sgf(moves, said))
    assert game.record.status is Status.ABORTED
    again = SgfGame.parse(write(GameRecord.parse(game.record.text())))
    assert again == game
    assert again.result == (None if said is None else ServerResult.parse(said))


def test_endings_are_those_of_the_format() -> None:
    fields = SgfGame.parse(sgf("1 p w TI.2")).record
    assert fields.ending == "MV[w TI.2]"
    with pytest.raises(ParseError, match="the ending 'he left' is not that of a game on the server"):
        write(replace(fields, ending="he left"))
    with pytest.raises(ParseError, match="the ending has characters that cannot be printed"):
        replace(fields, ending="MV[w\n]")


def test_a_penalty_after_all_have_passed_aborts() -> None:
    game = SgfGame.parse(sgf("1 p 2 p 0 p", "d:-1 penalty v:0"))
    assert (game.record.status, game.reason) == (Status.ABORTED, "the server gave a penalty")


def test_null_and_announced_schwarz_stop_or_go_on_when_lost() -> None:
    for declaration in ("1 NOH", "1 CHZ"):
        stopped = SgfGame.parse(sgf(played(BY_HAND + declaration)))
        assert stopped.record.status is Status.COMPLETE
        assert sum(stopped.record.state.tricks) < 10
        start = state_of(BY_HAND + declaration)
        whole = SkatState.new(start.deal, SkatRules(play_out=True))
        for action in start.history():
            whole.apply(action)
        words = [BY_HAND + declaration]
        while not whole.is_over:
            card = whole.legal_actions()[0]
            words.append(f"{whole.to_act} {CARD_TEXTS[card]}")
            whole.apply(card)
        played_on = SgfGame.parse(sgf(" ".join(words)))
        assert played_on.record.state == whole
        assert played_on.record.returns() == stopped.record.returns()
        # Played on, and given up then: the open tricks are nobody's that matters.
        given_up = SgfGame.parse(sgf(" ".join(words[:-3])))
        assert (given_up.record.status, given_up.record.claim) == (Status.CLAIMED, False)
        assert given_up.record.returns() == stopped.record.returns()


# Hidden cards.


def hide(deal: str, *cards: str) -> str:
    return ".".join("??" if word in cards else word for word in deal.split("."))


def hide_places(*places: int) -> str:
    words = DEAL.split(".")
    return ".".join("??" if min(number // 10, 3) in places else word for number, word in enumerate(words))


@pytest.mark.parametrize("hidden", [(0,), (1,), (2,), (3,), (0, 2), (0, 1, 2), (0, 2, 3), (0, 1, 2, 3)])
def test_hidden_cards_are_inferred_from_the_moves(hidden: tuple[int, ...]) -> None:
    moves = played(TAKEN + "1 C.S8.H7")
    assert SgfGame.parse(sgf(moves, deal=hide_places(*hidden))).record == SgfGame.parse(sgf(moves)).record


def test_hidden_cards_of_a_hand_game_and_of_a_view() -> None:
    moves = played(BY_HAND + "1 CH")
    assert SgfGame.parse(sgf(moves, deal=hide_places(0, 1, 2, 3))).record == SgfGame.parse(sgf(moves)).record
    taken = played(TAKEN + "1 C.S8.H7")
    view = taken.replace("w H7.D7", "w ??.??").replace("C.S8.H7", "C.??.??")
    assert SgfGame.parse(sgf(view)).record.state.deal == state_of(taken).deal
    assert SgfGame.parse(sgf(view)).record.state.skat == parse_mask("S8.H7")


def test_hidden_plays() -> None:
    moves = played(TAKEN + "1 C.S8.H7")
    forced = moves.rsplit(" ", 1)[0] + " ??"
    assert SgfGame.parse(sgf(forced)).record == SgfGame.parse(sgf(moves)).record
    game = SgfGame.parse(sgf(TAKEN + "1 C.S8.H7 0 ?? w LE.1"))
    assert (game.record.status, game.reason) == (Status.ABORTED, "seat 1 left")
    game = SgfGame.parse(sgf(TAKEN + "1 C.S8.H7 0 ??"))
    assert (game.record.status, game.reason) == (Status.ABORTED, "a card of seat 0 is hidden")


def test_what_stays_hidden_aborts() -> None:
    with pytest.raises(HiddenCards, match="cards of forehand and rearhand are hidden") as error:
        SgfGame.parse(sgf(played(TAKEN + "1 C.S8.H7", 9), deal=hide_places(0, 2)))
    assert error.value.source == Source("Test", 3, 7)
    laid = SgfGame.parse(sgf(played(TAKEN + "1 C.S8.H7", 9).replace("C.S8.H7", "C.??.??") + " 1 SC"))
    assert (laid.record.status, laid.reason) == (Status.ABORTED, "the discards are hidden")


@pytest.mark.parametrize(
    ("deal", "expected"),
    [
        (DEAL.replace("CA.", "C7."), "the deal has C7 twice"),
        (DEAL.replace("CA.", "1A."), "'1A' is not a card"),
        (DEAL.replace("CA.", ""), "start with 'w' and the 32 cards"),
        (hide(DEAL, "CA").replace("CT", "C7"), "the deal has C7 twice"),
        (hide(DEAL, "CA", "C7").replace("CT", "1T"), "'1T' is not a card"),
    ],
)
def test_malformed_deals(deal: str, expected: str) -> None:
    with pytest.raises(ParseError, match=expected):
        SgfGame.parse(sgf("1 p 2 p 0 p", deal=deal))


def test_moves_that_contradict_a_hidden_deal() -> None:
    with pytest.raises(ParseError, match=r"contradict the deal|is not legal|twice"):
        SgfGame.parse(sgf(played(TAKEN + "1 C.S8.H7").replace("2 C7", "2 CA"), deal=hide_places(2)))


# Results.


def test_overbid_games() -> None:
    moves = "1 18 0 y 1 72 0 p 2 p 1 s w H7.D7 1 D.S8.H7 0 RE 2 RE"
    game = SgfGame.parse(sgf(moves, "d:1 loss v:-144 m:2 overbid p:120 t:10 s:1 z:1"))
    assert game.differences() == ()
    assert game.record.returns() == (40, -194, 40)


def test_a_loss_with_at_most_thirty_points_counts_schneider_against_the_soloist() -> None:
    game = SgfGame.parse(sgf(TAKEN + "1 G.S8.H7 1 RE", "d:1 loss v:-240 m:2 bidok p:0 t:0 s:1 z:1"))
    assert game.differences() == ()


def test_schwarz_is_judged_by_tricks() -> None:
    deal = (
        "CJ.SJ.HJ.DJ.CA.CT.CK.SA.ST.H7.H8.HT.HA.S7.S8.D9.DT.DJ.C7.C8.H9.HK.HQ.S9.SQ.SK.DA.DK.C9.CQ.D7.D8"
    ).replace("DJ.CA", "DQ.CA")
    moves = played("1 p 2 p 0 18 0 s w D7.D8 0 G.D7.DQ 0 H7 1 H8 2 H9", deal=deal)
    assert SgfGame.parse(sgf(moves, deal=deal)).record.status is Status.COMPLETE
    state = SgfGame.parse(sgf(moves, deal=deal)).record.state
    ours = state.result()
    assert ours.schwarz == (ours.tricks in (0, 10))
    claimed = sgf("1 p 2 p 0 18 0 s w D7.D8 0 G.D7.DQ 0 H7 1 H8 2 H9 2 SQ 1 RE 2 RE", deal=deal)
    record = SgfGame.parse(claimed).record
    ours = record.state.result(True)
    assert (ours.card_points, ours.tricks, ours.schneider, ours.schwarz) == (120, 9, True, False)


@pytest.mark.parametrize(
    ("key", "value", "name"),
    [
        ("v", 23, "list_score"),
        ("m", 3, "matadors"),
        ("p", 61, "card_points"),
        ("t", 1, "tricks"),
        ("d", 0, "declarer"),
    ],
)
def test_differences_from_the_server_are_named(key: str, value: int, name: str) -> None:
    moves = played(TAKEN + "1 C.S8.H7")
    assert SgfGame.parse(sgf(moves, result(moves))).differences() == ()
    found = SgfGame.parse(sgf(moves, result(moves, **{key: value}))).differences()
    assert found is not None
    assert [words.split()[0] for words in found] == [name]
    assert read(sgf(moves, result(moves, **{key: value}))).differences == found


def test_flags_that_differ_are_named() -> None:
    moves = played(TAKEN + "1 C.S8.H7")
    good = result(moves)
    swap = {"bidok": "overbid", "s:0": "s:1", "z:0": "z:1", "win": "loss", "loss": "win"}
    for word in good.split():
        if word in swap:
            found = SgfGame.parse(sgf(moves, good.replace(word, swap[word]))).differences()
            assert found


def test_what_the_server_does_not_say_is_not_compared() -> None:
    moves = played(TAKEN + "1 C.S8.H7")
    sparse = " ".join(
        word for word in result(moves).split() if word[:2] in ("d:", "v:") or word in ("win", "loss")
    )
    assert SgfGame.parse(sgf(moves, sparse + " x:5")).differences() == ()
    assert SgfGame.parse(sgf(moves)).differences() is None
    passed = SgfGame.parse(sgf("1 p 2 p 0 p", "d:0 win v:18"))
    assert passed.differences() == ("declarer 0 should be -1", "verdict win should be passed")[1:]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "lacks passed"),
        ("d:1 v:18", "lacks passed"),
        ("d:1 win", "lacks passed"),
        ("d:1 win loss v:18", "lacks passed"),
        ("d:3 win v:18", "no seat as its soloist"),
        ("d:-1 win v:18", "no seat as its soloist"),
        ("d:one win v:18", "is not a number"),
        ("d:0 win v:721_0", "is not a number"),
        ("d:0 win v:+18", "is not a number"),
        ("d:٠ win v:18", "is not a number"),
        ("d:1 wins v:18", "is not a word of a result"),
    ],
)
def test_malformed_results(text: str, expected: str) -> None:
    with pytest.raises(ParseError, match=expected):
        ServerResult.parse(text)


# Lines and properties.


def test_properties_are_kept() -> None:
    head = r"CO[a \] and a \\]DT[2021-04-30/01:13:30/UTC]"
    names = r"P0[x\]y]P1[b:2]P2[]R0[1.5]R1[null]R2[]"
    game = SgfGame.parse(sgf("1 p 2 p 0 p", "passed", head=head, names=names))
    assert game.record.agents == ("x]y", "b:2", "")
    assert game.ratings == ("1.5", "null", "")
    assert game.other == (("CO", r"a ] and a \\"[:-1]),)
    assert game.record.source == Source("Test", 3, 7, parse_date("2021-04-30T01:13:30Z"))
    assert SgfGame.parse(game.text()) == game


def test_a_game_without_an_id_has_no_source() -> None:
    line = sgf("1 p 2 p 0 p").replace("PC[Test]SE[3]ID[7]", "")
    assert SgfGame.parse(line).record.source is None
    assert SgfGame.parse(SgfGame.parse(line).text()).record.source is None
    without_series = SgfGame.parse(sgf("1 p 2 p 0 p").replace("SE[3]", ""))
    assert without_series.record.source == Source("Test", 0, 7)
    assert "SE[" not in without_series.text()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", "expected a game as"),
        ("hello", "expected a game as"),
        ("(;GM[Skat]", "expected a game as"),
        (sgf("1 p").replace("P1[b]", "P1[b"), "lacks the property P2"),
        (sgf("1 p").replace("1 p ]", "1 p"), "expected a game as"),
        (sgf("1 p").replace("P1[b]", "P1 b]"), "expected a game as"),
        (sgf("1 p").replace("GM[Skat]", "GM[Go]"), r"expected a game of Skat"),
        (sgf("1 p").replace("GM[Skat]", ""), r"expected a game of Skat"),
        (sgf("1 p").replace("P1[b]", ""), r"lacks the property P1"),
        (sgf("1 p").replace("P1[b]", "P1[b]P1[c]"), "P1 is given twice"),
        (sgf("1 p").replace("MV[", "XX["), r"lacks the property MV"),
        (sgf("1 p").replace("ID[7]", "ID[seven]"), "is not a number"),
        (sgf("1 p").replace("ID[7]", "ID[7000000000]"), "is not in 0"),
        (sgf("1 p").replace("PC[Test]", ""), "no PC"),
        (sgf("1 p", head="DT[2021]"), "is not a date"),
        (sgf("1 p", head="DT[2021-02-30/01:13:30/UTC]"), "is not a date"),
        (sgf("1 p", names="P0[a\tb]P1[b]P2[c]"), "cannot be printed"),
    ],
)
def test_malformed_lines(line: str, expected: str) -> None:
    with pytest.raises(ParseError, match=expected):
        SgfGame.parse(line)


@pytest.mark.parametrize("prefix", ["table .1 skat end ", "12:04 [main] DEBUG (Log.java) - ", "  "])
def test_what_a_client_writes_before_a_game_is_skipped(prefix: str, tmp_path: Path) -> None:
    line = sgf("1 p 2 p 0 p")
    assert SgfGame.parse(prefix + line) == SgfGame.parse(line)
    path = tmp_path / "games.log"
    path.write_text(f"{prefix}{line}\n")
    assert format_of(path).name == "sgf"
    record = GameRecord.of("skat", state_of("1 p 2 p 0 p"), ("(;GM[Skat]", "b", "c"))
    path.write_text(record.text() + "\n")
    assert format_of(path).name == "records"
    with pytest.raises(ParseError, match="expected a game as"):
        SgfGame.parse("(; " + line)


# Both ways.


def test_random_games_both_ways() -> None:
    for number, state in enumerate(random_skat_games(150, seed=1)):
        record = GameRecord.of("skat", state, ("a", "b", "c"))
        assert read(write(record)).record == record
        assert read(write(record)).differences == ()
        for _ in range(number % 40):
            if state.history():
                state.undo()
        part = GameRecord.of("skat", state, ("a", "b", "c"))
        again = read(write(part)).record
        assert again.status == part.status
        assert again.state.deal == part.state.deal
        # One discard of two is the only action that the notation cannot tell.
        lost = len(part.state.history()) - len(again.state.history())
        assert lost <= (3 if part.state.phase in (Phase.CONTRACT, Phase.ANNOUNCE, Phase.DISCARD) else 0)


@pytest.mark.parametrize("claim", [True, False])
def test_claimed_games_both_ways(claim: bool) -> None:
    for state in random_skat_games(60, seed=2):
        while state.history() and (state.is_over or len(state.plays()) > 12):
            state.undo()
        if state.phase == Phase.PLAY:
            record = GameRecord(
                "skat", state, ("a", "b", "c"), Status.CLAIMED, claim, state.returns(None, claim)
            )
            again = read(write(record))
            assert again.record == record
            assert again.differences == ()


def test_games_from_the_cardplay_keep_their_result() -> None:
    for state in random_skat_games(60, seed=3):
        if state.soloist < 0:
            continue
        hands = list(state.dealt)
        if state.picked_up:
            twelve = hands[state.soloist] | hands[3]
            hands[state.soloist], hands[3] = twelve & ~state.skat, state.skat
        bids = [0, 0, 0]
        bids[state.soloist] = state.bid
        assert state.declaration is not None
        deal = type(state.deal)(tuple(hands))
        started = SkatState.cardplay(deal, state.soloist, state.declaration, (bids[0], bids[1], bids[2]))
        for _, card in state.plays():
            started.apply(card)
        record = GameRecord.of("skat", started, ("a", "b", "c"))
        again = read(write(record)).record
        assert again.returns() == record.returns() == state.returns()


# Fuzz: a line is read or refused in a sentence.


@pytest.mark.slow
@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    for line in (text, f"(;{text};)", sgf(text), sgf("1 p 2 p 0 p", text)):
        value_or_refusal(partial(SgfGame.parse, line))


WORDS = st.sampled_from(
    [
        *CARD_TEXTS[:6], "??", "0", "1", "2", "w", "y", "p", "s", "18", "20", "30", "264", "C", "NO", "GO", "CHZ",
        "G.S8.H7", "RE", "SC", "SC.CJ", "TI.1", "LE.0", "H7.D7", "S8.H7", "??.??", "N.??.??", "0 RE", "1 SC", "1 RE",
        "w LE.1",
    ]
)  # fmt: skip


@given(st.data())
def test_changed_games_are_read_or_refused(data: st.DataObject) -> None:
    start = data.draw(
        st.sampled_from([TAKEN + "1 C.S8.H7", TAKEN + "1 N 1 S8.H7", BY_HAND + "1 GO", EIGHTEEN])
    )
    words = played(start).split() if start != EIGHTEEN else start.split()
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(words)))
        words[at : at + data.draw(st.integers(0, 2))] = data.draw(st.lists(WORDS, max_size=2))
    hidden = data.draw(st.sampled_from([(), (0,), (1, 3), (0, 1, 2, 3)]))
    game = value_or_refusal(lambda: SgfGame.parse(sgf(" ".join(words), deal=hide_places(*hidden))))
    if game is None:
        return
    again = SgfGame.parse(write(game.record)).record
    assert (again.status, again.claim) == (game.record.status, game.record.claim)
    assert again.returns() == game.record.returns()
