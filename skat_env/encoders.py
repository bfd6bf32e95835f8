"""Encoders by name."""

from skat_env._encoder import Encoder
from skat_env.errors import UnknownName
from skat_env.registry import game_names, get_part, has_part


def get_encoder(name: str) -> Encoder:
    """The encoder of a name such as `skat.suit_soloist`.

    Raises:
        UnknownName: if there is none.
    """
    known = {
        encoder.name: encoder
        for game in game_names()
        if has_part(game, "encoders")
        for encoder in encoders_of(game)
    }
    if name not in known:
        raise UnknownName("encoder", name, known)
    return known[name]


def encoder_names(game: str) -> tuple[str, ...]:
    """The names of a game's encoders, in the order in which its decisions come.

    Raises:
        UnknownName: if there is no such game.
    """
    return tuple(encoder.name for encoder in encoders_of(game))


def encoders_of(game: str) -> tuple[Encoder, ...]:
    """A game's encoders, in the order in which its decisions come.

    Raises:
        UnknownName: if there is no such game.
        ValueError: if it has no encoders.
    """
    encoders: tuple[Encoder, ...] = get_part(game, "encoders")
    return encoders
