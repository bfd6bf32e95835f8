"""Reviews of Klaverjas: against plain minimax, against the rules' results, known mistakes, and the printed table."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from skat_env.cards import card_text
from skat_env.errors import ParseError
from skat_env.klaverjas import GAME, KlaverjasRules, KlaverjasState, playouts
from skat_env.klaverjas.live_table import HEADER
from skat_env.klaverjas.rules import SEAT_NAMES
from skat_env.records import GameRecord, Source, Status
from skat_env.solvers.klaverjas import Solver
from skat_env.solvers.review import NothingToReview, Review, review
from tests.conftest import random_games
from tests.helpers import minimax
from tests.helpers.endings import KLAVERJAS_RULES as RULES
from tests.helpers.klaverjas_lines import live_line, live_row
from tests.helpers.reviews import check, run

SOLVER = Solver()
TWO_TURNS = (
    "DQ.H8.HT.HJ.S7.SJ.C7.CK/DJ.HK.S9.SA.C8.C9.CQ.CA/D7.D8.D9.DA.H7.HQ.ST.SQ/DT.DK.H9.HA.S8.SK.CT.CJ "
    "declarer=2 trump=H : CK C8 H7 CJ D7 DK DQ DJ SK S7 S9 SQ S8 SJ SA ST CQ HQ CT C7 D9 DT HT HK H8 C9 DA HA "
    "H9 HJ CA D8"
)
TIE = (
    "D8.D9.DK.HK.S7.C7.CJ.CQ/D7.DJ.DQ.H7.H8.SA.C9.CT/DT.DA.HJ.HA.ST.C8.CK.CA/H9.HT.HQ.S8.S9.SJ.SQ.SK "
    "declarer=2 trump=D{} : DK DJ DT S8 C9 CA HQ CQ C8 H9 C7 CT SA ST SK S7 D7 DA SJ D9 CJ DQ CK SQ H8 HA HT HK "
    "HJ S9 D8 H7"
)
"""81 points each."""
ALL_TRUMPS_BUT_ONE = (
    "DA.C8.C9.CT.CJ.CQ.CK.CA/C7.H7.H8.H9.S7.S8.S9.ST/D7.D9.DJ.DK.SJ.SQ.SK.SA/D8.DT.DQ.HT.HJ.HQ.HK.HA"
)
"""Only ♣7 can take a trick from south, and only one that he leads ♦A to."""


def cardplay(deal: str, cards: str, head: str = "declarer=0 trump=C") -> KlaverjasState:
    return KlaverjasState.parse(f"{deal} {head} : {cards}".rstrip())


@pytest.mark.parametrize("rules", RULES, ids=KlaverjasRules.text)
def test_endings_are_those_of_plain_minimax(rules: KlaverjasRules) -> None:
    for state in random_games(GAME, 12, RULES.index(rules), rules):
        found = review(state, SOLVER)
        position = state.clone()
        for _ in range(12):
            position.undo()
        for said in found.cards[-12:]:
            values = minimax.action_values(position, "final_difference")
            made = minimax.action_values(position, "made")
            sign = 1 if position.side(position.to_act) == 0 else -1
            assert said.before == sign * max(sign * value for value in values.values())
            assert said.wins_before == sign * max(sign * value for value in made.values())
            assert said.after == values[said.card]
            assert said.wins_after == made[said.card]
            merits = {card: sign * value for card, value in values.items()}
            assert set(said.better) == {card for card in merits if merits[card] > merits[said.card]}
            brought = [merits[card] for card in said.better]
            assert brought == sorted(brought, reverse=True)
            position.apply(said.card)


@pytest.mark.slow
@pytest.mark.parametrize("choice", ["given", "forced", "free"])
def test_costs_add_up_and_the_end_is_the_rules_result(choice: str) -> None:
    rng = np.random.default_rng(5)
    for rules in RULES:
        for state in random_games(GAME, 2, int(rng.integers(1000)), replace(rules, choice=choice)):
            check(review(state, SOLVER))


@pytest.mark.slow
def test_playouts_end_in_their_recorded_differences(shared: Callable[[str], Path]) -> None:
    for line in shared("data/klaverjas/playouts.jsonl").read_text().splitlines():
        record = playouts.read(line).record
        found = review(record, SOLVER)
        check(found)
        said = json.loads(line)
        assert found.end_value == said["difference_team0"] * (1 if said["declarer"] % 2 == 0 else -1)


def test_a_card_that_lets_the_pit_go() -> None:
    """162 and 100 if trumps come first; else west takes ♦A, 21 points with east's ♦10."""
    found = review(cardplay(ALL_TRUMPS_BUT_ONE, "DA C7 D7 DT"))
    check(found)
    assert (found.value, found.wins, found.end_wins) == (262, True, True)
    assert [card.cost for card in found.cards] == [142, 0, 0, 0]
    assert found.end_value == 162 - 2 * 21
    assert set(map(card_text, found.cards[0].better)) == {"C8", "C9", "CT", "CJ", "CQ", "CK", "CA"}
    given = review(cardplay(ALL_TRUMPS_BUT_ONE, "DA C7 D7 D8"))
    assert given.costs == (142, 0, 0, 20)
    assert [card_text(card) for card in given.cards[3].better] == ["DT", "DQ"]


