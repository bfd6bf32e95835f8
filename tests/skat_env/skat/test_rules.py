"""Skat's rules: against the plain twin, against perft counts, and the traps that other programs fell into."""

import json
from itertools import islice

import numpy as np
import pytest

from skat_env.cards import cards_of, mask_text, parse_mask
from skat_env.deal import Deal
from skat_env.errors import IllegalAction, ParseError
from skat_env.skat import GAME, Declaration, SkatRules, SkatState
from skat_env.skat.observation import SLICES
from skat_env.skat.rules import ACTION_TEXTS, BID_VALUES, Announcement, Contract, parse_action
from tests.conftest import ROOT, perft
from tests.helpers.plain_skat import BIDS, PlainSkat

GOLDEN = ROOT / "tests" / "golden"


def texts(mask: int) -> set[str]:
    return set(mask_text(mask).split(".")) - {"-"}


def test_bid_values_are_those_of_all_games() -> None:
    assert list(BID_VALUES) == BIDS
    assert len(BID_VALUES) == 63


@pytest.mark.parametrize("seed", range(4))
def test_equal_to_the_plain_twin(seed: int) -> None:
    """Seats, legal actions and results of random games; one in two bids eagerly, so that all contracts occur."""
    rng = np.random.default_rng(seed)
    for number in range(300):
        deal = GAME.random_deal(rng)
        state = SkatState.new(deal)
        plain = PlainSkat([texts(mask) for mask in deal.places[:3]], texts(deal.places[3]))
        while not state.is_over:
            assert state.to_act == plain.to_act()
            legal = state.legal_actions()
            assert {ACTION_TEXTS[action] for action in legal} == plain.legal()
            eager = number % 2 and 33 in legal and rng.random() < 0.95
            action = 33 if eager else legal[int(rng.integers(len(legal)))]
            state.apply(action)
            plain.step(ACTION_TEXTS[action])
        assert plain.to_act() == -1
        assert state.bid == plain.bid
        assert state.returns() == plain.tournament_points()


@pytest.mark.parametrize(
    "line", json.loads((GOLDEN / "skat_perft.json").read_text()), ids=lambda line: line["name"]
)
def test_perft(line: dict) -> None:
    state = SkatState.parse(line["position"])
    before = state.clone()
    assert [perft(state, depth) for depth in range(1, len(line["counts"]) + 1)] == line["counts"]
    assert state == before


# Cards that make any game easy to set up: the soloist is forehand unless a test says otherwise.
ALL = set(range(32))


def cardplay(
    hands: list[str], skat: str, declaration: str, declarer: int = 0, bid: int = 18, **rules
) -> SkatState:
    deal = Deal((*map(parse_mask, hands), parse_mask(skat)))
    bids = [0, 0, 0]
    bids[declarer] = bid
    return SkatState.cardplay(deal, declarer, Declaration.parse(declaration), tuple(bids), SkatRules(**rules))


def deal_around(forehand: str, skat: str) -> list[str]:
    """Three hands, the others' filled with the lowest cards first."""
    rest = sorted(ALL - set(cards_of(parse_mask(forehand))) - set(cards_of(parse_mask(skat))))
    masks = [sum(1 << card for card in part) for part in (rest[:10], rest[10:])]
    return [forehand, *map(mask_text, masks)]


def play(state: SkatState, cards: str) -> SkatState:
    for card in cards.split():
        state.apply(parse_action(card))
    return state


CLUBS = "CJ.SJ.HJ.DJ.CA.CT.CK.CQ.C9.C8"


def test_all_trumps_win_with_eleven_matadors() -> None:
    state = cardplay(deal_around(CLUBS, "C7.DA"), "C7.DA", "C")
    while not state.is_over:
        state.apply(state.legal_actions()[0])
    result = state.result()
    assert (result.matadors, result.schwarz, result.schneider) == (11, True, True)
    assert result.value == 12 * (11 + 1 + 1 + 1)
    assert result.card_points == 120
    assert result.tournament_points == (12 * 14 + 50, 0, 0)


