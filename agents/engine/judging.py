"""What the rules say of a position, as text: so the rules of other programs are held against ours."""

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from skat_env.errors import ParseError
from skat_env.protocols import Agent, Game, State


@runtime_checkable
class JudgingAgent(Agent, Protocol):
    """An agent that plays by rules of its own and tells them."""

    def judge(self, state: Any) -> Mapping[str, str]:
        """The `facts` of a position as its own rules have them; it may leave some out."""


def facts(game: Game, state: State) -> dict[str, str]:
    """What our rules say of a position.

    `legal`: the legal actions; `turn`: the seat to act; `points`: the card points in the tricks of either side; in
    Klaverjas `roem` of either team; of a finished game each reward unit, by seat. Items are joined by commas.

    >>> from skat_env.agents.engine.judging import facts
    >>> state = get_game("skat").state.random(np.random.default_rng(1))
    >>> facts(get_game("skat"), state)
    {'legal': 'pass,yes', 'turn': '1', 'points': '0,0'}
    """
    found = {}
    if not state.is_over:
        found["legal"] = ",".join(game.actions[action] for action in state.legal_actions())
        found["turn"] = str(state.to_act)
    for name in ("points", "roem"):
        if hasattr(state, name):
            found[name] = ",".join(map(str, getattr(state, name)))
    if state.is_over:
        for unit in game.reward_units:
            found[unit] = ",".join(map(str, state.returns(unit)))
    return found


def judged_line(found: Mapping[str, str]) -> str:
    """The answer of an engine to `judge`."""
    return " ".join(["judged", *(f"{name}={value}" for name, value in found.items())])


def parse_judged(line: str) -> dict[str, str]:
    """The facts in an engine's answer.

    Raises:
        ParseError: if it is none.
    """
    first, *words = line.split() or [""]
    pairs = [word.partition("=") for word in words]
    if first != "judged" or not all(name and equals for name, equals, _ in pairs):
        raise ParseError(f"'{line}': expected 'judged NAME=VALUE ...'")
    return {name: value for name, _, value in pairs}


def differences(game: Game, state: State, found: Mapping[str, str]) -> list[str]:
    """The facts that differ from ours, as `turn 1, ours 2`; the order of legal actions is free.

    Of a finished game `legal` and `turn` are not compared: some programs play on what is lost already.
    """
    ours = facts(game, state)
    wrong = []
    for name, value in found.items():
        if state.is_over and name in ("legal", "turn"):
            continue
        known = ours.get(name, "none")
        alike = set(value.split(",")) == set(known.split(",")) if name == "legal" else value == known
        if not alike:
            wrong.append(f"{name} {value}, ours {known}")
    return wrong
