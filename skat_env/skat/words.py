"""Skat in words: the game's part `text`."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from skat_env.cards import rank_of
from skat_env.skat.render import cards_left, sorted_hand
from skat_env.skat.rules import (
    ANNOUNCE,
    CARD_POINTS,
    DECLARE,
    HAND,
    PASS,
    PICK_UP,
    SEAT_NAMES,
    YES,
    Announcement,
    Contract,
    Phase,
)
from skat_env.text.card_words import SUIT_OF_WORD
from skat_env.text.game_text import CardWriter

if TYPE_CHECKING:
    from skat_env.skat._state import SkatView

RULES: Final = """Skat is played by three with 32 cards: suits diamonds (D), hearts (H), spades (S), clubs (C);
ranks 7 8 9 T J Q K A. The seats are forehand, middlehand and rearhand. Each gets ten cards; two lie face down:
the skat.

Auction. Middlehand bids to forehand: 18, 20, 22, 23, 24, 27, 30, 33, 35, 36, 40 and so on, the values that games can
have. Forehand holds each bid or passes; middlehand goes on or passes. Then rearhand bids to whoever is left. The last
one who has not passed is the soloist and plays alone against the other two. If middlehand and rearhand pass at once,
forehand may take the game at 18. If all pass, the deal is over and nobody scores.

The soloist picks up the skat, names a game and lays two cards aside, face down; or plays hand, without seeing the skat.
In both cases the skat's card points are the soloist's.

Games. Suit game: the four jacks are trumps, clubs over spades over hearts over diamonds, then the seven other cards
of the trump suit A T K Q 9 8 7. Grand: only the jacks are trumps. The other suits rank A T K Q 9 8 7. Null: no trumps,
the suits rank A K Q J T 9 8 7, and the soloist must win no trick.

Tricks. Forehand leads to the first trick. Everybody must follow suit if possible (all trumps are one suit); who cannot
plays any card. The highest trump wins, else the highest card of the suit led. The winner leads to the next trick.

Card points: ace 11, ten 10, king 4, queen 3, jack 2, others 0; 120 in all. In suit games and grand the soloist wins
with 61 or more. With 90 the others are schneider, with all tricks schwarz; who has announced it wins only so.

Value. Base values: diamonds 9, hearts 10, spades 11, clubs 12, grand 24. The multiplier is 1 for the game, plus the
matadors (the unbroken run of highest trumps that the soloist's side has or lacks from the jack of clubs on, skat
included), plus 1 each for hand, schneider, schneider announced, schwarz, schwarz announced, ouvert. Schneider and
schwarz are announced only in a hand game; ouvert (cards open) in a suit game or grand includes both. Null is worth 23,
null hand 35, null ouvert 46, null ouvert hand 59. A game must be worth at least the bid, else it is lost (overbid).

Score (Seeger-Fabian): a soloist who wins gets the value and 50; one who loses loses twice the value and 50, and each
opponent gets 40.