def test_matadors_count_over_twelve_cards_and_unseen_skat() -> None:
    """A hand game in which the skat holds the jack of clubs: with, not without."""
    state = cardplay(deal_around("SJ.CA.CT.CK.CQ.C9.DA.HA.SA.ST", "CJ.D7"), "CJ.D7", "CH")
    assert state.result(claim=True).matadors == 2
    without = cardplay(deal_around("HJ.CA.CT.CK.CQ.C9.DA.HA.SA.ST", "D8.D7"), "D8.D7", "CH")
    assert without.result(claim=True).matadors == -2
    nothing = cardplay(deal_around("D7.D8.D9.DQ.DK.DT.DA.HA.H7.H8", "S7.S8"), "S7.S8", "C")
    assert nothing.result(claim=True).matadors == -11
    grand = cardplay(deal_around("D7.D8.D9.DQ.DK.DT.DA.HA.H7.H8", "S7.S8"), "S7.S8", "G")
    assert grand.result(claim=True).matadors == -4


def test_schwarz_is_judged_by_tricks_not_by_points() -> None:
    """The defenders take a trick without a point: 120 card points, no schwarz."""
    lone = cardplay(
        ["CJ.SJ.HJ.DJ.CA.CT.CK.CQ.C9.S7", "S9.D7.D8.D9.H7.H8.H9.SQ.HQ.SK", "C8.C7.DQ.DK.DT.DA.HK.HT.HA.S8"],
        "ST.SA",
        "C",
    )
    play(lone, "CJ SK C7 SJ D7 C8")
    for _ in range(7):
        soloist_card = next(card for card in reversed(lone.legal_actions()) if ACTION_TEXTS[card] != "S7")
        lone.apply(soloist_card)
        middle = [c for c in lone.legal_actions() if ACTION_TEXTS[c] != "S9"]
        lone.apply(middle[0])
        rear = [c for c in lone.legal_actions() if ACTION_TEXTS[c] != "S8"]
        lone.apply(rear[0])
    play(lone, "S7 S9 S8")
    result = lone.result()
    assert result.tricks == 9
    assert result.card_points == 120
    assert result.schneider
    assert not result.schwarz
    assert result.value == 12 * (9 + 1 + 1)


def test_forehand_decides_after_two_passes() -> None:
    state = SkatState.new(Deal.random(np.random.default_rng(0), (10, 10, 10, 2)))
    play(state, "pass pass")
    assert state.to_act == 0
    taken = play(state.clone(), "yes")
    assert (taken.soloist, taken.bid) == (0, 18)
    passed = play(state, "pass")
    assert passed.is_over
    assert passed.returns() == (0, 0, 0)
    assert passed.result().declarer == -1


def test_the_auction_ends_at_its_highest_value() -> None:
    state = SkatState.new(Deal.random(np.random.default_rng(0), (10, 10, 10, 2)))
    play(state, " ".join(["yes"] * 126))
    assert state.bid == 264
    with pytest.raises(IllegalAction):
        state.apply(33)
    play(state, "pass pass")
    assert (state.soloist, len(state.history())) == (0, 128)


def test_following_suit_in_null_is_by_printed_suit() -> None:
    """Jacks belong to their suits, the ten ranks between nine and jack."""
    hands = [
        "D7.D8.D9.DQ.HK.HT.HA.H7.H8.SA",
        "DJ.DT.CJ.SJ.S7.S8.S9.SQ.SK.ST",
        "DK.DA.HJ.H9.HQ.C7.C8.C9.CQ.CK",
    ]
    state = cardplay(hands, "CT.CA", "N", declarer=1)
    play(state, "DQ")
    assert {ACTION_TEXTS[a] for a in state.legal_actions()} == {"DJ", "DT"}
    play(state, "DJ DK")
    assert state.leader == 2
    suit = cardplay(hands, "CT.CA", "S", declarer=1)
    play(suit, "DQ")
    assert {ACTION_TEXTS[a] for a in suit.legal_actions()} == {"DT"}


