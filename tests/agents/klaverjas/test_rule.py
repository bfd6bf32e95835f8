"""The Klaverjas rule player: every clause of both variants on hand-made positions, a plain twin, legal play."""

import numpy as np
import pytest

from skat_env.agents.klaverjas import rule as klaverjas_rule
from skat_env.agents.klaverjas.rule import RuleAgent, suit_strength
from skat_env.agents.random import RandomAgent
from skat_env.cards import CARD_TEXTS, cards_of, parse_mask
from skat_env.errors import ParseError, UnknownName
from skat_env.klaverjas import KlaverjasRules, KlaverjasState, KlaverjasView
from skat_env.klaverjas.rules import ACTION_TEXTS

RULE, THESIS, RANDOM = RuleAgent(), RuleAgent("thesis"), RandomAgent()
RNG = np.random.default_rng(0)


def position(hand: str, plays: str, trump: str, legality: str = "rotterdam") -> KlaverjasView:
    """The view of seat 0, dealt a hand, which is to act after some plays."""
    for forehand in range(4):
        places = f"{hand.replace(' ', '.')}/?/?/?"
        head = f"seat=0 forehand={forehand} declarer=1 trump={trump} legality={legality}"
        try:
            view = KlaverjasView.parse(f"{places} {head} : {plays}")
        except ParseError:
            continue
        if view.to_act == 0:
            return view
    raise AssertionError(f"seat 0 is never to act after {plays}")


def choice(agent: RuleAgent, view: KlaverjasView | KlaverjasState) -> str:
    """The text of an agent's action."""
    seen = view.view(view.to_act) if isinstance(view, KlaverjasState) else view
    return ACTION_TEXTS[agent.decide(seen, RNG).action]


# The hand as dealt, plays so far, trumps, the card of Figure 4, the card of the thesis's code.
CLAUSES = {
    "leading: the highest left, the first of two": ("D8 DA H7 HA S9 SK C7 C8", "", "C", "DA", "DA"),
    "leading: jack of trumps, not ace": ("D8 DT H9 HJ HA S9 SK C7", "", "H", "HJ", "HJ"),
    "leading: no highest, cheapest": ("DT DK HT HK S9 ST SK CA", "", "C", "S9", "S9"),
    "leading: of equally cheap ones the first": ("D8 DT H9 HK S8 SK C9 CT", "", "H", "D8", "D8"),
    "leading: the ten is highest when the ace is gone": ("D8 DK HT HK HA S9 ST SK", "HA H7 H8 H9", "C", "HT", "HT"),
    "second: the highest left of the suit": ("D7 DT DA H7 S7 S8 C7 C8", "D9", "C", "DA", "DA"),
    "second: the highest trump left": ("D7 H7 S7 S8 C9 CJ CT CA", "CK", "C", "CJ", "CJ"),
    "second: without it the cheapest": ("DT DK DJ H7 S7 S8 C7 C8", "D9", "C", "DJ", "DJ"),
    "second: the highest is led": ("DT DK DJ H7 S7 S8 C7 C8", "DA", "C", "DJ", "DJ"),
    "second, cannot follow: rank of the highest": ("H7 H8 HT HA S7 S8 S9 SA", "D9", "C", "H7", "HA"),
    "second, cannot follow trumps: rank of the highest": ("H7 H8 HT HA S7 S8 SJ SA", "CA", "C", "H7", "SJ"),
    "second, cannot follow: no card of that rank": ("HT HK HQ S9 SK SQ SJ ST", "D9", "C", "S9", "S9"),
    "third: partner led the highest left": ("D7 DT DK H7 S7 S8 C7 C8", "DA D8", "C", "DT", "D7"),
    "third: partner led the highest trump left": ("D7 H7 S7 S8 C9 CT CA C7", "CJ D8", "C", "C9", "C7"),
    "third: partner led another card": ("DT DA DK H7 S7 S8 C7 C8", "D9 D8", "C", "DK", "DK"),
    "third: the highest left is its own": ("D7 DA DK H7 S7 S8 C7 C8", "D9 D8", "C", "D7", "D7"),
    "third, cannot follow: partner led the highest": ("H7 H8 HT HA S7 S8 S9 SK", "DA D8", "C", "H7", "HA"),
    "third, cannot follow: rank of the highest": ("H7 H8 HT HK S7 S8 S9 SA", "D9 D8", "C", "H7", "SA"),
    "third, cannot follow: no card of that rank": ("HT HK HQ HJ SJ ST S9 SK", "D9 D8", "C", "S9", "S9"),
    "third: partner's highest is trumped": ("D7 DT DK H7 S7 S8 C7 C8", "DA CJ", "C", "DT", "D7"),
    "fourth: partner wins, dearest": ("D7 DT DK H7 S7 S8 C7 C8", "D9 DA D8", "C", "DT", "DT"),
    "fourth: the first that beats": ("D7 DT DA H7 S7 S8 C7 C8", "D9 D8 DK", "C", "DT", "DT"),
    "fourth: nothing beats, cheapest": ("D7 DT DJ H7 S7 S8 C7 C8", "D9 D8 DA", "C", "D7", "D7"),
    "fourth: a trump beats": ("H7 H8 HT HA S7 S8 CJ C8", "D9 D8 DA", "C", "C8", "C8"),
    "fourth, cannot follow: a higher rank of another suit": ("H7 H8 HT HA S7 S8 S9 SA", "D9 D8 DK", "C", "H7", "HT"),
    "fourth, cannot follow: no higher rank": ("H7 H8 HT HK S7 S8 S9 SK", "D9 D8 DA", "C", "H7", "H7"),
    "fourth: a plain card does not beat a trump": ("H7 H8 HT HA S7 S8 S9 SA", "D9 D8 C7", "C", "H7", "H7"),
    "fourth: partner wins with a trump": ("DT DK D7 HA S7 S8 C7 C8", "D9 CJ D8", "C", "DT", "DT"),
}  # fmt: skip