Moves: `pass`; a bid as its number (`20`), also to hold it; `pick up` or `hand`; a game: `diamonds`, `hearts`, `spades`,
`clubs`, `grand`, `null`; an announcement: `none`, `schneider`, `schwarz`, `ouvert`; a card: `CJ`."""

_GAMES: Final = ("diamonds", "hearts", "spades", "clubs", "grand", "null")
_TRICKS: Final = 10
_NAMED: Final = (
    SUIT_OF_WORD
    | dict.fromkeys(("grand", "g"), int(Contract.GRAND))
    | dict.fromkeys(("null", "n"), int(Contract.NULL))
)
"""The games by the words for them."""
_TAKES: Final = frozenset(("pick", "pickup", "take", "skat", "aufnehmen", "up"))
_NONE: Final = frozenset(("none", "nothing", "plain", "no", "announcement", "keine", "nichts"))
_LEVELS: Final = {level.name.lower(): int(level) for level in Announcement if level}
_BESIDE: Final = frozenset((
    "a", "and", "announce", "are", "as", "cards", "choose", "declare", "game", "i", "is", "it", "let", "ll", "name",
    "or", "please", "s", "suit", "take", "the", "trump", "trumps", "two", "want", "will", "with",
))  # fmt: skip
"""Words that may stand beside others. What is not known, as `not` and `without`, may turn a move round."""


class SkatText:
    """Skat in words; see `skat_env.text.game_text.GameText`."""

    rules = RULES
    result = "How many tournament points do you get"

    def long(self, view: "SkatView", card: CardWriter) -> list[str]:
        """All that a seat may know."""
        lines = [f"Skat. You are {SEAT_NAMES[view.seat]}.", *self._auction(view), *self._game(view)]
        if view.contract is not None:
            lines.append(_order(view.contract, view.announcement))
        lines.append(self._hand(view, card))
        lines += self._cards(view, card)
        lines += self._tricks(view, card)
        if not view.is_over:
            lines += self._points(view)
        return lines + _end(view)

    def short(self, view: "SkatView", card: CardWriter) -> list[str]:
        """What a seat needs for its decision."""
        lines = [f"You are {SEAT_NAMES[view.seat]}.", *self._game(view), self._hand(view, card)]
        if view.phase < Phase.PICK_UP:
            lines[1:1] = self._auction(view)
        trick = view.trick()
        if trick:
            lines.append(f"On the table: {_played(trick, card)}.")
        elif view.phase == Phase.PLAY and view.to_act == view.seat:
            lines.append("You lead.")
        if view.phase == Phase.PLAY:
            lines += self._points(view)
        return lines + _end(view)

    def question(self, view: "SkatView") -> str:
        """What the seat to act is asked."""
        return {
            Phase.BID: f"Do you bid {view.next_bid} or pass?",
            Phase.ANSWER: f"Do you hold {view.bid} or pass?",
            Phase.PICK_UP: "Do you pick up the skat or play hand?",
            Phase.CONTRACT: "Which game do you name?",
            Phase.ANNOUNCE: "What do you announce?",
            Phase.DISCARD: "Which card do you lay aside, one at a time?",
        }.get(view.phase, "Which card do you play?")

    def move(self, view: "SkatView", action: int, card: CardWriter) -> str:
        """An action as it is best written."""
        if action < 32:
            return card(action)
        if action == YES:
            return str(view.next_bid if view.phase == Phase.BID else view.bid)
        if DECLARE <= action < ANNOUNCE:
            return _GAMES[action - DECLARE]
        if action >= ANNOUNCE:
            return ("none", "schneider", "schwarz", "ouvert")[action - ANNOUNCE]
        return {PASS: "pass", PICK_UP: "pick up", HAND: "hand"}[action]

    def actions(self, view: "SkatView", words: Sequence[str]) -> set[int]:
        """The actions that words without cards may mean now."""
        said = set(words)
        if not said:
            return set()
        if view.phase == Phase.ANNOUNCE and said - _BESIDE <= _NONE:
            return {ANNOUNCE} if said & _NONE else set()
        if said & {"pass", "passe", "pas", "weg", "no", "nein", "nee"}:
            return {PASS} if len(said) == 1 else set()
        if view.phase in (Phase.BID, Phase.ANSWER):
            return _bid(view, words)
        either = "or" in said
        said -= _BESIDE - (_TAKES if view.phase == Phase.PICK_UP else set())
        if view.phase == Phase.PICK_UP:
            if not said <= _TAKES | _NAMED.keys() | {"hand"}:
                return set()
            return {action for action, meant in ((PICK_UP, said & _TAKES), (HAND, "hand" in said)) if meant}
        if view.phase == Phase.CONTRACT and said <= _NAMED.keys() | _LEVELS.keys() | {"hand"}:
            return {DECLARE + _NAMED[word] for word in said & _NAMED.keys()}
        if view.phase == Phase.ANNOUNCE and said <= _NAMED.keys() | _LEVELS.keys() | {"hand", "announced"}:
            if any(_NAMED[word] != view.contract for word in said & _NAMED.keys()):
                return set()
            levels = {_LEVELS[word] for word in said & _LEVELS.keys()}
            if levels and not either:
                levels = {max(levels)}  # which includes the lower ones
            return {ANNOUNCE + level for level in levels}
        return set()

    def hand(self, view: "SkatView") -> list[int]:
        """The seat's cards, trumps first."""
        return sorted_hand(view.hand, view.contract)

    def _hand(self, view: "SkatView", card: CardWriter) -> str:
        hand = self.hand(view)
        return f"Your hand: {_separated(hand, card)}" if hand else "Your hand is empty."

    def _auction(self, view: "SkatView") -> Iterator[str]:
        said = []
        for seat, name in enumerate(SEAT_NAMES):
            bid = f"bid {view.bids[seat]}" if view.bids[seat] else ""
            passed = "passed" if view.passed[seat] else ""
            if bid or passed:
                said.append(f"{name} {' and '.join(filter(None, (bid, passed)))}")
        yield f"Auction: {'; '.join(said) if said else 'nobody has bid yet'}."

    def _game(self, view: "SkatView") -> Iterator[str]:
        if view.soloist < 0:
            return
        own = view.seat == view.soloist
        words = f"{'You are' if own else f'{SEAT_NAMES[view.soloist].capitalize()} is'} the soloist, bid {view.bid}"
        if view.contract is not None:
            words += f", and {'play' if own else 'plays'} {self._declared(view)}"
        yield f"{words}."

    def _declared(self, view: "SkatView") -> str:
        assert view.contract is not None
        words = _GAMES[view.contract] + (" hand" if view.hand_game else "")
        if view.announcement == Announcement.OUVERT:
            return f"{words} ouvert"
        return f"{words}, {view.announcement.name.lower()} announced" if view.announcement else words

    def _cards(self, view: "SkatView", card: CardWriter) -> Iterator[str]:
        if view.skat:
            yield f"In the skat: {_separated(sorted_hand(view.skat, view.contract), card)}"
        for seat, name in enumerate(SEAT_NAMES):
            if seat == view.seat:
                continue
            hand = view.hands[seat]
            if hand:
                yield f"{name} shows: {_separated(sorted_hand(hand, view.contract), card)}"
            else:
                yield f"{name} has {cards_left(view, seat)} cards."

    def _tricks(self, view: "SkatView", card: CardWriter) -> Iterator[str]:
        plays = view.plays()
        for first in range(0, len(plays) - 2, 3):
            trick = plays[first : first + 3]
            winner = plays[first + 3][0] if first + 3 < len(plays) else view.leader
            points = sum(CARD_POINTS[rank_of(each)] for _, each in trick)
            won = f", won by {SEAT_NAMES[winner]} ({points} card points)" if winner >= 0 else ""
            yield f"Trick {first // 3 + 1}: {_played(trick, card)}{won}."
        if view.trick():
            yield f"On the table: {_played(view.trick(), card)}."
        elif view.phase == Phase.PLAY:
            leads = "You lead" if view.to_act == view.seat else f"{SEAT_NAMES[view.to_act]} leads"
            yield f"{leads} to trick {view.tricks_played + 1} of {_TRICKS}."

    def _points(self, view: "SkatView") -> Iterator[str]:
        if view.phase == Phase.PLAY:
            yield (
                f"Card points in tricks so far: soloist {view.points[0]}, opponents {view.points[1]}; "
                f"tricks {view.tricks[0]} and {view.tricks[1]}."
            )


