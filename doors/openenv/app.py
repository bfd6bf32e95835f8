"""The server: `uvicorn skat_env.doors.openenv.app:app`."""

from functools import partial

from skat_env.doors.openenv.environment import CardEnvironment
from skat_env.doors.openenv.models import CardAction, CardObservation, CardState
from skat_env.doors.sealed import server_key
from skat_env.tools.extras import explained

try:
    from openenv.core.env_server.http_server import create_app
except ImportError as error:
    raise explained(error) from None

app = create_app(
    partial(CardEnvironment, server_key()),
    CardAction,
    CardObservation,
    env_name="skat_env",
    max_concurrent_envs=64,
    state_cls=CardState,
)
"""The FastAPI application; each connection has an episode of its own."""
