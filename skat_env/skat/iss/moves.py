"""Replaying the moves of an ISS record through the rules, and writing a game's actions as such moves.

A move is a pair of words, mover and move; the mover is `w`, the server, or a seat. Grammar: `notation.py`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from skat_env.cards import ALL_CARDS_MASK, CARD_TEXTS, cards_of, mask_text, parse_card
from skat_env.deal import Deal
from skat_env.errors import IllegalAction, ParseError
from skat_env.records import HiddenCards
from skat_env.skat._state import SkatState
from skat_env.skat.rules import (
    ANNOUNCE,
    BID_VALUES,
    DECLARE,
    FOREHAND,
    HAND,
    NUM_SEATS,
    PASS,
    PICK_UP,
    PLACE_SIZES,
    SEAT_NAMES,
    SKAT_PLACE,
    YES,
    Announcement,
    Contract,
    Declaration,
    Phase,
    SkatRules,
    Start,
)  # fmt: skip

Moves = list[tuple[str, str]]
HIDDEN_TEXT: Final = "??"
_SEATS: Final = ("0", "1", "2", "nobody")
"""The seats' names in messages; index -1 is for a finished game, in which nobody is to act."""
_CARD: Final = {text: card for card, text in enumerate(CARD_TEXTS)}
_BIT: Final = {text: 1 << card for card, text in enumerate(CARD_TEXTS)}
_BID: Final = {str(value): value for value in BID_VALUES}
_declaration: Final = lru_cache(maxsize=256)(Declaration.parse)


@dataclass(frozen=True, slots=True)
class Replayed:
    """What moves lead to."""

    state: SkatState
    """The position after the moves that could be replayed."""
    claim: bool | None
    """Whether the remaining tricks go to the soloist; None: they go to nobody."""
    reason: str
    """Why the game was broken off; empty: it was not."""
    by_server: bool
    """Whether the server broke it off."""
    end: tuple[str, ...]
    """The moves that are no actions of the state, mover and move in turn: those that end it, and what is hidden."""


def replay_moves(words: Sequence[str]) -> Replayed:
    """Replays moves.

    Jump bids are expanded into steps. A game that continues after it is lost is replayed with `play_out`. If a player
    left or ran out of time during the play, the remaining tricks go to the other side.

    Raises:
        HiddenCards: if the deal hides cards that the moves do not reveal.
        ParseError: if a move is malformed or illegal.
    """
    if len(words) % 2:
        raise ParseError(
            f"the moves are pairs of mover and move, but the last mover '{words[-1]}' has no move"
        )
    moves = list(zip(words[::2], words[1::2], strict=True))
    table = MoveTable(moves)
    for number, (mover, move) in enumerate(moves[1:], 2):
        try:
            table.take_move(mover, move)
        except (ParseError, IllegalAction) as error:
            raise ParseError(f"move {number}, '{mover} {move}': {error}") from None
    return table.outcome()


