"""Endings of games that an agent bids and plays at every seat."""

from skat_env.play.lockstep import play_games
from skat_env.play.randomness import agent_rng, deal_rng
from skat_env.play.starts import PlayedTo
from skat_env.protocols import Agent, State
from skat_env.registry import get_game


def played_endings(player: Agent, game: str, tricks: int, deals: int, seed: int) -> list[State]:
    """Random deals, each bid and played until some tricks are left or it is over.

    Args:
        player: the agent at every seat.
        game: the game's name.
        tricks: the number of tricks left.
        deals: the number of deals.
        seed: the seed of the deals and of the player's randomness.
    """
    about = get_game(game)
    seats = range(len(about.seats))

    def reached(state: State) -> bool:
        left = max(place.bit_count() for place in state.places[: len(seats)])
        return state.is_over or (left <= tricks and not state.trick())

    states = PlayedTo(game, about.stages[-1], player).many([deal_rng(seed, deal) for deal in range(deals)])
    rngs = [[agent_rng(seed, deal, seat) for seat in seats] for deal in range(deals)]
    play_games(states, [[player] * len(seats)] * deals, rngs, until=reached)
    return states
