"""What an agent thinks of a position: the votes and values of its actions, and where it believes the hidden cards lie.

Everything is made of a seat's View. Only where a game is reviewed with open cards, it is held against the true cards.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.compose.composite import Composite
from skat_env.beliefs.belief import POSSIBLE, Belief, UniformSampler
from skat_env.beliefs.posterior import ImportanceSample, InferringSampler, Posterior
from skat_env.cards import card_symbol
from skat_env.play.capabilities import cheats
from skat_env.protocols import Agent, Decision, Game, State, View, WorldSampler
from skat_env.registry import get_part, has_part
from skat_env.tools.json_file import finite

WORLDS: Final = 500
"""Worlds that are drawn of a belief that does not know their probabilities."""
CARDS: Final = 32
"""Actions below are cards."""
_BY_ACTION: Final = ("means", "values")
"""The statistics that have a value for each action."""

Thoughts = dict[str, Any]


def think(
    game: Game,
    view: View,
    agent: Agent,
    belief: WorldSampler | None = None,
    *,
    decision: Decision | None = None,
    course: Sequence[Mapping[str, Any]] = (),
    truth: State | None = None,
    seed: int = 0,
) -> Thoughts:
    """What an agent thinks of a View whose seat is to act, as JSON holds it.

    Without `truth`, the same View gives the same thoughts, whatever cards its seat does not see.

    Args:
        game: the game of the view.
        view: the view; its seat is to act.
        agent: the agent.
        belief: the belief that says where cards lie; None: the agent's own, or if it has none, what the rules allow.
        decision: what the agent decided here; None: it is asked.
        course: the seat's earlier values in the game, as `point_of` gives them.
        truth: the State of the view, against which the belief is held; None: it is not.
        seed: the seed of all randomness.

    Returns:
        `kind` "thoughts", `seat`, `agent` (its name), `action` and `label` of what it plays, its `value` for the seat
        and the `unit` of it, `actions` (each with `action`, `label`, `card` or None, `weight` and `value` or None),
        `stats` (numbers by name), `course` with the value here at its end, and `belief` as `believe` gives it.

    Raises:
        ValueError: if the seat is not to act, or the agent or the belief needs the true cards.
    """
    if view.to_act != view.seat:
        raise ValueError(f"{game.seats[view.seat]} is not to act here: an agent decides for the seat to act")
    if cheats(agent):
        raise ValueError(
            f"the agent '{agent.name}' needs the true cards: expected one that sees its own only"
        )
    decision = agent.decide(view, np.random.default_rng(seed)) if decision is None else decision
    values = values_of(decision)
    belief = belief_of(game, agent, view) if belief is None else belief
    thoughts = {
        "kind": "thoughts",
        "seat": view.seat,
        "agent": agent.name,
        "action": int(decision.action),
        "label": game.label(view, decision.action),
        "value": _plain(decision.value),
        "unit": decision.unit or game.match_unit,
        "actions": [
            {
                "action": action,
                "label": game.label(view, action),
                "card": action if action < CARDS else None,
                "weight": None if decision.weights is None else float(decision.weights[action]),
                "value": values.get(action),
            }
            for action in game.arrange(view, view.legal_actions())
        ],
        "stats": {
            name: _plain(value)
            for name, value in decision.stats.items()
            if isinstance(value, int | float | np.number)
        },
        "course": [*course, point_of(game, view, decision)],
        "belief": believe(game, view, belief, truth=truth, seed=seed),
    }
    return finite(thoughts)  # type: ignore[no-any-return]


def values_of(decision: Decision) -> Mapping[int, float]:
    """The value of each action that a decision tells; empty if it tells none."""
    told: Mapping[int, Any] = next(
        (decision.stats[name] for name in _BY_ACTION if isinstance(decision.stats.get(name), Mapping)), {}
    )
    return {action: float(value) for action, value in told.items()}


def _plain(number: Any) -> Any:
    """A number as JSON holds it: agents may give those of numpy."""
    return number.item() if isinstance(number, np.generic) else number


def point_of(game: Game, position: State | View, decision: Decision) -> Thoughts:
    """A decision as a point of the course of a game: the `number` of actions before it, its `value` and its `unit`."""
    unit = decision.unit or game.match_unit
    return {"number": len(position.history()), "value": _plain(decision.value), "unit": unit}


def belief_of(game: Game, agent: Agent, view: View) -> WorldSampler:
    """The belief with which an agent decides at a View; if it has none, what the rules allow."""
    own: Any = getattr(_part(game, agent, view), "belief", None)
    return own if hasattr(own, "worlds") and not own.cheats else UniformSampler()


def believe(
    game: Game, view: View, belief: WorldSampler, *, truth: State | None = None, seed: int = 0
) -> Thoughts:
    """Where a belief expects the cards that a View does not show, as JSON holds it.

    Args:
        game: the game of the view.
        view: the view.
        belief: the belief.
        truth: the State of the view, against which the belief is held; None: it is not.
        seed: the seed of all randomness.

    Returns:
        `name` of the belief, `worlds` that the view allows, `exact` or of a sample of `drawn` worlds, `places` (the
        numbers of the places that hold unknown cards), `place_names`, and `cards`: each unknown one with `card`,
        `label` and `chances`, the probability of each of the places.
        With `truth`, each card has its place as `truth`, an index into `places`; `ratio` is the probability of the true
        world times the number of worlds (Solinas, Rebstock and Buro 2019, equation 2: the true-state sampling ratio),
        which is 1 without inference and None if the belief does not know it; `mean` is the mean probability of the
        true place over the cards that the rules leave open, None if there are none.

    Raises:
        ValueError: if the belief needs the true cards.
    """
    if belief.cheats:
        raise ValueError(f"the belief '{belief.name}' needs the true cards: expected one that infers them")
    rules = Belief(view)
    posterior, chances, drawn = _chances(view, rules, belief, np.random.default_rng(seed))
    places = [place for place, slots in enumerate(rules.slots) if slots]
    cards = game.arrange(view, rules.cards)
    told: Thoughts = {
        "name": belief.name,
        "worlds": rules.count,
        "exact": not drawn,
        "drawn": drawn,
        "places": places,
        "place_names": [place_name(game, place) for place in places],
        "cards": [
            {"card": card, "label": card_symbol(card), "chances": chances[card, places].tolist()}
            for card in cards
        ],
    }
    if truth is not None:
        row = rules.row(truth)
        said = rules.marginals()
        open_cards = np.any((said > POSSIBLE) & (said < 1 - POSSIBLE), axis=1).tolist()
        for each in told["cards"]:
            each["truth"] = next(n for n, place in enumerate(places) if row[place] >> each["card"] & 1)
        right = [each["chances"][each["truth"]] for each in told["cards"] if open_cards[each["card"]]]
        told["mean"] = float(np.mean(right)) if right else None
        told["ratio"] = None
        if posterior is not None:
            told["ratio"] = float(posterior.probability(row[None])[0]) * rules.count
    return finite(told)  # type: ignore[no-any-return]


def _chances(
    view: View, rules: Belief, belief: WorldSampler, rng: np.random.Generator
) -> tuple[Posterior | None, NDArray[np.float64], int]:
    """The posterior if it is known, float64 [32, places], and the worlds drawn for it; 0: it is exact."""
    if isinstance(belief, InferringSampler):
        posterior = belief.posterior(view, rng)
        drawn = 0
        if isinstance(posterior, ImportanceSample) and posterior.drawn != "all":
            drawn = len(posterior.rows)
        return posterior, posterior.marginals(), drawn
    worlds = belief.worlds(view, WORLDS, rng)
    total = sum(world.weight for world in worlds)
    chances = np.zeros((CARDS, len(rules.slots)))
    bits = np.arange(CARDS, dtype=np.uint32)
    for world in worlds:
        chances += world.weight / total * (rules.row(world.state) >> bits[:, None] & 1)
    return None, chances, len(worlds)


def place_name(game: Game, place: int) -> str:
    """The name of a place of a deal: a seat, or what lies apart, as the skat does."""
    seats = len(game.seats)
    if place < seats:
        return game.seats[place]
    others = get_part(game.name, "review").others if has_part(game.name, "review") else ()
    return others[place - seats] if place - seats < len(others) else f"place {place}"


def _part(game: Game, agent: Agent, view: View) -> Agent:
    """The part of an agent made of others that decides at a view."""
    if isinstance(agent, Composite):
        return _part(game, agent.part(view), view)
    bidder = getattr(agent, "bidder", None)
    if view.stage != game.stages[-1] and isinstance(bidder, Agent):
        return _part(game, bidder, view)
    return agent
