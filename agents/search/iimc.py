"""Imperfect-information Monte Carlo search: sampled worlds are played out by players who see only their own cards.

Furtak and Buro 2013 (recursive Monte Carlo search). Each action is tried in each sampled world, and from there an inner
agent plays all seats, each on what it sees. So the players in the worlds do not know where the cards lie, as the
open-card players of `pimc` do.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.compose.composite import Delegating
from skat_env.agents.search.objectives import result_objective, result_objective_name
from skat_env.agents.search.pimc import Pimc, merged
from skat_env.agents.search.race import try_actions
from skat_env.agents.search.rollouts import Rollouts
from skat_env.beliefs.belief import Belief
from skat_env.beliefs.posterior import PlayerInference, drawn_models
from skat_env.options import Count, NonNegative, Share, checked_options
from skat_env.own_text import own_text
from skat_env.play.capabilities import Abilities, cheats, decide, drawn_worlds, require_turn
from skat_env.play.players import Seated
from skat_env.protocols import Agent, Decision, State, View, World, WorldSampler
from skat_env.registry import get_game, has_part, make_agent, make_belief

INFERRED: Final = "inferred"
"""The opponents of a search that follow the models of its belief."""


class Iimc(Delegating):
    """Samples worlds, plays each on after each action, and plays the action with the best mean result.

    The worth of a finished game is the own side's result in the match unit less the other side's. All actions are tried
    in the same worlds with the same luck of the inner agents. Where a single world is possible, nothing is hidden, and
    the open-card solver decides among all legal cards, for the same result.

    Worlds played out have the blind spots of the inner agent: they condemn a card whose plan it cannot play on. Open
    cards have others, so that with `open_cards` a share of the worth is what they give.

    Args:
        worlds: the number of worlds sampled; all of them if there are no more.
        inner: the agent that plays all seats in the worlds, or its name; networks play many worlds at once. One that
            cheats sees the cards of the worlds, not the true ones; it has no choice of its own for the real game, so
            that the best action is played: with the open-card player `pimc(belief=cheating)` this is PIMC.
        opponents: who plays the other side's seats in the worlds: an agent, or its name; `inferred`: in each world the
            model of the belief that a seat's past decisions make likely there; None: the inner agent.
        belief: the sampler of worlds, or its name.
        caution: the inner agent's own choice is kept unless another action is better by so many standard errors of the
            difference, which is paired by world.
        open_cards: the share of open-card play in the worth of an action, in place of worlds played out.
        race: an action that is behind the best by more than so many standard errors of the difference after 16, 32, 64
            and so on worlds is not tried further; None: all actions are tried in all worlds.
        threshold: actions to which the inner agent gives a smaller probability are not tried, nor any where its own
            choice is all that is left.
        bidder: the agent for everything before the cardplay, or its name; None: the inner agent, if it does not cheat.

    Raises:
        ValueError: if an option is out of range; its subclasses for unknown names.
    """

    @checked_options("iimc")
    def __init__(
        self,
        worlds: Count = 80,
        *,
        inner: str | Agent = "policy",
        opponents: str | Agent | None = None,
        belief: str | WorldSampler = "uniform",
        caution: NonNegative = 1.0,
        threshold: Share = 0.01,
        open_cards: Share = 0.0,
        race: NonNegative | None = None,
        bidder: str | Agent | None = None,
        game: str,
    ) -> None:
        self.worlds = worlds
        self.inner = make_agent(inner, game)
        self.belief = make_belief(belief, game)
        if self.belief.cheats:
            raise ValueError("iimc with a belief that cheats: expected one that sees a view alone")
        self._inner_cheats = cheats(self.inner)
        if self._inner_cheats and bidder is None:
            raise ValueError(
                f"iimc with inner={self.inner.name}, which cheats: expected a bidder besides, as it sees a view alone"
            )
        self.bidder = self.inner if bidder is None else make_agent(bidder, game)
        self._inference = _inference(self.belief) if opponents == INFERRED else None
        others = [opponents] if self._inference is None else self._inference.models
        self.opponents = [make_agent(other, game) for other in others if other is not None]
        playing = [agent for agent in (self.inner, *self.opponents) if not cheats(agent)]
        self.delegate_to(self.bidder, *playing, own=Abilities())
        self._caution, self._threshold, self._open_share, self._race = caution, threshold, open_cards, race
        self.rollouts = Rollouts(self.inner, game, self.opponents)
        self._open_worth = result_objective(game, 1) if open_cards else None
        self._open: Pimc | None = None
        if has_part(game, "objectives"):
            self._open = Pimc(1, objective=result_objective_name(game), bidder=self.bidder, game=game)
        about = get_game(game)
        self._cardplay, self._seats = about.stages[-1], len(about.seats)
        always = ("worlds", "inner", "belief", "caution", "threshold")
        made = {"inner": self.inner, "belief": self.belief, "bidder": self.bidder}
        if self.opponents and self._inference is None:
            made["opponents"] = self.opponents[0]
        self.name = own_text(self, "iimc", *always, **made)

    def decide(self, view: View, rng: np.random.Generator) -> Decision:
        """The search's decision in the cardplay, before it the bidder's; a single legal card is played unsearched."""
        if view.stage != self._cardplay:
            return self.bidder.decide(view, rng)
        return self._card(view, rng)

    def decide_knowing(self, view: View, state: State, rng: np.random.Generator) -> Decision:
        """The decision with a bidder that cheats, which gets the true state; the search in the cardplay does not."""
        if view.stage != self._cardplay:
            return decide(self.bidder, view, state, rng)
        return self._card(view, rng)

    def _card(self, view: View, rng: np.random.Generator) -> Decision:
        require_turn(view)
        if view.legal().bit_count() == 1:
            return Decision(view.legal_actions()[0])
        if self._open is not None and (belief := Belief(view)).count == 1:
            states = belief.states(belief.sample(1, rng), rng)
            return self._open.vote([World(state, 1.0) for state in states], view.legal_actions())
        chosen = None if self._inner_cheats else self.inner.decide(view, rng)
        actions = view.legal_actions() if chosen is None else self._candidates(view, chosen)
        if chosen is not None and len(actions) == 1:
            return chosen
        states, weights = merged(drawn_worlds(self.belief, view, self.worlds, rng))
        seated = self._seated(view, states, rng)
        salt = int(rng.integers(2**62))
        own = None if chosen is None else chosen.action
        tried = try_actions(
            lambda first, end, some: self._worths(states[first:end], some, salt, first, seated[first:end]),
            weights,
            actions,
            self._race,
            own,
        )
        actions, means = tried.actions, tried.means
        best = tried.best(own, self._caution)
        means_of = tried.dropped | dict(zip(actions, means.tolist(), strict=True))
        stats = {"worlds": len(tried.values), "means": means_of}
        shares = np.zeros(64, np.float32)
        shares[actions[best]] = 1.0
        return Decision(actions[best], shares, float(means[best]), stats)

    def _seated(self, view: View, states: list[State], rng: np.random.Generator) -> Seated:
        """Who plays each seat of each world, as `Rollouts.results`."""
        seated = np.zeros((len(states), self._seats), np.int16)
        if self.opponents:
            found = self._inference
            models = 0 if found is None else drawn_models(found, view, states, self._seats, rng)
            opposed = [view.side(seat) != view.side(view.seat) for seat in range(self._seats)]
            seated[:] = np.where(opposed, 1 + models, 0)
        return seated

    def _worths(
        self, states: list[State], actions: list[int], salt: int, first: int, seated: Seated
    ) -> NDArray[np.float64]:
        """What actions are worth in some worlds, the first of them with this number; float64 [worlds, actions]."""
        played = self.rollouts.results(states, actions, salt, first, seated)
        if self._open_worth is None:
            return played
        share = self._open_share
        return (1 - share) * played + share * self._open_worth.values(states, actions)

    def _candidates(self, view: View, chosen: Decision) -> list[int]:
        """The actions to try, the inner agent's choice among them."""
        actions = view.legal_actions()
        if chosen.weights is None:
            return actions
        return [a for a in actions if a == chosen.action or chosen.weights[a] >= self._threshold]


def _inference(belief: WorldSampler) -> PlayerInference:
    """A belief that infers the other players.

    Raises:
        ValueError: if it does not.
    """
    if not isinstance(belief, PlayerInference):
        raise ValueError(
            f"iimc with opponents={INFERRED} and belief={belief.name}: expected one that infers players, such as policy"
        )
    return belief