def _bid(view: "SkatView", words: Sequence[str]) -> set[int]:
    known = [word for word in words if word.isascii() and word.isdecimal() and len(word) < 5]
    numbers = {int(word) for word in known}
    asked = view.next_bid if view.phase == Phase.BID else view.bid
    if numbers - {asked}:
        raise ValueError(f"the bid that is asked for is {asked}")
    others = set(words) - set(known)
    return {YES} if others <= {"yes", "bid", "hold", "ja", "ok", "take", "say"} else set()


def _order(contract: Contract, announcement: Announcement) -> str:
    """The game's rules in one line."""
    if contract == Contract.NULL:
        return "Null: no trumps, suits rank A K Q J T 9 8 7, the soloist must win no trick."
    trumps = "the jacks CJ SJ HJ DJ"
    if contract != Contract.GRAND:
        trumps += f", then {_GAMES[contract]} A T K Q 9 8 7"
    needed = {Announcement.NONE: "61 of 120 card points", Announcement.SCHNEIDER: "90 of 120 card points"}
    aim = needed.get(announcement, "all tricks")  # ouvert includes schwarz
    return f"Trumps are {trumps}; other suits rank A T K Q 9 8 7; the soloist needs {aim}."


def _end(view: "SkatView") -> list[str]:
    if not view.is_over:
        return []
    return ["All passed." if view.soloist < 0 else "The game is over."]


def _played(plays: Sequence[tuple[int, int]], card: CardWriter) -> str:
    return ", ".join(f"{SEAT_NAMES[seat]} {card(played)}" for seat, played in plays)


def _separated(cards: Sequence[int], card: CardWriter) -> str:
    texts = [card(each) for each in cards]
    return (", " if any(" " in text for text in texts) else " ").join(texts)


TEXT: Final = SkatText()
