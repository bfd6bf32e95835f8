"""Klaverjas' rules: against the plain twin, against perft counts, and examples of roem and results."""

import itertools
import json

import numpy as np
import pytest

from skat_env.cards import cards_of, mask_of, mask_text, parse_card, parse_mask
from skat_env.deal import Deal
from skat_env.errors import IllegalAction, OptionError, ParseError, UnknownName
from skat_env.klaverjas import GAME, KlaverjasRules, KlaverjasState
from skat_env.klaverjas.rules import ACTION_TEXTS, PLAIN_POINTS, PLAIN_RANKS, TRUMP_POINTS, TRUMP_RANKS, Phase
from skat_env.klaverjas.rules import parse_action as action_of
from tests.conftest import ROOT, perft
from tests.helpers.klaverjas_play import SUITS_APART, played_down
from tests.helpers.plain_klaverjas import PlainKlaverjas, allowed
from tests.helpers.plain_klaverjas import roem as plain_roem
from tests.helpers.plain_observations import defined_exclusions

GOLDEN = ROOT / "tests" / "golden"


def texts(mask: int) -> set[str]:
    return set(mask_text(mask).split(".")) - {"-"}


def every_rule(choices: tuple[str, ...] = ("given", "forced", "free")) -> list[KlaverjasRules]:
    return [
        KlaverjasRules(*options)
        for options in itertools.product(
            ("rotterdam", "amsterdam"), choices, ("nat", "made"), (200, 100), ("declarers", "both")
        )
    ]


def test_the_text_of_a_number_is_not_the_number() -> None:
    with pytest.raises(OptionError, match=r"^the rule 'four_jacks' is a number: 200 or 100, not '100'$"):
        KlaverjasRules(four_jacks="100")  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="unknown value of the rule 'four_jacks' '300'"):
        KlaverjasRules(four_jacks="300")  # type: ignore[arg-type]


def plain_of(state: KlaverjasState) -> PlainKlaverjas:
    """The twin of a state without actions."""
    rules = state.rules
    return PlainKlaverjas(
        [texts(mask) for mask in state.dealt],
        rules.legality,
        rules.choice,
        rules.tie,
        rules.four_jacks,
        rules.pit,
        state.forehand,
        None if state.declarer < 0 else state.declarer,
        None if state.trump is None else "DHSC"[state.trump],
    )


def concentrated(rng: np.random.Generator) -> Deal:
    """A deal in which a team is strong now and then, so that pit, nat and ties come up."""
    cards = sorted(range(32), key=lambda card: (card & 7) * rng.random() ** 0.5 + rng.random())
    teams = [cards[:16], cards[16:]]
    for team in teams:
        rng.shuffle(team)
    hands = [teams[0][:8], teams[1][:8], teams[0][8:], teams[1][8:]]
    return Deal(tuple(mask_of(hand) for hand in hands))


@pytest.mark.slow
@pytest.mark.parametrize("legality", ["rotterdam", "amsterdam"])
def test_equal_to_the_plain_twin(legality: str) -> None:
    """Seats, legal actions, points, roem and results of random games under all options."""
    rng = np.random.default_rng(11)
    seen: set[str] = set()
    for rules in every_rule():
        if rules.legality != legality:
            continue
        for number in range(45):
            deal = concentrated(rng) if number % 2 else GAME.random_deal(rng)
            given = (int(rng.integers(4)), int(rng.integers(4))) if rules.choice == "given" else (None, None)
            state = KlaverjasState.new(deal, rules, int(rng.integers(4)), *given)
            plain = plain_of(state)
            while not state.is_over:
                assert state.to_act == plain.to_act()
                legal = state.legal_actions()
                assert {ACTION_TEXTS[action] for action in legal} == plain.legal()
                action = int(rng.choice(legal))
                state.apply(action)
                plain.step(ACTION_TEXTS[action])
            result = state.result()
            made, scores = plain.scores()
            assert (plain.to_act(), result.declarer) == (-1, plain.declarer)
            assert result.card_points == (plain.card_points(0), plain.card_points(1))
            assert result.roem == (plain.roem(0), plain.roem(1))
            assert result.tricks == (len(plain.won[0]), len(plain.won[1]))
            assert (result.made, result.scores) == (made, scores)
            difference = scores[0] - scores[1]
            assert state.returns() == (difference, -difference, difference, -difference)
            seen |= {f"made {made}", f"pit {result.pit}", f"tricks {result.tricks}"}
    assert {"made True", "made False", "pit True", "pit False"} <= seen


