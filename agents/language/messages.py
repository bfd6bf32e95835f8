"""The messages of a chat about a game."""

from typing import Final

from skat_env.text.describe import rules

Message = dict[str, str]
"""A message of a chat: its `role` and its `content`."""
ASSISTANT: Final = "assistant"


def question(game: str, text: str) -> list[Message]:
    """What a model is asked: the rules of a game as the system's message, a text as the user's."""
    return [{"role": "system", "content": rules(game)}, {"role": "user", "content": text}]


def answered(reply: str) -> Message:
    """A reply, as the chat goes on after it."""
    return {"role": ASSISTANT, "content": reply}


def refused(reply: str, wrong: str) -> list[Message]:
    """A reply that names no legal move, and the sentence of what is wrong with it, with which it is answered."""
    return [answered(reply), {"role": "user", "content": f"{wrong[0].upper()}{wrong[1:]}."}]
