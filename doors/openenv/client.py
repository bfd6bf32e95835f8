"""The client: `CardEnv(base_url="http://localhost:8000").sync()`."""

from typing import Any

from skat_env.doors.openenv.models import CardAction, CardObservation, CardState
from skat_env.tools.extras import explained

try:
    from openenv.core import EnvClient
    from openenv.core.client_types import StepResult
except ImportError as error:
    raise explained(error) from None


class CardEnv(EnvClient[CardAction, CardObservation, CardState]):
    """A connection to a server, with an episode of its own; `reset` takes what `CardEnvironment.reset` takes."""

    def _step_payload(self, action: CardAction) -> dict[str, Any]:
        return {"reply": action.reply}

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[CardObservation]:
        done, reward = payload.get("done", False), payload.get("reward")
        observation = CardObservation(**payload["observation"], done=done, reward=reward)
        return StepResult(observation=observation, reward=reward, done=done)

    def _parse_state(self, payload: dict[str, Any]) -> CardState:
        return CardState(**payload)