class MoveTable:
    """A game that is brought on by moves: a recorded one, or one at a server."""

    def __init__(self, moves: Moves) -> None:
        self.moves = moves
        self.state = SkatState.new(_deal(moves))
        self.step: Callable[[str], None] = self.bid
        """The method that plays the next move."""
        self.answering = False
        """Whether the seat to act has to answer a bid."""
        self.resigned: set[str] = set()
        self.shown = False
        self.gone = -1
        """The first seat that left or ran out of time; -1: none."""
        self.reason = ""
        """What became of it."""
        self.blind = ""
        """Why the rest of the game cannot be replayed; empty: it can."""
        self.end: Moves = []
        """The moves that are no actions of the state."""

    def take_move(self, mover: str, move: str) -> None:
        """Plays a move."""
        if mover == _SEATS[self.state.to_act] and move != "RE" and not move.startswith("SC"):
            if self.blind:
                self.end.append((mover, move))
            else:
                self.step(move)
                if self.end and not self.blind:
                    # Play went on after a card shown or a resignation; that somebody left stays true.
                    self.end = [each for each in self.end if each[0] == "w"]
        elif mover == "w":
            self.server(move)
        elif mover not in _SEATS[:NUM_SEATS]:
            raise ParseError("expected a mover 0, 1, 2 or w")
        elif move == "RE":
            self.resigned.add(mover)
            self.end.append((mover, move))
        elif move.startswith("SC"):
            self.show(mover, move)
            self.end.append((mover, move))
        elif self.state.is_over and move in _CARD and self.is_lost():
            # The rules end a lost game at once; this record continues.
            played = self.state
            self.state = _again(played, SkatRules(play_out=True))
            self.take_move(mover, move)
        elif self.blind:
            self.end.append((mover, move))
        else:
            raise ParseError(f"it is the turn of {_SEATS[self.state.to_act]}")

    def server(self, move: str) -> None:
        """Follows what the server does: somebody left or ran out of time, or the skat is shown."""
        kind, _, seat = move.partition(".")
        if kind in ("LE", "TI") and seat in _SEATS[:NUM_SEATS]:
            if self.gone < 0:
                self.gone = int(seat)
                self.reason = f"seat {seat} {'left' if kind == 'LE' else 'ran out of time'}"
            self.end.append(("w", move))
            return
        words = move.split(".")
        if self.state.phase != Phase.CONTRACT or not self.state.picked_up or len(words) != 2:
            raise ParseError("expected LE.n, TI.n, or after 's' the two cards of the skat")
        if any(
            word != HIDDEN_TEXT and not self.state.dealt[SKAT_PLACE] >> parse_card(word) & 1 for word in words
        ):
            raise ParseError(f"the deal has {mask_text(self.state.dealt[SKAT_PLACE])} in the skat")

    def bid(self, move: str) -> None:
        """Follows a bid, an answer or a pass."""
        if move == "p":
            self.state.apply(PASS)
            self.answering = False
        elif self.answering:
            if move != "y":
                raise ParseError("expected the answer y or p")
            self.state.apply(YES)
            self.answering = False
        elif move in _BID:
            self.raise_to(_BID[move])
        else:
            raise ParseError("expected a bid or p")
        if self.state.soloist >= 0:
            self.step = self.pick_up

    def raise_to(self, value: int) -> None:
        """Bids a value; lower values are bid and held first."""
        state = self.state
        if value <= state.bid:
            raise ParseError(f"expected a bid above {state.bid}")
        while state.next_bid != value:
            if state.to_act == FOREHAND:
                # After two passes nobody can hold the steps; by the rules, forehand can bid 18 only.
                self.state = SkatState.after_auction(state.deal, FOREHAND, (value, 0, 0))
                return
            state.apply(YES)
            state.apply(YES)
        state.apply(YES)
        self.answering = state.soloist < 0

    def pick_up(self, move: str) -> None:
        """Follows the skat that is taken, or the declaration of a hand game."""
        if move == "s":
            self.state.apply(PICK_UP)
            self.step = self.declare
        else:
            self.state.apply(HAND)
            self.declare(move)

    def declare(self, move: str) -> None:
        """Follows a declaration, with discards if they come with it."""
        state = self.state
        hand = state.hand_game
        declaration, laid, listed = read_declaration(move, hand)
        state.apply(DECLARE + declaration.contract)
        if hand or declaration.contract == Contract.NULL:
            state.apply(ANNOUNCE + declaration.announcement)
        if hand:
            self.step = self.play
        elif laid:
            self.lay(laid)
        else:
            self.step = self.discard
        self.check_held(state.soloist, listed)

    def discard(self, move: str) -> None:
        """Follows two discards."""
        laid, listed = read_discards(move, self.state.announcement)
        self.lay(laid)
        self.check_held(self.state.soloist, listed)

    def lay(self, words: Sequence[str]) -> None:
        """Discards two cards; if they are hidden, those of the twelve that are never played."""
        self.step = self.play
        if HIDDEN_TEXT in words:
            seat = _SEATS[self.state.soloist]
            kept = {_CARD[move] for mover, move in self.moves if mover == seat and move in _CARD}
            if len(kept) < 10:
                self.lose_track(".".join(words), "the discards are hidden")
                return
            laid = [card for card in cards_of(self.state.hands[self.state.soloist]) if card not in kept]
            if len(laid) != 2 or any(word != HIDDEN_TEXT and parse_card(word) not in laid for word in words):
                raise ParseError("the discards contradict the cards that the soloist plays")
        else:
            laid = [parse_card(word) for word in words]
        for card in laid:
            self.state.apply(card)

    def play(self, move: str) -> None:
        """Follows a card."""
        if move in _CARD:
            self.state.apply(_CARD[move])
        elif move == HIDDEN_TEXT:
            legal = self.state.legal_actions()
            if len(legal) == 1:
                self.state.apply(legal[0])
            else:
                self.lose_track(move, f"a card of seat {self.state.to_act} is hidden")
        else:
            raise ParseError("expected a card")

    def lose_track(self, move: str, reason: str) -> None:
        """Notes that the moves from this one on cannot be replayed."""
        self.blind = reason
        self.end.append((_SEATS[self.state.to_act], move))

    def show(self, mover: str, move: str) -> None:
        """Follows cards that are shown."""
        code, *words = move.split(".")
        if code != "SC" or self.step != self.play or mover != _SEATS[self.state.soloist]:
            raise ParseError("expected SC, and cards if any, from the soloist during the play")
        self.check_held(self.state.soloist, words)
        self.shown = True

    def check_held(self, seat: int, words: Sequence[str]) -> None:
        """Raises a ParseError if the seat does not hold one of the cards."""
        for word in words:
            if word != HIDDEN_TEXT and not self.blind and not self.state.hands[seat] >> parse_card(word) & 1:
                raise ParseError(f"seat {seat} does not hold {word}")

    def is_lost(self) -> bool:
        """Whether the soloist has a trick in null, or the defenders have one against an announced schwarz."""
        won, lost = self.state.tricks
        if self.state.contract == Contract.NULL:
            return won > 0
        return self.state.announcement >= Announcement.SCHWARZ and lost > 0

    def outcome(self) -> Replayed:
        """Where the moves led."""
        claim, reason = self.claim()
        end = tuple(word for pair in self.end for word in pair)
        return Replayed(self.state, claim, reason, self.gone >= 0, end)

    def claim(self) -> tuple[bool | None, str]:
        """Whether the soloist gets the remaining tricks (None: nobody), and why the game was broken off."""
        reason = self.reason or self.blind
        if self.state.is_over:
            return None, reason
        if self.state.phase != Phase.PLAY:
            return None, reason or f"the moves end in the phase {self.state.phase.name.lower()}"
        if self.gone >= 0:
            return self.gone != self.state.soloist, reason
        if reason:
            return None, reason
        if _SEATS[self.state.soloist] in self.resigned or self.is_lost():
            return False, ""
        if self.resigned or self.shown:
            return True, ""
        return None, "the moves end in the play"