def test_null_ends_with_the_first_trick_of_the_soloist() -> None:
    hands = [
        "D7.D8.D9.DQ.HK.HT.HA.H7.H8.SA",
        "DJ.DT.CJ.SJ.S7.S8.S9.SQ.SK.ST",
        "DK.DA.HJ.H9.HQ.C7.C8.C9.CQ.CK",
    ]
    lost = play(cardplay(hands, "CT.CA", "N"), "SA S7 C7")
    assert lost.is_over
    assert lost.returns() == (-2 * 23 - 50, 40, 40)
    goes_on = play(cardplay(hands, "CT.CA", "N", play_out=True), "SA S7 C7")
    assert not goes_on.is_over
    assert goes_on.result(claim=True).won is False


@pytest.mark.parametrize(("text", "value"), [("N", 23), ("NH", 35), ("NO", 46), ("NOH", 59)])
def test_null_values(text: str, value: int) -> None:
    state = cardplay(deal_around("D7.D8.H7.H8.S7.S8.C7.C8.D9.H9", "CT.CA"), "CT.CA", text)
    assert state.result(claim=True).value == value
    assert state.result(claim=True).won
    assert state.result(claim=True).tricks == 0
    overbid = cardplay(deal_around("D7.D8.H7.H8.S7.S8.C7.C8.D9.H9", "CT.CA"), "CT.CA", text, bid=60)
    assert overbid.result(claim=True).value == value
    assert overbid.result(claim=True).list_score == -2 * value
    assert overbid.result(claim=True).overbid


def test_ouvert_suit_and_grand_demand_schwarz() -> None:
    state = cardplay(deal_around(CLUBS, "C7.DA"), "C7.DA", "CO")
    assert state.announcement == Announcement.OUVERT
    assert state.hand_game
    assert state.result(claim=True).value == 12 * (11 + 1 + 1 + 2 + 2 + 1)
    hands = [
        "CJ.SJ.HJ.DJ.CA.CT.CK.CQ.C9.D7",
        "D8.D9.S7.S8.S9.H7.H8.H9.HQ.HK",
        "C8.C7.DQ.DK.DT.DA.SQ.SK.ST.SA",
    ]
    lost = play(cardplay(hands, "HT.HA", "CO"), "D7 D8 DA")
    assert lost.is_over
    assert lost.result().list_score == -2 * 12 * (9 + 1 + 1 + 2 + 2 + 1)


def test_the_open_hand_is_seen_from_the_first_lead_on() -> None:
    state = cardplay(deal_around(CLUBS, "C7.DA"), "C7.DA", "CO")
    assert state.view(1).hands[0] == parse_mask(CLUBS)
    assert state.view(1).skat == 0


def test_soloist_schneider_counts_in_a_loss() -> None:
    hands = [
        "CJ.SJ.C7.C8.D7.D8.H7.H8.S7.S8",
        "DA.DT.HA.HT.SA.ST.CA.CT.HJ.DJ",
        "C9.CQ.CK.D9.DQ.DK.H9.HQ.HK.S9",
    ]
    loss = cardplay(hands, "SQ.SK", "C").result(claim=False)
    assert loss.card_points == 7
    assert loss.schneider
    assert loss.schwarz
    assert loss.list_score == -2 * 12 * (2 + 1 + 1 + 1)
    # 30 points are schneider, 31 are not.
    near = cardplay(hands, "SQ.SK", "C")
    play(near, "CJ DJ C9 SJ HJ CQ C7 CA CK")
    assert near.result(claim=False).card_points == 2 + 2 + 0 + 2 + 2 + 3 + 3 + 4
    assert near.result(claim=False).schneider
    assert not near.result(claim=False).schwarz


def test_overbid_games_are_lost_at_the_next_multiple() -> None:
    """Diamonds with one for 36: -72 in the ISS's records."""
    hands = [
        "CJ.HJ.DA.DT.DK.DQ.HA.HT.SA.ST",
        "SJ.DJ.D7.D8.D9.H7.H8.H9.HQ.HK",
        "S7.S8.S9.SQ.SK.C7.C8.C9.CQ.CK",
    ]
    state = cardplay(hands, "CT.CA", "D", bid=36)
    play(state, "HA H7 S7 HT H8 S8")
    result = state.result(claim=False)
    assert result.card_points == 42
    assert (result.list_score, result.overbid) == (-72, True)
    even_with_61 = cardplay(hands, "CT.CA", "D", bid=50)
    play(even_with_61, "HA H7 S7 HT H8 S8 SA HQ S9")
    assert even_with_61.result(claim=True).list_score == -108


