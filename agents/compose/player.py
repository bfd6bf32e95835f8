"""An agent made of two: one for everything before the cardplay, one for the cards."""

from agents.compose.composite import Composite
from skat_env.options import checked_options
from skat_env.protocols import Agent, View
from skat_env.registry import get_game, make_agent


class Player(Composite):
    """Combines any bidder with any cardplayer: `player(bidding=rule, cardplay=pimc(worlds=40))`."""

    @checked_options("player")
    def __init__(self, bidding: str | Agent, cardplay: str | Agent, *, game: str) -> None:
        self._bidder = make_agent(bidding, game)
        self._cardplayer = make_agent(cardplay, game)
        self._cardplay = get_game(game).stages[-1]
        parts = (self._bidder, self._cardplayer)
        super().__init__(f"player(bidding={self._bidder.name}, cardplay={self._cardplayer.name})", parts)

    def part(self, view: View) -> Agent:
        """The cardplayer in the cardplay, before it the bidder."""
        return self._cardplayer if view.stage == self._cardplay else self._bidder