def test_a_tie_is_nat_or_made_by_the_rules() -> None:
    for head, made, difference in (("", False, -162), (" tie=made", True, 0)):
        found = review(KlaverjasState.parse(TIE.format(head)))
        check(found)
        assert (found.end_wins, found.end_value) == (made, difference)


def test_games_that_are_not_over() -> None:
    state = cardplay(ALL_TRUMPS_BUT_ONE, "")
    for claim in (True, False):
        found = review(GameRecord("klaverjas", state, ("a", "b", "c", "d"), Status.CLAIMED, claim))
        check(found)
        assert (found.cards, found.value, found.end_value) == ((), 262, 262)
    with pytest.raises(NothingToReview, match="ended before the first card"):
        review(state)
    for rules in (KlaverjasRules(choice="forced"), KlaverjasRules(choice="free")):
        with pytest.raises(NothingToReview, match="ended before the first card"):
            review(KlaverjasState.new(state.deal, rules))
    check(review(cardplay(ALL_TRUMPS_BUT_ONE, "C8 C7")))


def test_the_object_of_a_review() -> None:
    found = review(cardplay(ALL_TRUMPS_BUT_ONE, "DA C7 D7 D8"))
    said = found.fields()["review"]
    assert [*said] == [
        "trump", "declarer", "forehand", "value", "wins", "end_value", "end_wins", "costs", "turns", "cards",
    ]  # fmt: skip
    assert (said["trump"], said["declarer"], said["forehand"]) == ("C", 0, 0)
    assert (said["value"], said["costs"], said["turns"]) == (262, [142, 0, 0, 20], [])
    text = found.text()
    for wrong in (
        text.replace('"costs":[142,0,0,20]', '"costs":[142,0,0]'),
        text.replace('"trump":"C"', '"trump":"D"'),
        text.replace('"game":"klaverjas"', '"game":"skat"'),
        text.replace(" : DA C7", " : DA D7"),
    ):
        assert wrong != text
        with pytest.raises(ParseError):
            Review.parse(wrong)