def read_declaration(move: str, hand: bool) -> tuple[Declaration, list[str], list[str]]:
    """The declaration in a move, with its two discards and the ten cards of an ouvert game, as far as it has them.

    Raises:
        ParseError: if the move is none of a hand game, or of a game with the skat.
    """
    text, *cards = move.split(".")
    declaration = _declaration(text + "H" if hand else text)
    if declaration.hand != hand:
        raise ParseError("a hand game is declared, but the skat was picked up")
    listed = 10 if declaration.announcement == Announcement.OUVERT else 0
    if len(cards) not in ({0, listed} if hand else {0, 2, listed, 2 + listed}):
        expected = "no" if hand else "two discards or no"
        raise ParseError(
            f"expected {expected} cards after the declaration, and after an ouvert one also the hand"
        )
    laid = len(cards) % 10
    return declaration, cards[:laid], cards[laid:]


def read_discards(move: str, announcement: Announcement) -> tuple[list[str], list[str]]:
    """The two discards in a move of their own, and the ten cards of an ouvert game if they follow.

    Raises:
        ParseError: if the move is something else.
    """
    cards = move.split(".")
    if len(cards) not in ({2, 12} if announcement == Announcement.OUVERT else {2}):
        raise ParseError("expected the two discards, as in SK.S7")
    return cards[:2], cards[2:]


def _again(state: SkatState, rules: SkatRules) -> SkatState:
    """The same game, replayed under other rules."""
    if state.start == Start.DEAL:
        again = SkatState.new(state.deal, rules)
    else:
        again = SkatState.after_auction(state.deal, state.soloist, state.bids, rules)
    for action in state.history():
        again.apply(action)
    return again


def _deal(moves: Moves) -> Deal:
    """The deal in the first move; hidden cards are found from the other moves."""
    words = moves[0][1].split(".") if moves and moves[0][0] == "w" else []
    if len(words) != 32:
        raise ParseError("the moves start with 'w' and the 32 cards joined by dots")
    try:
        bits = [_BIT[word] for word in words]
    except KeyError:
        return _revealed_deal(words, moves)
    if sum(bits) != ALL_CARDS_MASK:
        raise _twice(words)
    return Deal((sum(bits[:10]), sum(bits[10:20]), sum(bits[20:30]), bits[30] | bits[31]))


def _twice(words: Sequence[str]) -> ParseError:
    twice = next(word for number, word in enumerate(words) if word in words[:number])
    return ParseError(f"the deal has {twice} twice")