@pytest.mark.parametrize("legality", ["rotterdam", "amsterdam"])
def test_the_legal_cards_of_any_hand(legality: str) -> None:
    """Random tricks and hands of any size, rarer ones such as lower trumps only among them."""
    rng = np.random.default_rng(3)
    checked = 0
    for _ in range(6000):
        trump = int(rng.integers(4))
        pool = rng.permutation(32) if rng.random() < 0.5 else rng.permutation(16) + 8 * int(rng.integers(3))
        count = int(rng.integers(1, 4))
        trick, hand = pool[:count].tolist(), pool[count : count + int(rng.integers(1, 9))].tolist()
        hand = hand[: min(len(hand), 8)]
        rest = [card for card in range(32) if card not in trick and card not in hand]
        # The seat that is to play fourth, third or second gets the hand, those before it a card of the trick each.
        hands: list[list[int]] = [[card] for card in trick] + [hand]
        hands += [[] for _ in range(4 - len(hands))]
        for each in hands:
            while len(each) < 8:
                each.append(rest.pop())
        deal = Deal(tuple(mask_of(each) for each in hands))
        state = KlaverjasState.new(deal, KlaverjasRules(legality=legality), 0, int(rng.integers(4)), trump)
        try:
            for card in trick:
                state.apply(card)
        except IllegalAction:
            continue
        expected = allowed(
            texts(deal.places[count]), [ACTION_TEXTS[card] for card in trick], "DHSC"[trump], legality
        )
        assert {ACTION_TEXTS[card] for card in state.legal_actions()} == expected
        checked += 1
    assert checked > 2000


@pytest.mark.parametrize(
    "line", json.loads((GOLDEN / "klaverjas_perft.json").read_text()), ids=lambda line: line["name"]
)
def test_perft(line: dict) -> None:
    state = KlaverjasState.parse(line["position"])
    before = state.clone()
    assert [perft(state, depth) for depth in range(1, len(line["counts"]) + 1)] == line["counts"]
    assert state == before


# Roem.


def trick_state(trick: str, trump: str, **rules) -> KlaverjasState:
    """The state after a first trick of these cards, the other cards dealt so that all of them are legal."""
    cards = [parse_card(card) for card in trick.split()]
    rest = [card for card in range(32) if card not in cards]
    # Plain suits go to who neither follows nor trumps, then trumps to who trumps: what is left follows, or leads.
    led, trumps = cards[0] >> 3, "DHSC".index(trump)

    def needs(seat: int) -> int:
        return (
            0 if cards[seat] >> 3 not in (led, trumps) else 1 if cards[seat] >> 3 != led else 2 + (seat == 0)
        )

    rest.sort(key=lambda card: (card >> 3 == led, card >> 3 == trumps))
    hands: list[list[int]] = [[card] for card in cards]
    for seat in sorted(range(4), key=needs):
        hands[seat] += rest[:7]
        rest = rest[7:]
    state = KlaverjasState.new(
        Deal(tuple(mask_of(hand) for hand in hands)), KlaverjasRules(**rules), 0, 0, trumps
    )
    for card in cards:
        state.apply(card)
    return state