@pytest.mark.parametrize("clause", CLAUSES)
@pytest.mark.parametrize("legality", ["rotterdam", "amsterdam"])
def test_every_clause(clause: str, legality: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(klaverjas_rule, "dealt_order", lambda hand: {card: card for card in cards_of(hand)})
    hand, plays, trump, figure4, thesis = CLAUSES[clause]
    view = position(hand, plays, trump, legality)
    assert choice(RULE, view) == figure4
    assert choice(THESIS, view) == thesis


def test_amsterdam_spares_a_partners_trick() -> None:
    """Rotterdam has only trumps to give; in Amsterdam any card may go to the partner."""
    hand, plays = "H7 HT S7 S8 S9 SK C7 C9", "D9 DA D8"
    assert choice(RULE, position(hand, plays, "C")) == "C9"
    assert choice(RULE, position("H7 HA S7 S8 S9 SK C7 CQ", plays, "C", "amsterdam")) == "HA"


def plain_thesis(view: KlaverjasView) -> str:
    """The published code once more, on texts."""
    trump = "DHSC"[view.trump]
    orders = {suit: "78QKTA9J" if suit == trump else "789JQKTA" for suit in "DHSC"}
    points = dict(zip("789TJQKA", (0, 0, 0, 10, 2, 3, 4, 11), strict=True))
    trump_points = {**points, "9": 14, "J": 20}
    plays = [CARD_TEXTS[card] for _, card in view.plays()]
    trick = plays[len(plays) // 4 * 4 :]
    gone = plays[: len(plays) // 4 * 4]
    order = klaverjas_rule.dealt_order(view.dealt[view.seat])
    legal = [ACTION_TEXTS[action] for action in sorted(view.legal_actions(), key=order.__getitem__)]

    def worth(card: str) -> int:
        return (trump_points if card[0] == trump else points)[card[1]]

    def strength(card: str) -> int:
        return orders[card[0]].index(card[1]) + 8 * (card[0] == trump)

    def top_rank(suit: str) -> str:
        return [rank for rank in orders[suit] if suit + rank not in gone][-1]

    lowest = sorted(legal, key=worth)[0]
    highest = sorted(legal, key=worth, reverse=True)[0]
    if not trick:
        return next((card for card in legal if card[1] == top_rank(card[0])), lowest)
    led = trick[0]
    same_rank = next((card for card in legal if card[1] == top_rank(led[0])), lowest)
    if len(trick) == 1:
        return same_rank
    if len(trick) == 2:
        if any(card[0] == led[0] for card in legal):
            return lowest
        return highest if led[1] == top_rank(led[0]) else same_rank
    wins = max(trick, key=lambda card: strength(card) if card[0] in (led[0], trump) else -1)
    if trick.index(wins) == 1:
        return highest
    return next((card for card in legal if strength(card) > strength(wins)), lowest)


@pytest.mark.parametrize("legality", ["rotterdam", "amsterdam"])
def test_legal_play_and_the_plain_twin(legality: str) -> None:
    """All decisions on 100 deals played at random; `apply` refuses what is illegal."""
    rng = np.random.default_rng(5)
    for _ in range(100):
        state = KlaverjasState.random(rng, KlaverjasRules(legality=legality))
        while not state.is_over:
            view = state.view(state.to_act)
            for agent in (RULE, THESIS):
                state.apply(agent.decide(view, rng).action)
                state.undo()
            assert choice(THESIS, view) == plain_thesis(view)
            state.apply(RANDOM.decide(view, rng).action)


def test_strength_counts_trumps_and_side_aces() -> None:
    strong = parse_mask("CJ.C9.CA.C7.DA.HA.S7.S8")
    assert [suit_strength(strong, trump) for trump in range(4)] == [-73, -73, -16, 123]
    assert suit_strength(strong, 3) > suit_strength(parse_mask("C8.C9.CA.C7.DA.HA.S7.S8"), 3)


def choosing(hand: str, choice_of_trumps: str, passes: int) -> KlaverjasView:
    """The view of the seat that chooses after some passes, with a hand."""
    seat = passes % 4
    places = "/".join(hand.replace(" ", ".") if each == seat else "?" for each in range(4))
    return KlaverjasView.parse(f"{places} seat={seat} choice={choice_of_trumps} : {'pass ' * passes}")


WEAK = "D7 D8 H7 H8 S7 S8 C7 CQ"


def test_trumps_are_chosen_by_strength() -> None:
    for agent in (RULE, THESIS):
        assert choice(agent, choosing("CJ C9 CA C7 DA HA S7 S8", "free", 0)) == "C"
        assert choice(agent, choosing("CJ C9 CA C7 DA HA S7 S8", "forced", 0)) == "C"
        assert choice(agent, choosing(WEAK, "free", 2)) == "pass"
        assert choice(agent, choosing(WEAK, "forced", 0)) == "D"
        assert choice(agent, choosing(WEAK, "free", 4)) == "D"


@pytest.mark.parametrize("trumps", ["free", "forced"])
def test_whole_deals_with_a_choice_of_trumps(trumps: str) -> None:
    rng = np.random.default_rng(8)
    made = 0
    for _ in range(60):
        state = KlaverjasState.random(rng, KlaverjasRules(choice=trumps))
        while not state.is_over:
            state.apply(RULE.decide(state.view(state.to_act), rng).action)
        made += state.result().made
    assert made > 35


def mean_difference(a: RuleAgent | RandomAgent, b: RuleAgent | RandomAgent, rounds: int) -> float:
    """A's points minus B's a round, on random deals played by both sides."""
    rng = np.random.default_rng(9)
    total = 0
    for _ in range(rounds // 2):
        start = KlaverjasState.random(rng)
        for team in (0, 1):
            state = start.clone()
            while not state.is_over:
                agent = a if state.to_act & 1 == team else b
                state.apply(agent.decide(state.view(state.to_act), rng).action)
            total += state.returns()[team]
    return total / rounds


def test_beats_random() -> None:
    assert mean_difference(RULE, RANDOM, 400) > 20
    assert mean_difference(THESIS, RANDOM, 400) > 10


def test_suits_compared_are_better() -> None:
    assert mean_difference(RULE, THESIS, 6000) > 5


def test_names() -> None:
    assert RULE.name == "rule"
    assert THESIS.name == "rule(variant=thesis)"
    with pytest.raises(UnknownName, match="figure4"):
        RuleAgent("figure5")
