"""Values of real play: what a whole world of the cardplay is worth if all go on as the players of its games did.

Output 0 is the declaring side's expected result less that of the other side, in the game's match unit, divided by the
network's scale; output 1 is the log-odds that the declaring side wins its game.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.networks.checkpoint import load_checkpoint
from skat_env.agents.networks.network import Network, NetworkSpec
from skat_env.play.lockstep import require_states
from skat_env.play.worth import declarer_results
from skat_env.protocols import State
from skat_env.registry import get_game, get_part

WORLD: Final = "world"
"""The network's name in a checkpoint."""
WORTH, WON = 0, 1
OUTPUTS: Final = 2
HIDDEN: Final = (256, 128, 64)


@dataclass(frozen=True, slots=True)
class WorldLayout:
    """The part `world_values` of a game."""

    encoder: str
    """The name of the encoder, which reads States of the cardplay."""
    scale: float
    """Game units of one unit of output."""
    win: str
    """The reward unit that is above 0 for the declaring side where it has won."""

    def spec(self, hidden: Sequence[int] = HIDDEN) -> NetworkSpec:
        """The specification of the network."""
        return NetworkSpec(self.encoder, OUTPUTS, tuple(hidden), self.scale)


def world_layout(game: str) -> WorldLayout:
    """The world values of a game.

    Raises:
        ValueError: if the game has none.
    """
    layout: WorldLayout = get_part(game, "world_values")
    return layout


class WorldValues:
    """What worlds are worth.

    Args:
        game: the game's name.
        checkpoint: the network, by name or path; None: `GAME-world`.

    Raises:
        UnknownName: if there is no such checkpoint.
        ParseError: if it is damaged, of another version or for another purpose.
    """

    def __init__(self, game: str, checkpoint: str | None = None) -> None:
        found = load_checkpoint(f"{game}-world" if checkpoint is None else checkpoint, game)
        found.require_any({WORLD: OUTPUTS})
        self.network: Network = found.network(WORLD)
        self._game = get_game(game)

    def worths(self, states: Sequence[State]) -> NDArray[np.float64]:
        """What each state of the cardplay, finished or not, is worth to the declaring side, in game units; float64 [n].

        Forced cards are played first: the network values positions with a choice. So the states are changed.

        Raises:
            ValueError: if one is no state of the game in the cardplay, or there twice.
        """
        require_states(states, self._game.state)
        worths = np.empty(len(states))
        for state in states:
            while not state.is_over and state.legal().bit_count() == 1:
                state.apply(state.legal_actions()[0])
        asked = [number for number, state in enumerate(states) if not state.is_over]
        if finished := [number for number, state in enumerate(states) if state.is_over]:
            worths[finished] = declarer_results(self._game, [states[number] for number in finished])
        if asked:
            worths[asked] = self.values([states[number] for number in asked])[0]
        return worths

    def values(self, states: Sequence[State]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Of each State of the cardplay: its worth to the declaring side in game units, and its chance to win."""
        outputs = self.network.outputs_of(states)
        odds = outputs[:, WON] / np.float32(self.network.spec.scale)
        return outputs[:, WORTH], np.asarray(1 / (1 + np.exp(-odds)), np.float32)
