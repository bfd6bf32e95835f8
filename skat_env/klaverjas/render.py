"""The table as text for people: cards in suit symbols, trumps first, within 80 columns."""

from typing import TYPE_CHECKING

from skat_env.cards import RANKS, SUIT_NAMES, SUIT_SYMBOLS, SUITS, card_symbol, cards_of, rank_of, suit_of
from skat_env.klaverjas.rules import NAME, PASS, PLAIN_RANKS, SEAT_NAMES, TRUMP_RANKS, Phase, partner_of
from skat_env.pictures.table import tricks_text

if TYPE_CHECKING:
    from skat_env.klaverjas._state import KlaverjasPosition, KlaverjasState


def sorted_hand(mask: int, trump: int | None) -> list[int]:
    """The cards in the order in which a player holds them: trumps first, suits from clubs down, high to low."""

    def key(card: int) -> tuple[bool, int, int]:
        is_trump = suit_of(card) == trump
        ranks = TRUMP_RANKS if is_trump else PLAIN_RANKS
        return (is_trump, suit_of(card), ranks.index(RANKS[rank_of(card)]))

    return sorted(cards_of(mask), key=key, reverse=True)


def hand_text(mask: int, trump: int | None) -> str:
    """A hand as `♥J ♥9 ♠A …`, trumps first."""
    return " ".join(card_symbol(card) for card in sorted_hand(mask, trump)) or "-"


def suit_text(suit: int) -> str:
    """A suit as text: `♣ clubs`."""
    return f"{SUIT_SYMBOLS[suit]} {SUIT_NAMES[suit]}"


def declarers_text(state: "KlaverjasPosition") -> str:
    """The declaring team: `south and north`."""
    return " and ".join(name for seat, name in enumerate(SEAT_NAMES) if state.side(seat) == 0)


def label(state: "KlaverjasState", action: int) -> str:
    """The label of an action about to be played: `♠J`, `pass`, `♣ clubs`."""
    if action < PASS:
        return card_symbol(action)
    return "pass" if action == PASS else suit_text(action - NAME)


def arrange(state: "KlaverjasState", actions: list[int]) -> list[int]:
    """Sorts cards as a player holds them; other actions keep their order."""
    cards = sum(1 << action for action in actions if action < PASS)
    return sorted_hand(cards, state.trump) + [action for action in actions if action >= PASS]


def passes(position: "KlaverjasPosition", seat: int) -> bool:
    """Whether a seat passed when trumps were chosen."""
    actions = position.history()
    turn = (seat - position.forehand) % 4
    return PASS in actions[: len(actions) - len(position.plays())][turn : turn + 1]


def seat_marks(position: "KlaverjasPosition", seat: int) -> list[str]:
    """The label of a seat: `declarer`, `forehand`, `passed`."""
    marks = []
    if seat == position.declarer:
        marks.append("declarer")
    if seat == position.forehand:
        marks.append("forehand")
    if passes(position, seat):
        marks.append("passed")
    return marks


def render(state: "KlaverjasState", seat: int | None) -> str:
    """The table as a seat sees it; seat None: with all cards open."""
    position: KlaverjasPosition = state if seat is None else state.view(seat)
    plays = position.plays()
    lines = []
    for each in range(4):
        marks = seat_marks(position, each)
        if seat is not None and each == partner_of(seat):
            marks.append("partner")
        if each == position.to_act:
            marks.append("to act")
        hand = position.hands[each]
        left = 8 - sum(who == each for who, _ in plays)
        cards = hand_text(hand, position.trump) if hand or each == seat or not left else f"{left} cards"
        lines.append(f"{SEAT_NAMES[each]:<11} {cards:<32} {', '.join(marks)}".rstrip())
    if position.trump is not None:
        lines.append(f"{'trumps':<11} {suit_text(position.trump)}")
        for team, name in enumerate(("south-north", "west-east")):
            points, roem, tricks = position.points[team], position.roem[team], position.tricks[team]
            lines.append(f"{name:<11} {points} points, {roem} roem, {tricks_text(tricks)}")
        last = plays[-4:] if len(plays) % 4 == 0 else []
        for title, trick in (("last trick", last), ("on table", position.trick())):
            if trick:
                cards = "  ".join(f"{SEAT_NAMES[who]} {card_symbol(card)}" for who, card in trick)
                lines.append(f"{title:<11} {cards}")
    if position.phase == Phase.OVER:
        result = state.result()
        outcome = "makes it" if result.made else "is nat"
        pit = ", pit" if result.pit else ""
        lines.append(
            f"{SEAT_NAMES[result.declarer]}, {suit_text(SUITS.index(result.trump))}, {outcome}{pit}: "
            f"scores {result.scores[0]} : {result.scores[1]}"
        )
    return "\n".join(lines)
