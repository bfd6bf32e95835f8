"""Every game as a game of OpenSpiel, its endings too, and bots of OpenSpiel as agents, and the other way round.

Importing this package registers the games with OpenSpiel as `skat_env_skat` and `skat_env_klaverjas`:

    import pyspiel
    import skat_env.openspiel
    game = pyspiel.load_game("skat_env_klaverjas", {"choice": "free"})

OpenSpiel: Lanctot et al. 2019, "OpenSpiel: A Framework for Reinforcement Learning in Games".
"""

try:
    import pyspiel
except ImportError:
    raise ImportError(
        "skat_env.openspiel needs open_spiel: pip install '.[interop]' in the checkout of skat_env"
    ) from None

from skat_env.openspiel.bots import AgentBot, AgentPolicy, BotAgent
from skat_env.openspiel.endings import ending_game, native_game
from skat_env.openspiel.game import OpenSpielGame, register_games, spiel_name
from skat_env.openspiel.resampling import Resampler
from skat_env.openspiel.state import OpenSpielState, state_at
from skat_env.openspiel.trajectories import record_of, trajectory_of

__all__ = [
    "AgentBot",
    "AgentPolicy",
    "BotAgent",
    "OpenSpielGame",
    "OpenSpielState",
    "Resampler",
    "ending_game",
    "native_game",
    "record_of",
    "spiel_name",
    "state_at",
    "trajectory_of",
]

assert pyspiel  # imported first for its sentence where it is missing
register_games()
