"""An agent made of others: one for the auction, one for the declaration, one for the cards."""

from skat_env.agents.compose._staged import StagedLanes
from skat_env.agents.compose.composite import Composite
from skat_env.options import checked_options
from skat_env.own_text import own_text
from skat_env.play._lanes import LanePlayer
from skat_env.play.lanes import asked_alone, in_lanes
from skat_env.protocols import Agent, View
from skat_env.registry import get_game, make_agent


class Player(Composite):
    """Combines any bidder with any cardplayer: `player(bidding=rule, cardplay=pimc(worlds=40))`.

    Args:
        bidding: decides before the cardplay.
        cardplay: plays the cards.
        declaring: decides between the first stage and the cardplay, in games with such a stage (Skat: picking up,
            declaring, discarding); None: the bidder does.

    Raises:
        ValueError: for unknown names, or if the game has no stage between.
    """

    @checked_options("player")
    def __init__(
        self, bidding: str | Agent, cardplay: str | Agent, *, declaring: str | Agent | None = None, game: str
    ) -> None:
        stages = get_game(game).stages
        if declaring is not None and len(stages) < 3:
            raise ValueError(f"player with declaring: {game} has only the stages {' and '.join(stages)}")
        self._bidder = make_agent(bidding, game)
        self._cardplayer = make_agent(cardplay, game)
        self._declarer = self._bidder if declaring is None else make_agent(declaring, game)
        self._auction, self._cardplay, self._stages = stages[0], stages[-1], len(stages)
        parts = {"bidding": self._bidder, "cardplay": self._cardplayer, "declaring": self._declarer}
        super().__init__(own_text(self, "player", **parts), tuple(parts.values()))

    def part(self, view: View) -> Agent:
        """The cardplayer in the cardplay, the bidder in the first stage, in between the declarer."""
        if view.stage == self._cardplay:
            return self._cardplayer
        return self._bidder if view.stage == self._auction else self._declarer

    def in_lanes(self) -> LanePlayer | None:
        """The same in lanes; None if no part plays in lanes, or one can neither do that nor be asked alone."""
        parts = {id(part): in_lanes(part) for part in (self._bidder, self._declarer, self._cardplayer)}
        for part in (self._bidder, self._declarer, self._cardplayer):
            if parts[id(part)] is None and not asked_alone(part):
                return None
        if not any(parts.values()):
            return None
        by_stage = [self._bidder, *[self._declarer] * (self._stages - 2), self._cardplayer]
        return StagedLanes([parts[id(part)] for part in by_stage])
