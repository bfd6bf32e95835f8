"""A game at the ISS as one seat hears it, and the moves by which an agent answers."""

from collections.abc import Sequence
from copy import copy
from typing import Final

import numpy as np

from skat_env.cards import CARD_TEXTS, mask_text, parse_card, parse_mask
from skat_env.errors import ParseError
from skat_env.protocols import Agent
from skat_env.skat._state import SkatView
from skat_env.skat.iss.lines import SERVER, own_hand
from skat_env.skat.iss.moves import HIDDEN_TEXT, read_declaration, read_discards
from skat_env.skat.rules import (
    ACTION_TEXTS,
    ANNOUNCE,
    CONTRACT_LETTERS,
    FOREHAND,
    PLACE_SIZES,
    SKAT_PLACE,
    Announcement,
    Contract,
    Phase,
)

_HIDDEN: Final = "?"
_OUVERT: Final = ACTION_TEXTS[ANNOUNCE + Announcement.OUVERT]


class SeatGame:
    """Follows a game by what the server says to a seat.

    Args:
        seat: the seat, from 0.
        deal: the deal as the server tells it to the seat.

    Raises:
        ParseError: if the deal does not show the seat's cards.
    """

    def __init__(self, seat: int, deal: str) -> None:
        self.seat = seat
        self._places = [_HIDDEN] * (SKAT_PLACE + 1)
        self._places[seat] = own_hand(deal, seat)
        self._head = ""
        self._open: int | None = None
        """The cards that a soloist who plays ouvert has left, for the others."""
        self._actions: list[str] = []
        self._waits = False
        """Whether the last move has a second part: the skat that the seat picks up, or the discards."""
        self._resigned: set[int] = set()
        self.is_broken = False
        """Whether somebody left, resigned or ran out of time: no more moves are asked for."""
        self.view = self._read()
        """What the seat may know."""

    def _read(self) -> SkatView:
        """The view after the actions so far.

        Raises:
            ParseError: if they contradict the rules.
        """
        head = f"seat={self.seat}{self._head}"
        if self._open is not None and not self._waits:
            head += f" open={mask_text(self._open)}"
        return SkatView.parse(f"{'/'.join(self._places)} {head} : {' '.join(self._actions)}")

    def hear(self, mover: str, move: str) -> None:
        """Follows a move.

        Raises:
            ParseError: if it cannot be read, or the rules do not allow it; the game stays as it was.
        """
        before = copy(vars(self))
        before |= {name: copy(before[name]) for name in ("_places", "_actions", "_resigned")}
        try:
            self._hear(mover, move)
            self.view = self._read()
        except ValueError as error:
            vars(self).update(before)
            raise ParseError(f"the move '{mover} {move[:40]}': {error}") from None

    def _hear(self, mover: str, move: str) -> None:
        if mover == SERVER:
            kind = move.partition(".")[0]
            if kind in ("LE", "TI"):
                self.is_broken = True
            elif kind != HIDDEN_TEXT:
                skat = parse_mask(move)
                if skat.bit_count() != PLACE_SIZES[SKAT_PLACE]:
                    raise ParseError("expected the two cards of the skat")
                self._places[SKAT_PLACE] = mask_text(skat)
                self._actions.append("pick-up")
                self._waits = False
            return
        view = self.view
        if mover not in ("0", "1", "2"):
            raise ParseError("expected a mover 0, 1, 2 or w")
        if move == "RE":
            self._resigned.add(int(mover))
            self.is_broken = view.soloist in self._resigned or len(self._resigned) == 2
        elif move.startswith("SC"):
            pass
        elif int(mover) != view.to_act:
            raise ParseError(f"it is the turn of {view.to_act}")
        elif view.phase == Phase.BID:
            self._bid(view, move)
        elif view.phase == Phase.ANSWER:
            self._actions.append({"y": "yes", "p": "pass"}[_one_of(move, "y", "p")])
        elif view.phase == Phase.PICK_UP:
            if move == "s" and view.to_act == self.seat:
                self._waits = True
            elif move == "s":
                self._actions.append("pick-up")
            else:
                self._actions.append("hand")
                self._declare(move, hand=True)
        elif view.phase == Phase.CONTRACT:
            self._declare(move, hand=False)
        elif view.phase == Phase.DISCARD:
            self._lay(*read_discards(move, view.announcement))
        else:
            card = parse_card(move)
            self._actions.append(CARD_TEXTS[card])
            if self._open is not None:
                self._open &= ~(1 << card)

    def _bid(self, view: SkatView, move: str) -> None:
        if move == "p":
            self._actions.append("pass")
            return
        try:
            value = int(move)
        except ValueError:
            raise ParseError("expected a bid or p") from None
        if value <= view.bid:
            raise ParseError(f"expected a bid above {view.bid}")
        if view.to_act == FOREHAND and value != view.next_bid:
            # After two passes nobody can hold the steps; by the rules forehand can bid 18 only.
            self._head, self._actions = f" declarer=0 bids={value},0,0", []
            return
        while view.next_bid != value:
            if not 0 < view.next_bid < value:
                raise ParseError(f"{value} is no bid")
            self._actions += ["yes", "yes"]
            view = self._read()
        self._actions.append("yes")

    def _declare(self, move: str, hand: bool) -> None:
        declaration, laid, listed = read_declaration(move, hand)
        self._actions.append(CONTRACT_LETTERS[declaration.contract])
        if hand or declaration.contract == Contract.NULL:
            self._actions.append(ACTION_TEXTS[ANNOUNCE + declaration.announcement])
        self._waits = not hand
        self._lay(laid, listed)

    def _lay(self, laid: Sequence[str], listed: Sequence[str]) -> None:
        """Follows discards, and the hand of an ouvert game, as far as a move has them."""
        mine = self.view.to_act == self.seat
        if laid:
            self._actions += laid if mine else [_HIDDEN] * len(laid)
            self._waits = False
        if listed and not mine:
            self._open = parse_mask(".".join(listed))
        if _OUVERT in self._actions and not (mine or self._waits or self._open):
            raise ParseError("expected the ten cards of an ouvert game")

    def is_mine(self) -> bool:
        """Whether the server waits for this seat."""
        return not self.is_broken and not self._waits and self.view.to_act == self.seat

    def decide(self, agent: Agent, rng: np.random.Generator) -> str:
        """An agent's move, as the server takes it: a declaration is one move with its announcement and discards."""
        ahead = copy(self)
        ahead._actions = list(self._actions)
        while True:
            view = ahead.view
            before = view.phase
            action: str = ACTION_TEXTS[agent.decide(view, rng).action]
            if before == Phase.BID:
                return "p" if action == "pass" else str(view.next_bid)
            if before == Phase.ANSWER:
                return "p" if action == "pass" else "y"
            if action == "pick-up":
                return "s"
            if before == Phase.PLAY:
                return action
            ahead._actions.append(action)
            ahead.view = ahead._read()
            if ahead.view.phase in (Phase.PLAY, Phase.OVER):
                return declaration_move(ahead.view)


def declaration_move(view: SkatView) -> str:
    """The move of a soloist that has declared and put away its cards; an ouvert one lists its hand."""
    declaration = view.declaration
    assert declaration is not None
    words = [declaration.text()]
    if not declaration.hand:
        words += [CARD_TEXTS[card] for card in view.history()[-2:]]
    if declaration.announcement == Announcement.OUVERT:
        words.append(mask_text(view.places[view.seat]))
    return ".".join(words)


def _one_of(move: str, *words: str) -> str:
    if move not in words:
        raise ParseError(f"expected {' or '.join(words)}")
    return move
