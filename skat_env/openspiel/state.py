"""A state of a game of OpenSpiel."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyspiel

from skat_env.beliefs.belief import UniformSampler
from skat_env.cards import card_text
from skat_env.openspiel.variant import CARDS, Variant
from skat_env.protocols import State


class OpenSpielState(pyspiel.State):
    """A position of one of our games, or a deal of which some cards are still to come.

    Players are the seats, or the sides with `players=sides`; actions have the numbers that they have in the game.
    """

    # OpenSpiel clones a state by making a new one and copying what is in `__dict__`: the variant is not copied.
    __slots__ = ("__dict__", "variant")

    def __init__(self, game: pyspiel.Game, variant: Variant) -> None:
        super().__init__(game)
        self.variant = variant
        self.dealt: tuple[int, ...] = ()
        """The places of the cards dealt so far; empty again when the position is there."""
        self.position: Any = None
        """The position, a `State` of the game; None before all chance is drawn."""

    def __reduce__(self) -> Any:
        return after, (self.get_game(), self.history())

    def current_player(self) -> int:
        """The player to act, or OpenSpiel's numbers for chance and for the end."""
        if self.position is None:
            return int(pyspiel.PlayerId.CHANCE)
        seat = self.position.to_act
        return int(pyspiel.PlayerId.TERMINAL) if seat < 0 else self.variant.player_of(self.position, seat)

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.position is not None and self.position.is_over

    def _legal_actions(self, player: int) -> list[int]:
        """The legal actions of the player to act, ascending."""
        legal: list[int] = self.position.legal_actions()
        return legal

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The outcomes of chance and their probabilities: places of the next card, heads, or given positions."""
        return self.variant.chances(self.dealt)

    def _apply_action(self, action: int) -> None:
        """Plays an action, or lets chance have an outcome."""
        variant = self.variant
        if self.position is not None:
            self.position.apply(action)
        elif variant.starts:
            self.position = variant.starts[action].state.clone()
        elif len(self.dealt) == CARDS:
            self.position, self.dealt = variant.begin(self.dealt, action), ()
        elif len(self.dealt) == CARDS - 1 and len(variant.heads) == 1:
            self.position, self.dealt = variant.begin((*self.dealt, action), 0), ()
        else:
            self.dealt = (*self.dealt, action)

    def _action_to_string(self, player: int, action: int) -> str:
        """An action as the game writes it, or an outcome of chance."""
        if player != pyspiel.PlayerId.CHANCE:
            return self.variant.game.actions[action]
        if self.variant.starts:
            return f"position {action}"
        if len(self.dealt) == CARDS:
            return self.variant.heads[action]
        return f"{card_text(len(self.dealt))} to {place_name(self.variant, action)}"

    def returns(self) -> list[float]:
        """What every player gets, in the reward unit; 0 before the end."""
        return [0.0] * self.variant.players if self.position is None else self.variant.returns(self.position)

    def __str__(self) -> str:
        """The position as text; during the deal the places of the cards."""
        if self.position is None:
            return " ".join(["deal", *map(str, self.dealt)])
        return str(self.position.text())

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> "OpenSpielState":
        """A state that the player cannot tell from this one, drawn with its probability under chance alone.

        The worlds of a fresh deal come from the exact uniform belief, those of given positions by their weights from
        the ones in which all actions since were legal and the player would have seen the same.

        Args:
            player: the player.
            sampler: a function that gives a number in [0, 1), called once.
        """
        return resampled(self, player, np.random.default_rng(int(sampler() * 2**53)))


def after(game: pyspiel.Game, actions: list[int]) -> OpenSpielState:
    """The state of a game after some actions, those of chance among them."""
    state: OpenSpielState = game.new_initial_state()
    for action in actions:
        state.apply_action(action)
    return state


def place_name(variant: Variant, place: int) -> str:
    """The name of a place of a deal: the seat, or a number beyond the seats."""
    seats = variant.game.seats
    return seats[place] if place < len(seats) else f"place {place}"


def state_at(game: pyspiel.Game, position: State) -> OpenSpielState:
    """The state of a game of OpenSpiel in a position of our game, chance and actions played as it was reached.

    Raises:
        ValueError: if the game never gets there.
    """
    state: OpenSpielState = game.new_initial_state()
    for outcome in state.variant.path(position):
        state.apply_action(outcome)
    for action in position.history()[len(state.position.history()) :]:
        state.apply_action(action)
    return state


def resampled(state: OpenSpielState, player: int, rng: np.random.Generator) -> OpenSpielState:
    """A state that a player cannot tell from this one; see `OpenSpielState.resample_from_infostate`."""
    if state.position is None:
        return state.clone()  # type: ignore[no-any-return]  # OpenSpiel is not typed
    if not state.variant.starts:
        world = UniformSampler().worlds(state.position.view(player), 1, rng)[0].state
        return state_at(state.get_game(), world)
    return state_at(state.get_game(), _other_start(state.variant, state.position, player, rng))


def _other_start(variant: Variant, position: State, player: int, rng: np.random.Generator) -> State:
    """What a position would be if the game had begun in another of the starts that the player cannot tell apart.

    Starts are tried in a random order, each next with a probability proportional to its weight: so the first that fits
    is drawn by weight from those that fit.
    """
    origin = variant.starts[next(variant.path(position))].state
    actions = position.history()[len(origin.history()) :]
    known = variant.knowledge(position, player)
    numbers = variant.alike[player, variant.knowledge(origin, player)]
    weights = np.array([variant.starts[number].weight for number in numbers])
    for number in rng.choice(numbers, len(numbers), replace=False, p=weights / weights.sum()):
        other = _played(variant.starts[number].state, actions)
        if other is not None and variant.knowledge(other, player) == known:
            return other
    raise AssertionError("the position itself fits")


def _played(start: State, actions: list[int]) -> State | None:
    """A position after some actions; None if one of them is not legal."""
    state = start.clone()
    for action in actions:
        if not state.legal() >> action & 1:
            return None
        state.apply(action)
    return state