def _revealed_deal(words: Sequence[str], moves: Moves) -> Deal:
    """The deal with its hidden cards, which were played, discarded, shown, picked up, or are left over for one place.

    Raises:
        HiddenCards: if several places lack cards at the end.
    """
    places = [_known_mask(words[10 * place : 10 * place + 10]) for place in range(4)]
    known = [word for word in words if word != HIDDEN_TEXT]
    if len(set(known)) < len(known):
        raise _twice(known)
    shown = [0, 0, 0]
    picker = -1
    for mover, move in moves[1:]:
        cards = [word for word in move.split(".") if word in _CARD]
        if mover in _SEATS[:NUM_SEATS]:
            if move == "s":
                picker = int(mover)
            for word in cards:
                shown[int(mover)] |= _BIT[word]
        else:
            places[SKAT_PLACE] |= _known_mask(cards)
    for seat in range(NUM_SEATS):
        if seat != picker:
            places[seat] |= shown[seat]
        elif places[SKAT_PLACE].bit_count() == 2:
            places[seat] |= shown[seat] & ~places[SKAT_PLACE]
        elif places[seat].bit_count() == 10:
            places[SKAT_PLACE] |= shown[seat] & ~places[seat]
    everything = places[0] | places[1] | places[2] | places[SKAT_PLACE]
    open_places = [place for place in range(4) if places[place].bit_count() < PLACE_SIZES[place]]
    if len(open_places) > 1:
        names = [*SEAT_NAMES, "the skat"]
        raise HiddenCards(
            f"cards of {' and '.join(names[place] for place in open_places)} are hidden", "skat"
        )
    for place in open_places:
        places[place] |= ALL_CARDS_MASK & ~everything
    if any(mask.bit_count() != size for mask, size in zip(places, PLACE_SIZES, strict=True)):
        raise ParseError("the moves contradict the deal: a seat shows other cards than it was dealt")
    return Deal(tuple(places))


def _known_mask(words: Sequence[str]) -> int:
    mask = 0
    for word in words:
        if word != HIDDEN_TEXT:
            mask |= 1 << parse_card(word)
    return mask


def moves_of(state: SkatState, claim: bool | None) -> list[str]:
    """The moves of a game as words that `replay_moves` reads.

    A game that starts after its auction gets the shortest auction with the same soloist and bid. In one that starts
    with the cardplay, the soloist picks up the skat and discards it again. A claim is written as resignations.
    """
    dealt = [CARD_TEXTS[card] for mask in state.dealt for card in cards_of(mask)]
    words = ["w", ".".join(dealt), *_auction_words(state)]
    declaration = state.declaration
    history = state.history()
    plays = state.plays()
    seat = str(state.soloist)
    if state.picked_up:
        words += [seat, "s", "w", _dotted(cards_of(state.dealt[SKAT_PLACE]))]
    if state.phase not in (Phase.PLAY, Phase.OVER) or declaration is None:
        if declaration is not None and state.phase == Phase.DISCARD:
            words += [seat, declaration.text()]
    elif declaration.hand:
        words += [seat, declaration.text()]
    else:
        first = len(history) - len(plays)
        laid = (
            cards_of(state.dealt[SKAT_PLACE]) if state.start == Start.CARDPLAY else history[first - 2 : first]
        )
        words += [seat, f"{declaration.text()}.{_dotted(laid)}"]
    for player, card in plays:
        words += [str(player), CARD_TEXTS[card]]
    if claim is not None:
        for player in range(NUM_SEATS):
            if (player == state.soloist) != claim:
                words += [str(player), "RE"]
    return words


def _dotted(cards: Sequence[int]) -> str:
    return ".".join(CARD_TEXTS[card] for card in cards)


def _auction_words(state: SkatState) -> list[str]:
    if state.start != Start.DEAL:
        bid = [str(state.soloist), str(state.bid)]
        return {
            0: ["1", "p", "2", "p", *bid],
            1: [*bid, "0", "p", "2", "p"],
            2: ["1", "p", *bid, "0", "p"],
        }[state.soloist]
    words: list[str] = []
    replayed = SkatState.new(state.deal)
    for action in state.history():
        if action not in (PASS, YES):
            break
        seat, answering = replayed.to_act, replayed.phase == Phase.ANSWER
        replayed.apply(action)
        words += [_SEATS[seat], "p" if action == PASS else "y" if answering else str(replayed.bid)]
    return words
