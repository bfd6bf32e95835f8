"""`expert`: Edelkamp's player, with expert rules for the first tricks and votes of all worlds for the last (2020)."""

from pathlib import Path
from typing import Annotated, Final, Literal

import numpy as np

from skat_env.agents.compose.composite import Composite
from skat_env.agents.skat.expert._reactive import Reactive
from skat_env.agents.skat.expert.endgame import NO_ASSUMPTION, Endgame, assumptions_named
from skat_env.agents.skat.expert.openings import OpeningTables, Source
from skat_env.agents.skat.expert.reactive import rules_without
from skat_env.agents.skat.expert.voting import MAX_WORLDS
from skat_env.agents.skat.rule import RuleAgent
from skat_env.options import Range, Share, checked_options
from skat_env.own_text import own_text
from skat_env.play.capabilities import cheats, require_views
from skat_env.protocols import Agent, Decision, View
from skat_env.registry import make_agent
from skat_env.skat import GAME, SkatView
from skat_env.skat.rules import Contract

CHECKPOINT: Final = "skat-openings"
BIDDING: Final = "expert_bidding"
WITHOUT: Final = "pairing_discard"
"""The rule that is off by default: a convention gains nothing with a partner who does not read it."""


class Expert(Composite):
    """Bids and discards by winning probabilities, plays by opening tables and expert rules, and lets worlds vote.

    The cards of null games are played as by `rule`.

    Args:
        endgame: who lets its worlds vote on the last tricks; D+O-, D-O+, D+O+ and D-O- in the paper.
        start: the number of tricks that are played before they vote.
        threshold: the confidence from which their card is played: the share of the worlds in which it wins.
        worlds: the maximum number of worlds, up to a million; if there are more, this many are drawn.
        assumptions: what is assumed of the hidden cards: names joined by `+`, `all` or `none`.
        bad_skats: whether defenders leave out worlds whose skat wins much less often than the best one for the same
            twelve cards.
        without: the rules that are switched off: names joined by `+`, or `none`.
        source: what the opening tables advise: the cards that are `marked` best by open cards, those `played` most, or
            the mean of `both`.
        checkpoint: the opening tables, by name or path.
        bidding: the agent for everything before the cardplay, or its name.

    Raises:
        ValueError: if an option is out of range, or the bidding cheats; its subclasses for unknown names and for
            checkpoints that cannot be used.
    """

    @checked_options("expert")
    def __init__(
        self,
        endgame: Literal["soloist", "defenders", "both", "none"] = "both",
        *,
        start: Annotated[int, Range(ge=0, le=10)] = 6,
        threshold: Share = 0.8,
        worlds: Annotated[int, Range(ge=1, le=MAX_WORLDS)] = 1000,
        assumptions: str = NO_ASSUMPTION,
        bad_skats: bool = False,
        without: str = WITHOUT,
        source: Source = "played",
        checkpoint: str | Path = CHECKPOINT,
        bidding: str | Agent = BIDDING,
        game: str = "skat",
    ) -> None:
        assumptions_named(assumptions)
        openings = OpeningTables.load(checkpoint).for_play(source)
        self._bidding = make_agent(bidding, game)
        if cheats(self._bidding):
            raise ValueError(f"expert with bidding={self._bidding.name}: it may not see the others' cards")
        self._cardplay: Agent = ReactivePlayer(Reactive(openings, rules_without(without)))
        if endgame != "none":
            self._cardplay = Endgame(
                self._cardplay,
                start=start,
                side=endgame,
                threshold=threshold,
                worlds=worlds,
                assumptions=assumptions,
                bad_skats=bad_skats,
                game=game,
            )
        votes = ("start", "threshold", "worlds") if endgame != "none" else ()
        name = own_text(self, "expert", "endgame", *votes, bidding=self._bidding)
        super().__init__(name, (self._bidding, self._cardplay))

    def part(self, view: View) -> Agent:
        """The player of the cards in the cardplay, before it the bidding.

        Raises:
            ValueError: if the view is of another game, or its seat is not to act.
        """
        require_views(GAME, [view])
        return self._cardplay if view.stage == GAME.stages[-1] else self._bidding


class ReactivePlayer:
    """The cardplay of the reactive players, and of `rule` in null games."""

    name = "reactive"

    def __init__(self, reactive: Reactive) -> None:
        self._reactive = reactive
        self._null = RuleAgent()

    def decide(self, view: SkatView, rng: np.random.Generator) -> Decision:
        """A legal card; `rng` is not used."""
        if view.contract == Contract.NULL:
            return self._null.decide(view, rng)
        return Decision(self._reactive.card(view))
