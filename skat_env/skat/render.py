"""The table as text for people: cards in suit symbols, trumps first, within 80 columns."""

from typing import TYPE_CHECKING, Final

from skat_env.cards import RANKS, SUIT_SYMBOLS, card_symbol, cards_of, rank_of, suit_of
from skat_env.pictures.table import tricks_text
from skat_env.skat.rules import (
    ACTION_TEXTS,
    ANNOUNCE,
    DECLARE,
    HIDDEN,
    NULL_RANKS,
    SEAT_NAMES,
    TRUMP_GAME_RANKS,
    YES,
    Announcement,
    Contract,
    Phase,
)

if TYPE_CHECKING:
    from skat_env.skat._state import SkatPosition, SkatState

CARDS_IN_PLAY: Final = 30
"""The cards of ten tricks."""


def sorted_hand(mask: int, contract: Contract | None) -> list[int]:
    """The cards in the order in which a player holds them: trumps first, suits from clubs down, high to low."""
    null = contract == Contract.NULL
    order = NULL_RANKS if null else TRUMP_GAME_RANKS + "J"

    def key(card: int) -> tuple[bool, int, int]:
        jack = not null and RANKS[rank_of(card)] == "J"
        trump = jack or suit_of(card) == contract
        strength = order.index(RANKS[rank_of(card)])
        return (
            trump,
            suit_of(card) if not jack and not trump else 9,
            strength * 4 + (suit_of(card) if jack else 0),
        )

    return sorted(cards_of(mask), key=key, reverse=True)


def hand_text(mask: int, contract: Contract | None) -> str:
    """A hand as `♣J ♠J ♥A …`, trumps first."""
    return " ".join(card_symbol(card) for card in sorted_hand(mask, contract)) or "-"


def declaration_text(position: "SkatPosition") -> str:
    """`grand hand, schneider announced`; empty before a contract is declared."""
    if position.contract is None:
        return ""
    words = contract_text(position.contract)
    if position.hand_game:
        words += " hand"
    if position.announcement == Announcement.OUVERT:
        words += " ouvert"
    elif position.announcement:
        words += f", {position.announcement.name.lower()} announced"
    return words


def label(state: "SkatState", action: int) -> str:
    """The label of an action about to be played: `♠J`, `bid 20`, `♣ clubs`."""
    if action < 32:
        return card_symbol(action)
    if action == YES:
        return f"bid {state.next_bid}" if state.phase == Phase.BID else f"hold {state.bid}"
    if DECLARE <= action < ANNOUNCE:
        return contract_text(Contract(action - DECLARE))
    return "nothing to announce" if action == ANNOUNCE else ACTION_TEXTS[action].replace("-", " ")


def arrange(state: "SkatState", actions: list[int]) -> list[int]:
    """Sorts cards as a player holds them; other actions keep their order."""
    cards = sum(1 << action for action in actions if action < 32)
    return sorted_hand(cards, state.contract) + [action for action in actions if action >= 32]


def contract_text(contract: Contract) -> str:
    """A contract as text: `♣ clubs`, `grand`."""
    name = contract.name.lower()
    return f"{SUIT_SYMBOLS[contract]} {name}" if contract < Contract.GRAND else name


def seat_marks(position: "SkatPosition", seat: int) -> list[str]:
    """The label of a seat: `soloist` or `passed`, `bid 20`."""
    marks = []
    if seat == position.soloist:
        marks.append("soloist")
    elif position.passed[seat]:
        marks.append("passed")
    if position.bids[seat]:
        marks.append(f"bid {position.bids[seat]}")
    return marks


def render(state: "SkatState", seat: int | None) -> str:
    """The table as a seat sees it; seat None: with all cards open."""
    position: SkatPosition = state if seat is None else state.view(seat)
    contract = position.contract
    lines = []
    for each in range(3):
        marks = seat_marks(position, each)
        if each == position.to_act:
            marks.append("to act")
        hand = position.hands[each]
        cards = hand_text(hand, contract) if hand or each == seat else f"{cards_left(position, each)} cards"
        lines.append(f"{SEAT_NAMES[each]:<11} {cards:<40} {', '.join(marks)}".rstrip())
    lines.append(f"{'skat':<11} {hand_text(position.skat, contract) if position.skat else '? ?'}")
    if position.phase in (Phase.PLAY, Phase.OVER) and position.soloist >= 0:
        lines.append(f"{'game':<11} {declaration_text(position)}, bid {position.bid}")
        for side, name in enumerate(("soloist", "defenders")):
            lines.append(f"{name:<11} {position.points[side]} points, {tricks_text(position.tricks[side])}")
        plays = position.plays()
        last = plays[-3:] if len(plays) % 3 == 0 else []
        for title, trick in (("last trick", last), ("on table", position.trick())):
            if trick:
                cards = "  ".join(f"{SEAT_NAMES[who]} {card_symbol(card)}" for who, card in trick)
                lines.append(f"{title:<11} {cards}")
    if position.is_over:
        result = state.result()
        if result.declarer < 0:
            lines.append("everybody passed")
        else:
            outcome = "wins" if result.won else "loses"
            # All know the result. Card points include the skat, which is not shown where a game ends early.
            counted = seat is None or position.skat or len(position.plays()) == CARDS_IN_PLAY
            points = f" with {result.card_points} card points" if counted else ""
            lines.append(
                f"{SEAT_NAMES[result.declarer]} {outcome} {result.contract} worth {result.value}{points}"
            )
            lines.append(
                f"tournament points {' '.join(f'{points:+d}' for points in result.tournament_points)}"
            )
    return "\n".join(lines)


def cards_left(position: "SkatPosition", seat: int) -> int:
    """The number of cards that a seat holds; the soloist has twelve until it discards."""
    actions, plays = position.history(), position.plays()
    extra = 0
    if seat == position.soloist and position.picked_up:
        before_play = actions[: len(actions) - len(plays)]
        extra = (
            0 if plays or position.phase == Phase.PLAY else 2 - sum(not 32 <= a < HIDDEN for a in before_play)
        )
    return 10 + extra - sum(1 for who, _ in plays if who == seat)