def test_the_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = GameRecord.of("klaverjas", KlaverjasState.parse(TWO_TURNS), ("ann", *SEAT_NAMES[1:]))
    (tmp_path / "x").write_text(replace(record, source=Source("here", 0, 7)).text() + "\n")
    status, out, _ = run(capsys, tmp_path / "x", "--id", "7")
    assert status == 0
    assert max(map(len, out.splitlines())) <= 80
    for line in (
        "♥ hearts by north: south and north need more than half of all points and roem",
        "south *      ♥J ♥10 ♥8 ♣K ♣7 ♠J ♠7 ♦Q           ann",
        "east         ♥9 ♥A ♣10 ♣J ♠K ♠8 ♦10 ♦K",
        "     4   east      ♠8     -182 → +14    196   ??   ♦10",
        "Perfect play from the first card: south and north make it, difference +100.",
        "  trick  3: north gave the game away with ♠Q (+42 → -182), ♠10 was better",
        "  trick  4: east gave it back with ♠8 (-182 → +14), ♦10 was better",
        "From then on: south and north make it, difference +14.",
        "Cost: south * 4, west 22, north * 332, east 234 points of score.",
        "+100 - 336 + 256 = +20: south and north made it with 101 card points and 0 roem,",
        "score 101 : 81.",
    ):
        assert line in [each.rstrip() for each in out.splitlines()]
    positions = [out.index(f"\n{trick:>6}   ") for trick in range(1, 9)]
    assert positions == sorted(positions)


@pytest.mark.slow
def test_tables_are_narrow(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ("[red]" * 12, "b" * 100, "c", "d")
    states = [state for rules in RULES for state in random_games(GAME, 2, 9, rules)]
    lines = [GameRecord.of("klaverjas", state, names).text() for state in states]
    (tmp_path / "x").write_text("".join(line + "\n" for line in lines))
    status, out, _ = run(capsys, tmp_path / "x")
    assert status == 0
    assert max(map(len, out.splitlines())) <= 80
    assert "rules: legality=amsterdam tie=made four_jacks=100 pit=both\n" in out
    assert "need at least half of all points and roem\n" in out


def test_the_table_of_unfinished_games(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = cardplay(ALL_TRUMPS_BUT_ONE, "DA C7 D7 D8")
    claimed = GameRecord("klaverjas", state, SEAT_NAMES, Status.CLAIMED, True)
    aborted = GameRecord("klaverjas", state, SEAT_NAMES, Status.ABORTED)
    (tmp_path / "x").write_text(claimed.text() + "\n" + aborted.text() + "\n")
    status, out, _ = run(capsys, tmp_path / "x")
    assert status == 0
    words = " ".join(out.split())
    assert (
        "Claimed after 4 cards, the rest for the declarers: south and north made it with 151 card points"
        in words
    )
    assert "perfect play from there: south and north make it, difference +140." in words
    assert "Broken off after 4 cards; perfect play from there: south and north make it" in words


def test_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    unplayed = GameRecord.of("klaverjas", cardplay(ALL_TRUMPS_BUT_ONE, ""), SEAT_NAMES)
    revoked = live_row(KlaverjasState.parse(TWO_TURNS))
    revoked["Scores"]["WeVerzaakt"] = True
    good = GameRecord.of("klaverjas", KlaverjasState.parse(TWO_TURNS), SEAT_NAMES).text()
    for name, lines in {
        "unplayed": [unplayed.text()],
        "revoked": [HEADER, live_line(revoked)],
        "illegal": [good, good.replace(" : CK C8", " : CK CA C8")],
    }.items():
        (tmp_path / name).write_text("".join(line + "\n" for line in lines))
    for name, sentence in {
        "unplayed": ":1: the game has no cardplay: it ended before the first card",
        "revoked": ":2: the team We has revoked (verzaakt)",
    }.items():
        status, out, err = run(capsys, tmp_path / name)
        assert (status, out) == (2, "")
        first, last = err.splitlines()
        assert first.startswith(f"{tmp_path / name}{sentence}")
        assert last == f"skat-env: {tmp_path / name} has no game to review"
    status, out, err = run(capsys, tmp_path / "illegal", "--json")
    assert status == 1
    assert Review.parse(out).record.text() == good
    assert err.splitlines()[-1] == "1 reviewed, 1 malformed"