@pytest.mark.parametrize(
    ("trick", "trump", "expected"),
    [
        ("HJ HQ HK S7", "H", 40),  # run of three and stuk
        ("HT HJ HQ HK", "H", 70),  # run of four and stuk
        ("HQ HK HA S7", "H", 40),
        ("HQ HK S7 S8", "H", 20),
        ("HQ HK S7 S8", "S", 0),
        ("S7 S8 S9 H7", "H", 20),
        ("S7 S8 S9 ST", "H", 50),  # not 20 + 50
        ("ST SJ SQ SK", "H", 50),
        ("SQ SK SA HK", "H", 20),
        ("S9 ST SJ HJ", "D", 20),
        ("SA S7 S8 HJ", "D", 0),  # no run around the corner
        ("DJ HJ SJ CJ", "D", 200),
        ("DK HK SK CK", "D", 100),
        ("D7 H7 S7 C7", "H", 100),
    ],
)
def test_roem(trick: str, trump: str, expected: int) -> None:
    state = trick_state(trick, trump)
    assert sum(state.roem) == expected == plain_roem(trick.split(), trump)
    assert state.roem[state.leader % 2] == expected


def test_four_jacks_may_count_100() -> None:
    assert sum(trick_state("DJ HJ SJ CJ", "D", four_jacks=100).roem) == 100
    assert sum(trick_state("DA HA SA CA", "D", four_jacks=100).roem) == 100


def test_roem_of_random_tricks() -> None:
    rng = np.random.default_rng(5)
    seen = set()
    for _ in range(3000):
        same_suit = rng.random() < 0.6
        trick = [ACTION_TEXTS[card] for card in rng.permutation(8 if same_suit else 32)[:4]]
        trump = "DHSC"[int(rng.integers(4))]
        try:
            state = trick_state(" ".join(trick), trump)
        except IllegalAction:
            continue
        assert sum(state.roem) == plain_roem(trick, trump)
        seen.add(sum(state.roem))
    assert {0, 20, 40, 50, 70} <= seen


# Results.


def test_pit_of_the_declarers() -> None:
    for pit in ("declarers", "both"):
        result = played_down(SUITS_APART, pit=pit).result()
        assert (result.pit, result.made, result.tricks, result.card_points) == (True, True, (8, 0), (162, 0))
        # Seat by seat the same rank: four jacks and seven other fours.
        assert result.roem == (900, 0)
        assert result.scores == (162 + 900 + 100, 0)


def test_pit_of_the_others_is_an_option() -> None:
    for pit, expected in (("declarers", 0), ("both", 100)):
        state = played_down(SUITS_APART, pit=pit, declarer=1)
        result = state.result()
        assert (result.pit, result.made) == (pit == "both", False)
        assert result.scores == (162 + 900 + expected, 0)
        assert state.returns("made") == (1, -1, 1, -1)


def ended(points: tuple[int, int], declarer: int, **rules) -> KlaverjasState:
    """A finished random deal without pit in which the teams have so many points and roem together."""
    rng = np.random.default_rng(0)
    while True:
        state = KlaverjasState.new(
            GAME.random_deal(rng), KlaverjasRules(**rules), declarer=declarer, trump=int(rng.integers(4))
        )
        while not state.is_over:
            state.apply(int(rng.choice(state.legal_actions())))
        found = tuple(p + r for p, r in zip(state.points, state.roem, strict=True))
        if found == points:
            return state


def test_a_tie_is_nat_or_made() -> None:
    nat = ended((91, 91), 0).result()
    assert (nat.made, nat.scores, nat.difference) == (False, (0, 182), -182)
    made = ended((91, 91), 0, tie="made").result()
    assert (made.made, made.scores, made.difference) == (True, (91, 91), 0)


def test_one_point_decides() -> None:
    assert ended((82, 80), 0).result().scores == (82, 80)
    assert ended((82, 80), 1).result().scores == (162, 0)
    assert ended((92, 90), 1).result().scores == (182, 0)  # the roem of both goes to the others


def test_the_numbers_of_the_cards() -> None:
    assert sum(TRUMP_POINTS) == 62
    assert sum(PLAIN_POINTS) == 30
    assert [TRUMP_RANKS[::-1], PLAIN_RANKS[::-1]] == ["J9ATKQ87", "ATKQJ987"]


# Choosing trumps.


def test_forced_choice() -> None:
    deal = GAME.random_deal(np.random.default_rng(0))
    state = KlaverjasState.new(deal, KlaverjasRules(choice="forced"), forehand=2)
    assert (state.phase, state.to_act, state.declarer, state.trump) == (Phase.CHOOSE, 2, -1, None)
    assert [ACTION_TEXTS[action] for action in state.legal_actions()] == ["D", "H", "S", "C"]
    state.apply(action_of("S"))
    assert (state.phase, state.to_act, state.declarer, state.trump) == (Phase.PLAY, 2, 2, 2)


