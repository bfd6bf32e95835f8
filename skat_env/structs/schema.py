"""The schema of a game's structs: JSON Schema, as msgspec makes it."""

from typing import Any

import msgspec

from skat_env.structs.position import (
    VERSION,
    ActionStruct,
    ResultStruct,
    StateStruct,
    ViewStruct,
    struct_of_game,
)


def types_of(game: str) -> Any:
    """The union of all structs of a game.

    Raises:
        ValueError: if it has none.
    """
    facts = struct_of_game(game).facts
    return StateStruct[facts] | ViewStruct[facts] | ActionStruct | ResultStruct  # type: ignore[valid-type]


def schema(game: str) -> dict[str, Any]:
    """The JSON Schema of a game's states, views, actions and results; `what` tells them apart.

    >>> from skat_env.structs import schema
    >>> schema("skat")["$id"]
    'skat_env/skat/1'

    Raises:
        ValueError: if there is no such game, or it has no structs.
    """
    found: dict[str, Any] = msgspec.json.schema(types_of(game))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"skat_env/{game}/{VERSION}",
        **found,
    }
