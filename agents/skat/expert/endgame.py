"""A player whose endings are decided by votes of all the worlds that it thinks possible (Edelkamp 2020, section 8)."""

from typing import Annotated, Final, Literal

import numpy as np

from skat_env.agents.compose.composite import Delegating
from skat_env.agents.skat.bidding.expert_bidding import CHECKPOINT
from skat_env.agents.skat.counted.winning_tables import WinningTables
from skat_env.agents.skat.expert.assumptions import ASSUMPTIONS
from skat_env.agents.skat.expert.bad_skats import BadSkats
from skat_env.agents.skat.expert.voting import MAX_WORLDS, ConfidenceVoting
from skat_env.errors import UnknownName
from skat_env.options import Range, Share, checked_options
from skat_env.own_text import own_text
from skat_env.play.capabilities import Abilities, cheats
from skat_env.protocols import Agent, Decision
from skat_env.registry import make_agent
from skat_env.skat import SkatView
from skat_env.skat.rules import Phase

Side = Literal["both", "soloist", "defenders"]
NO_ASSUMPTION: Final = "none"


class Endgame(Delegating):
    """`endgame(player=rule, start=6)`: a player, and from a trick on the card that most of its worlds vote for.

    Args:
        player: decides up to then, and whenever the worlds are not confident enough.
        start: the number of tricks that are played before the worlds vote.
        side: who lets them vote.
        threshold: the confidence from which their card is played: the share of the worlds in which it wins.
        worlds: the maximum number of worlds, up to a million; if there are more, this many are drawn.
        assumptions: what is assumed of the hidden cards: names joined by `+`, `all` or `none`.
        bad_skats: whether defenders leave out worlds whose skat wins much less often than the best one for the same
            twelve cards.

    Raises:
        ValueError: if an option is out of range, or the player cheats; its subclasses for unknown names.
    """

    @checked_options("endgame")
    def __init__(
        self,
        player: str | Agent = "rule",
        *,
        start: Annotated[int, Range(ge=0, le=10)] = 6,
        side: Side = "both",
        threshold: Share = 1.0,
        worlds: Annotated[int, Range(ge=1, le=MAX_WORLDS)] = 1000,
        assumptions: str = NO_ASSUMPTION,
        bad_skats: bool = False,
        game: str = "skat",
    ) -> None:
        self._player = make_agent(player, game)
        if cheats(self._player):
            raise ValueError(
                f"endgame with player={self._player.name}: a player that cheats knows the world already"
            )
        self.delegate_to(self._player, own=Abilities())
        self._plays = 3 * start
        self._sides = {"both": (True, False), "soloist": (True,), "defenders": (False,)}[side]
        self._threshold = threshold
        tables = BadSkats(WinningTables.load(CHECKPOINT)) if bad_skats else None
        self._voting = ConfidenceVoting(worlds, assumptions_named(assumptions), tables)
        always = ("player", "start", "side", "threshold", "worlds", "assumptions")
        self.name = own_text(self, "endgame", *always, player=self._player)

    def decide(self, view: SkatView, rng: np.random.Generator) -> Decision:
        """The card with the most votes, if they suffice; otherwise the player's decision.

        Of cards with as many votes the player's is played, if it is one of them, otherwise the first.
        """
        if view.phase != Phase.PLAY or len(view.plays()) < self._plays or view.is_soloist not in self._sides:
            return self._player.decide(view, rng)
        cards = view.legal_actions()
        if len(cards) == 1:
            return Decision(cards[0])
        own = self._player.decide(view, rng)
        ballot = self._voting.vote(view, rng)
        stats = {"worlds": ballot.worlds, "confidence": ballot.confidence}
        if ballot.confidence < self._threshold or own.action in ballot.best:
            return Decision(own.action, own.weights, own.value, {**own.stats, **stats})
        weights = np.zeros(64, np.float32)
        weights[ballot.best] = 1 / len(ballot.best)
        return Decision(ballot.best[0], weights, stats=stats)


def assumptions_named(text: str) -> tuple[str, ...]:
    """The assumptions in a text: names joined by `+`, `all` or `none`.

    Raises:
        UnknownName: if there is no such assumption.
    """
    if text == NO_ASSUMPTION:
        return ()
    if text == "all":
        return tuple(ASSUMPTIONS)
    for name in text.split("+"):
        if name not in ASSUMPTIONS:
            alone = [] if "+" in text else ["all", NO_ASSUMPTION]
            raise UnknownName("assumption", name, [*alone, *ASSUMPTIONS])
    # In the order in which they are given up.
    return tuple(name for name in ASSUMPTIONS if name in text.split("+"))
