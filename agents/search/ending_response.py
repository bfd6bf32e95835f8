"""The exact best response to a model of the other players in the last tricks, over all worlds of a belief."""

from collections.abc import Mapping
from typing import Annotated, Any, Final

import numpy as np

from skat_env.agents.compose.composite import Composite
from skat_env.beliefs.belief import Belief
from skat_env.beliefs.posterior import InferringSampler
from skat_env.errors import OptionError
from skat_env.options import Range, checked_options
from skat_env.own_text import own_text
from skat_env.play.capabilities import cheats
from skat_env.protocols import Agent, Decision, View, WorldSampler
from skat_env.registry import get_game, get_part, make_agent, make_belief
from skat_env.solvers.endings.ending import Ending, TooLarge
from skat_env.solvers.endings.outcome import Outcomes
from skat_env.solvers.endings.policy import AgentPolicy
from skat_env.solvers.endings.response import best_response

MAX_TRICKS: Final = 4
PAIRS: Final = 3_000_000
"""The most pairs of a history and a world of an ending that is solved: a second or two."""
WORLDS: Final = 10_000
"""The most worlds of an ending that is solved; four tricks of Klaverjas have up to 34,650. With more a model that draws
its cards has over `PAIRS`, and one that does not would be asked for in too many views."""


class EndingResponse(Composite):
    """Another player up to the last tricks, and there the best response to a model of the others.

    Nobody is taken to see what it does not: the others play the model's cards, each by what it sees, and the seat's own
    later cards depend on no more than what it will see. What counts is the game's last outcome of endings: tournament
    points in Skat, the final difference in Klaverjas.

    Args:
        player: decides before the last tricks, and where an ending is too large.
        tricks: the number of tricks left, the one on the table included, from which on it responds.
        model: how the others play: an agent whose cards follow from what it sees. The weights of its decisions, if they
            have any, are its probabilities.
        belief: how likely each world is, or its name.

    Raises:
        ValueError: if an option is out of range, the player cheats, the belief has no probabilities, or the model
            cheats or remembers; its subclasses for unknown names.
    """

    @checked_options("ending_response")
    def __init__(
        self,
        player: str | Agent = "policy",
        *,
        tricks: Annotated[int, Range(ge=1, le=MAX_TRICKS)] = 3,
        model: str | Agent = "policy(cardplay=sample)",
        belief: str | WorldSampler = "uniform",
        game: str,
    ) -> None:
        self._player, others = make_agent(player, game), make_agent(model, game)
        if cheats(self._player):
            raise OptionError(
                f"ending_response with player={self._player.name}: a player that cheats knows the world already"
            )
        sampler = make_belief(belief, game)
        if not isinstance(sampler, InferringSampler):
            raise OptionError(
                f"ending_response with belief={sampler.name}: it has no probabilities of worlds"
            )
        about = get_game(game)
        self._cardplay, self._plays = about.stages[-1], (about.place_sizes[0] - tricks) * len(about.seats)
        self._responder = _Responder(self._player, AgentPolicy(others, samples=None), sampler, game)
        parts = {"player": self._player, "model": others, "belief": sampler}
        super().__init__(own_text(self, "ending_response", "tricks", *parts, **parts), (self._player,))

    def part(self, view: View) -> Agent:
        """The player up to the last tricks."""
        is_late = view.stage == self._cardplay and len(view.plays()) >= self._plays
        return self._responder if is_late else self._player


class _Responder:
    """Plays endings; those that are too large as the player."""

    name = "ending_response"

    def __init__(self, player: Agent, policy: AgentPolicy, belief: InferringSampler, game: str) -> None:
        self._player, self._belief, self._game = player, belief, game
        self._policies: Mapping[int, AgentPolicy] = dict.fromkeys(range(len(get_game(game).seats)), policy)
        self._outcomes: Outcomes = get_part(game, "endings")

    def decide(self, view: View, rng: np.random.Generator) -> Decision:
        """The card with the highest expected outcome, the first of equals."""
        actions = view.legal_actions()
        if len(actions) == 1:
            return Decision(actions[0])
        if Belief(view).count > WORLDS:
            return self._player.decide(view, rng)
        *_, outcome = self._outcomes(view)
        options: dict[str, Any] = {"outcome": outcome, "pairs": PAIRS}
        ending = Ending.of_view(view, game=self._game, belief=self._belief.posterior(view, rng), **options)
        try:
            found = best_response(ending, view.seat, self._policies)
        except TooLarge:
            return self._player.decide(view, rng)
        assert found.best is not None
        weights = np.zeros(64, np.float32)
        weights[found.best] = 1
        stats = {"worlds": len(ending.states), "means": dict(found.cards)}
        return Decision(found.best, weights, found.cards[found.best], stats, ending.outcome.name)