def test_announced_levels_count_and_must_be_reached() -> None:
    hands = [
        "CJ.SJ.HJ.DJ.CA.CT.CK.CQ.C9.S7",
        "S9.D7.D8.D9.H7.H8.H9.SQ.HQ.SK",
        "C8.C7.DQ.DK.DT.DA.HK.HT.HA.S8",
    ]
    schneider = cardplay(hands, "ST.SA", "CHS")
    assert schneider.result(claim=False).list_score == -2 * 12 * (9 + 1 + 1 + 1 + 1 + 1)
    assert schneider.result(claim=True).list_score == 12 * (9 + 1 + 1 + 1 + 1 + 1)
    for text, levels in (("CH", 1), ("CHS", 3), ("CHZ", 5), ("CO", 6)):
        won = cardplay(hands, "ST.SA", text).result(claim=True)
        reached = {"CH": 2, "CHS": 1}.get(text, 0)  # schwarz, and schneider where not announced
        assert won.value == 12 * (9 + 1 + levels + reached)


@pytest.mark.parametrize(
    ("text", "contract", "hand", "announcement"),
    [
        ("CO", Contract.CLUBS, True, Announcement.OUVERT),
        ("GO", Contract.GRAND, True, Announcement.OUVERT),
        ("CHZ", Contract.CLUBS, True, Announcement.SCHWARZ),
        ("CZSH", Contract.CLUBS, True, Announcement.SCHWARZ),
        ("CSH", Contract.CLUBS, True, Announcement.SCHNEIDER),
        ("COZSH", Contract.CLUBS, True, Announcement.OUVERT),
        ("NO", Contract.NULL, False, Announcement.OUVERT),
        ("NHO", Contract.NULL, True, Announcement.OUVERT),
        ("G", Contract.GRAND, False, Announcement.NONE),
    ],
)
def test_declarations(text: str, contract: Contract, hand: bool, announcement: Announcement) -> None:
    declaration = Declaration.parse(text)
    assert declaration == Declaration(contract, hand, announcement)
    assert Declaration.parse(declaration.text()) == declaration


@pytest.mark.parametrize("text", ["", "X", "CHQ", "NS", "NZ", "CS", "GZ", "H H"])
def test_impossible_declarations_are_refused(text: str) -> None:
    with pytest.raises(ParseError):
        Declaration.parse(text)


def test_contract_and_discard_are_moves_of_their_own() -> None:
    state = SkatState.new(Deal.random(np.random.default_rng(5), (10, 10, 10, 2)))
    play(state, "yes pass pass pick-up")
    assert state.hands[1].bit_count() == 12
    assert state.skat == 0
    play(state, "N ouvert")
    first, second = list(islice(iter(state.legal_actions()), 2))
    state.apply(second)  # any order
    state.apply(first)
    assert cards_of(state.skat) == [first, second]
    assert state.declaration.text() == "NO"


def test_plays_are_credited_to_who_played_after_the_lead_changed() -> None:
    hands = [
        "D7.D8.D9.DQ.HK.HT.HA.H7.H8.SA",
        "DJ.DT.CJ.SJ.S7.S8.S9.SQ.SK.ST",
        "DK.DA.HJ.H9.HQ.C7.C8.C9.CQ.CK",
    ]
    state = play(cardplay(hands, "CT.CA", "G"), "D7 DT DA CK SA S7")
    assert [(seat, ACTION_TEXTS[card]) for seat, card in state.plays()] == [
        (0, "D7"), (1, "DT"), (2, "DA"), (2, "CK"), (0, "SA"), (1, "S7"),
    ]  # fmt: skip
    played = state.observe(0)[SLICES["played"]].reshape(3, 32)
    assert set(np.flatnonzero(played[0])) == {parse_action("D7"), parse_action("SA")}
    assert set(np.flatnonzero(played[2])) == {parse_action("DA"), parse_action("CK")}
