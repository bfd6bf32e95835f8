"""Our games as games of OpenSpiel, by name."""

from collections.abc import Mapping
from typing import Any, ClassVar
from urllib.parse import unquote

import pyspiel

from skat_env.openspiel.observer import OpenSpielObserver
from skat_env.openspiel.state import OpenSpielState
from skat_env.openspiel.variant import OWN_PARAMETERS, Variant, parameters_of, quoted
from skat_env.protocols import Game
from skat_env.registry import game_names, get_game, has_part


def spiel_name(game: str) -> str:
    """The short name under which OpenSpiel knows a game: `skat_env_klaverjas`."""
    return f"skat_env_{game}"


class OpenSpielGame(pyspiel.Game):
    """One of our games under certain rules, from the deal or from given positions.

    Parameters, besides the options of the rules:
        head: what comes before the actions in a position's text, as `declarer=1 trump=S`: chance then deals the cards
            and the game begins there. In Skat `declarer=0 bids=18,0,0 game=G` begins at the cardplay.
        position: a position of the cardplay as text, in which the game begins; or several, `weight*text; weight*text`,
            of which chance draws one.
        players: `seats`; or `sides`, with a position: two players, the declarer's side and the other, who get the lead
            of one over the other. The seats of a side see each other's cards.
        unit: the reward unit; by default the game's first, for sides the one of matches.

    Raises:
        ValueError: as `Variant.of`.
    """

    name: ClassVar[str]
    """The name of the game here: `klaverjas`."""

    def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
        game, given = get_game(self.name), parameters or {}
        self.variant = Variant.of(game, given)
        variant = self.variant
        low, high = variant.bounds()
        utility = pyspiel.GameType.Utility
        sum_of = {"utility_sum": 0.0} if variant.by_side else {}
        super().__init__(
            game_type(game, utility.ZERO_SUM if variant.by_side else utility.GENERAL_SUM),
            pyspiel.GameInfo(
                num_distinct_actions=len(game.actions),
                max_chance_outcomes=variant.outcomes,
                num_players=variant.players,
                min_utility=low,
                max_utility=high,
                max_game_length=variant.limits.actions,
                **sum_of,
            ),
            _told(game, given),
        )

    def __reduce__(self) -> Any:
        return load, (self.name, self.get_parameters())

    def new_initial_state(self) -> OpenSpielState:
        """The state before chance deals the cards or draws a position."""
        return OpenSpielState(self, self.variant)

    def max_chance_nodes_in_history(self) -> int:
        """The number of chance nodes of a game: 1 if positions are given, else one for each card, and the heads'."""
        return self.variant.chance_nodes

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> OpenSpielObserver:
        """An observer; without perfect recall unless asked for."""
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        return OpenSpielObserver(self.variant, kind, params)


def load(name: str, parameters: Mapping[str, Any]) -> OpenSpielGame:
    """One of our games under certain rules, by its name here."""
    made: OpenSpielGame = pyspiel.load_game(spiel_name(name), dict(parameters))
    return made


def game_type(game: Game, utility: Any) -> Any:
    """The type of a game, as OpenSpiel describes it.

    Chance is explicit: what it draws and how likely that is can be asked. Solvers of endings need that, and sampling
    algorithms take it as well.
    """
    return pyspiel.GameType(
        short_name=spiel_name(game.name),
        long_name=f"{game.name.capitalize()} of skat_env",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=utility,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=len(game.seats),
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=parameters_of(game),
    )


def _told(game: Game, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that differ from their defaults, in a form that game strings of OpenSpiel can hold."""
    defaults = parameters_of(game)
    changed = {name: value for name, value in parameters.items() if value != defaults.get(name)}
    return {
        name: quoted(unquote(value)) if name in OWN_PARAMETERS else value for name, value in changed.items()
    }


def register_games() -> None:
    """Registers every game that has the parts `fresh_heads` and `limits` with OpenSpiel."""
    for name in game_names():
        if has_part(name, "fresh_heads") and has_part(name, "limits"):
            kind = game_type(get_game(name), pyspiel.GameType.Utility.GENERAL_SUM)
            # OpenSpiel frees what makes a game after Python has ended, which only a class survives.
            pyspiel.register_game(kind, type(f"{name.capitalize()}Game", (OpenSpielGame,), {"name": name}))
