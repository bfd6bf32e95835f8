"""A player whose moves are a function of what it sees, in words and without: the same games through every door."""

import os
import zlib
from typing import Any, Final

import numpy as np

from skat_env.cards import CARD_TEXTS
from skat_env.doors.session import Session
from skat_env.protocols import Decision
from skat_env.registry import make_agent
from skat_env.text.describe import text_of

DEALS: Final = int(os.environ.get("SKAT_ENV_DEALS", "6"))
"""Deals of each game that are compared; SKAT_ENV_DEALS=200 is the long version."""


class WordedPlayer:
    """Calls as `rule` does, and plays a card that the text of the view picks, or that `rule` does."""

    name = "player"

    def __init__(self, game: str, cards: str = "picked") -> None:
        self.game = game
        self._picks = cards == "picked"
        self._rule = make_agent("rule", game)

    def decide(self, view: Any, rng: np.random.Generator) -> Decision:
        legal = view.legal_actions()
        if legal[-1] >= 32 or not self._picks:
            return Decision(self._rule.decide(view, rng).action)
        return Decision(legal[zlib.crc32(view.text().encode()) % len(legal)])

    def words(self, view: Any) -> str:
        """The move as a model may write it."""
        action = self.decide(view, np.random.default_rng(0)).action
        move = text_of(self.game).move(view, action, CARD_TEXTS.__getitem__)
        return f"I have thought about [it]. My move: [{move}]"


def play_all(session: Session, player: WordedPlayer) -> Session:
    """A session that is played to its end."""
    while not session.is_over:
        session.play(player.words(session.view()))
    return session
