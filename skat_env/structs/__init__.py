"""Positions, actions and results as JSON of a published schema: what the texts say, for programs."""

from skat_env.structs.document import read_action, read_position, write_action, write_position
from skat_env.structs.position import VERSION, struct_of
from skat_env.structs.schema import schema

__all__ = [
    "VERSION",
    "read_action",
    "read_position",
    "schema",
    "struct_of",
    "write_action",
    "write_position",
]