def test_free_choice() -> None:
    deal = GAME.random_deal(np.random.default_rng(0))
    for passes in range(5):
        state = KlaverjasState.new(deal, KlaverjasRules(choice="free"), forehand=3)
        for number in range(passes):
            assert state.to_act == (3 + number) % 4
            state.apply(action_of("pass"))
        assert (action_of("pass") in state.legal_actions()) == (passes < 4)
        state.apply(action_of("C"))
        assert (state.declarer, state.trump, state.leader) == ((3 + passes) % 4, 3, 3)
        assert state.side(state.declarer ^ 2) == 0
        assert state.side(state.declarer ^ 1) == 1


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, "comes with a declarer"),
        ({"declarer": 1}, "comes with a declarer"),
        ({"declarer": 4, "trump": 1}, "not one of 0..3"),
        ({"declarer": 1, "trump": 4}, "not one of 0..3"),
        ({"forehand": 4, "declarer": 1, "trump": 1}, "is not a seat"),
        ({"rules": KlaverjasRules(choice="free"), "declarer": 1}, "the deal cannot give them"),
    ],
)
def test_wrong_starts_raise(options: dict, told: str) -> None:
    deal = GAME.random_deal(np.random.default_rng(0))
    with pytest.raises(ParseError, match=told):
        KlaverjasState.new(deal, **options)


def test_unknown_rules_raise() -> None:
    with pytest.raises(UnknownName, match="did you mean 'amsterdam'"):
        KlaverjasRules(legality="amsterdm")
    assert KlaverjasRules(pit="both", four_jacks=100).text() == "four_jacks=100 pit=both"


# What a play proves.


@pytest.mark.parametrize("legality", ["rotterdam", "amsterdam"])
def test_excluded_cards_are_those_that_would_have_made_a_play_illegal(legality: str) -> None:
    rng = np.random.default_rng(2)
    for _ in range(50):
        state = KlaverjasState.random(rng, KlaverjasRules(legality=legality))
        while not state.is_over:
            state.apply(int(rng.choice(state.legal_actions())))
            if state.tricks_played > 5 or rng.random() < 0.2:
                for seat in range(4):
                    excluded = state.view((seat + 1) % 4).excluded(seat)
                    assert excluded == defined_exclusions(state, seat)
                    assert not excluded & state.hands[seat]


@pytest.mark.parametrize("legality", ["rotterdam", "amsterdam"])
def test_one_card_more_is_enough_to_make_a_play_illegal(legality: str) -> None:
    """A play is legal from a hand if it is legal from every pair of its cards: exclusions card by card tell all."""
    rng = np.random.default_rng(8)
    for _ in range(4000):
        cards = [ACTION_TEXTS[card] for card in rng.permutation(32 if rng.random() < 0.5 else 16)]
        count = int(rng.integers(1, 4))
        trick, hand = cards[:count], set(cards[count : count + int(rng.integers(2, 7))])
        trump = "DHSC"[int(rng.integers(4))]
        legal = allowed(hand, trick, trump, legality)
        for card in hand:
            pairs = all(card in allowed({card, other}, trick, trump, legality) for other in hand)
            assert pairs == (card in legal)


def test_cards_are_credited_to_who_played_after_the_lead_changed() -> None:
    state = KlaverjasState.new(Deal(tuple(map(parse_mask, SUITS_APART))), declarer=0, trump=2, forehand=1)
    for card in ["D7", "S7", "C7", "H8", "S8", "C8", "H9", "D9"]:
        state.apply(parse_card(card))
    assert [who for who, _ in state.plays()] == [1, 2, 3, 0, 2, 3, 0, 1]
    assert state.tricks == (2, 0)
    assert cards_of(state.played_mask()) == sorted(
        map(parse_card, ["D7", "S7", "C7", "H8", "S8", "C8", "H9", "D9"])
    )
