"""The environment: an episode is a game, a step a reply of the seat that is played."""

import inspect
import json
import secrets
from typing import Any
from uuid import uuid4

from skat_env.doors.openenv.models import CardAction, CardObservation, CardState
from skat_env.doors.patient import PatientSession, Retries
from skat_env.doors.sealed import sealed_session, server_key
from skat_env.doors.session import Refused
from skat_env.errors import UnknownName
from skat_env.options import NonNegative, Seed, checked_options
from skat_env.registry import get_game
from skat_env.text.card_words import Cards
from skat_env.text.describe import Form
from skat_env.tools.extras import explained

try:
    from openenv.core.env_server.interfaces import Environment
    from openenv.core.env_server.types import EnvironmentMetadata
except ImportError as error:
    raise explained(error) from None

TABLE = "rule"


class CardEnvironment(Environment[CardAction, CardObservation, CardState]):
    """One seat of a game; agents of known strength play the others. The reward comes with the last step.

    Args:
        key: what keeps the cards of seeds secret, as `skat-env mcp` does; None: that of this process.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, key: bytes | None = None) -> None:
        super().__init__()
        self._key = server_key() if key is None else key
        self._state = CardState()
        self._patient: PatientSession | None = None
        self._paired, self._penalty = False, 0.0

    @checked_options("a game")
    def reset(
        self,
        seed: Seed | None = None,
        episode_id: str | None = None,
        *,
        game: str = "skat",
        seat: str = "",
        opponents: str | list[str] = "rule",
        start: str = "deal",
        rules: str = "",
        unit: str = "",
        paired: bool = False,
        retries: Retries = 2,
        penalty: NonNegative = 10.0,
        form: Form = "long",
        cards: Cards = "codes",
        **unknown: Any,
    ) -> CardObservation:
        """Deals a game.

        Args:
            seed: determines the cards and the agents' luck, sealed; None: drawn.
            episode_id: the name of the episode; None: drawn.
            game: the game.
            seat: the name of the seat that is played; empty: drawn with the cards.
            opponents: the agent in all other seats, or a list of them in the order of play after the seat.
            start: where the game begins: `deal`, or a later stage, up to which `rule` plays.
            rules: rule options that differ from the defaults.
            unit: the reward unit; empty: the one that matches count.
            paired: whether the reward is what the seat has more than `rule` in the same seat of the same game.
            retries: how often a reply without a legal move is answered; then `rule` decides.
            penalty: what each such reply costs, in that unit: else a player that names no move would have the reward of
                `rule`.
            form: `long` or `short` text.
            cards: how cards are written in the text.
            unknown: is refused. Without it the library would leave out what it does not know.

        Raises:
            ValueError: if an argument is not what it should be, or there is no such argument.
        """
        for name in unknown:
            raise UnknownName("option of reset", name, [*inspect.signature(self.reset).parameters][:-1])
        found = get_game(game)
        unit = found.reward_unit(unit or found.match_unit)
        seed = secrets.randbits(62) if seed is None else seed
        session = sealed_session(self._key, game, seed, seat, opponents, start=start, rules=rules)
        self._patient = PatientSession(session, retries, TABLE, form, cards)
        self._paired, self._penalty = paired, penalty
        self._state = CardState(
            episode_id=episode_id or str(uuid4()),
            game=game,
            seat=found.seats[session.seats[0]],
            opponents=[agent.name for agent in session.agents if agent is not None],
            unit=unit,
        )
        return self._observation("")

    def step(self, action: CardAction, timeout_s: float | None = None, **_: Any) -> CardObservation:
        """Plays the move of a reply; the others play up to the seat's next turn.

        Raises:
            Refused: before the first reset, or after the end.
        """
        patient = self._started
        wrong = patient.answer(action.reply)
        self._state.step_count += 1
        self._state.errors, self._state.forfeits = patient.errors, patient.forfeits
        return self._observation(wrong)

    @property
    def state(self) -> CardState:
        """How the episode stands."""
        return self._state

    def get_metadata(self) -> EnvironmentMetadata:
        """What the environment is."""
        return EnvironmentMetadata(
            name="skat_env",
            description="Skat and Klaverjas: one seat of a trick-taking game with hidden cards, against agents",
        )

    @property
    def _started(self) -> PatientSession:
        if self._patient is None:
            raise Refused("no game has begun: call reset")
        return self._patient

    def _observation(self, wrong: str) -> CardObservation:
        patient = self._started
        session, seat = patient.session, patient.session.seats[0]
        rewards = patient.rewards(self._state.unit, self._penalty, self._paired)
        return CardObservation(
            text=patient.text,
            legal=session.legal(),
            view=json.loads(session.struct()),
            error=wrong,
            done=session.is_over,
            reward=rewards[seat] if session.is_over else 0.0,
        )
