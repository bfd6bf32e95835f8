"""XSkat as an engine: `python engines/xskat/xskat.py`, once `build.py` has built it."""

import ctypes
import sys
from pathlib import Path
from typing import Final

import numpy as np

from skat_env.agents.engine.serve import serve
from skat_env.beliefs.belief import UniformSampler
from skat_env.cards import CARD_TEXTS, cards_of
from skat_env.errors import EngineError, OptionError
from skat_env.protocols import Decision
from skat_env.registry import AGENT_GROUP, register
from skat_env.skat import SkatState, SkatView
from skat_env.skat.rules import (
    ANNOUNCE,
    CARD_POINTS,
    DECLARE,
    HAND,
    NUM_SEATS,
    PASS,
    PICK_UP,
    SKAT_PLACE,
    YES,
    Announcement,
    Contract,
    Phase,
)

LIBRARY: Final = Path(__file__).parent / "libxskat.so"
BID_ONLY: Final = 17
"""The limit of a hand that bids 18 and holds no bid."""
NULL: Final = -1
"""XSkat's number of null; the other contracts have ours."""
RANKS: Final = (7, 6, 5, 1, 4, 3, 2, 0)
"""XSkat's rank, from the ace down with the jack after the queen, of each of ours, 7 8 9 T J Q K A."""
THEIRS: Final = tuple(card & 24 | RANKS[card & 7] for card in range(32))
"""XSkat's number of each card."""
OURS: Final = tuple(THEIRS.index(card) for card in range(32))
"""The card of each of XSkat's numbers."""


class Game(ctypes.Structure):
    """A position of the cardplay, as `player.c` has it."""

    _fields_ = (
        ("deal", ctypes.c_int * 32),
        *(
            (name, ctypes.c_int)
            for name in ("soloist", "trump", "hand", "schneider", "schwarz", "ouvert", "bid")
        ),
        ("put_away", ctypes.c_int * 2),
        ("played", ctypes.c_int * 30),
        ("count", ctypes.c_int),
    )


class Answer(ctypes.Structure):
    """What XSkat says of it."""

    _fields_ = (
        ("legal", ctypes.c_int * 30),
        ("winners", ctypes.c_int * 10),
        ("points", ctypes.c_int * 2),
        *((name, ctypes.c_int) for name in ("value", "won", "card")),
    )


class XSkat:
    """XSkat 4.0 as an agent.

    It is given whole deals: cards that its seat does not see are dealt at random, as the view allows.

    Raises:
        OptionError: for another game than Skat, or if the library is not built.
    """

    name = "xskat"

    def __init__(self, *, game: str) -> None:
        if game != "skat":
            raise OptionError(f"XSkat plays Skat, not {game}")
        if not LIBRARY.is_file():
            raise OptionError(
                f"'{LIBRARY}' is missing: build it by python {Path(__file__).with_name('build.py')} SOURCES"
            )
        self._library = ctypes.CDLL(str(LIBRARY))
        self._belief = UniformSampler()

    def decide(self, view: SkatView, rng: np.random.Generator) -> Decision:
        """XSkat's decision."""
        state = self._belief.worlds(view, 1, rng)[0].state
        if view.phase == Phase.PLAY:
            card = self._play(state).card
            if card < 0:
                raise EngineError(f"XSkat does not play a lost null game on, at '{view.text()}'")
            return Decision(OURS[card])
        if view.phase in (Phase.BID, Phase.ANSWER):
            return Decision(self._bid(view, state))
        return Decision(self._declare(view, state))

    def _bid(self, view: SkatView, state: SkatState) -> int:
        limit = self._library.xskat_limit(_cards(state), view.seat)
        asked = view.next_bid if view.phase == Phase.BID else view.bid
        bids_18 = limit == BID_ONLY and asked == 18 and view.phase == Phase.BID
        return YES if asked and (limit >= asked or bids_18) else PASS

    def _declare(self, view: SkatView, state: SkatState) -> int:
        answer = (ctypes.c_int * 5)()
        self._library.xskat_declare(_cards(state), view.seat, view.bid, answer)
        hand, trump, ouvert, *put_away = answer
        if view.phase == Phase.PICK_UP:
            return HAND if hand else PICK_UP
        if view.phase == Phase.CONTRACT:
            return DECLARE + (Contract.NULL if trump == NULL else trump)
        if view.phase == Phase.ANNOUNCE:
            return ANNOUNCE + (Announcement.OUVERT if ouvert else Announcement.NONE)
        first, second = sorted(OURS[card] for card in put_away)
        return first if 1 << first & view.legal() else second

    def _play(self, state: SkatState) -> Answer:
        """XSkat's answer at a position of the cardplay.

        Raises:
            EngineError: if XSkat does not allow a card that was played.
        """
        contract, announcement = state.contract, state.announcement
        assert contract is not None
        null = contract == Contract.NULL
        played = [THEIRS[card] for _, card in state.plays()]
        game = Game(
            _cards(state), state.soloist, NULL if null else int(contract), state.hand_game,
            not null and announcement >= Announcement.SCHNEIDER, not null and announcement >= Announcement.SCHWARZ,
            announcement == Announcement.OUVERT, state.bid,
            tuple(THEIRS[card] for card in cards_of(state.skat)), tuple(played), len(played),
        )  # fmt: skip
        answer = Answer()
        refused = self._library.xskat_play(ctypes.byref(game), ctypes.byref(answer))
        if refused >= 0:
            raise EngineError(f"XSkat does not allow card {refused + 1} of '{state.text()}'")
        return answer

    def judge(self, state: SkatState) -> dict[str, str]:
        """The facts of a position of the cardplay, by XSkat's rules."""
        plays_on = state.rules.play_out and state.contract == Contract.NULL
        if state.phase not in (Phase.PLAY, Phase.OVER) or state.contract is None or plays_on:
            return {}
        answer = self._play(state)
        count, skat = len(state.plays()), sum(CARD_POINTS[card & 7] for card in cards_of(state.skat))
        found = {"points": f"{answer.points[0] - skat},{answer.points[1]}"}
        if state.is_over and answer.card >= 0:  # an announcement that is lost already: XSkat plays on
            return found
        if state.is_over:
            score = [0] * NUM_SEATS
            score[state.soloist] = answer.value if answer.won else -answer.value
            return {**found, "list_score": ",".join(map(str, score))}
        legal = cards_of(answer.legal[count] & 0xFFFFFFFF)
        leader = answer.winners[count // NUM_SEATS - 1] if count >= NUM_SEATS else 0
        return {
            **found,
            "legal": ",".join(CARD_TEXTS[OURS[card]] for card in legal),
            "turn": str((leader + count) % NUM_SEATS),
        }


def _cards(state: SkatState) -> ctypes.Array[ctypes.c_int]:
    """The cards as they were dealt, by XSkat's numbers; where a game began with its cardplay, as they lay then."""
    cards = [THEIRS[card] for place in range(SKAT_PLACE + 1) for card in cards_of(state.dealt[place])]
    return (ctypes.c_int * 32)(*cards)


if __name__ == "__main__":
    register(AGENT_GROUP, "xskat", XSkat)
    sys.setswitchinterval(0.0005)
    raise SystemExit(serve("xskat", iter(sys.stdin.readline, ""), sys.stdout))
