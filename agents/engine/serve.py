"""An agent of ours as an engine: the other side of the protocol of docs/engines.md."""

from collections.abc import Iterable
from typing import TextIO

from skat_env.agents.engine.question import PROTOCOL, seed_text, seeded
from skat_env.errors import ParseError
from skat_env.play.capabilities import cheats, remembers, require_views
from skat_env.protocols import Agent, Game, View
from skat_env.registry import get_game, make_agent


def serve(agent: str, lines: Iterable[str], out: TextIO) -> int:
    """Answers a host's lines until it says `quit` or says no more; returns the exit status, 1 after an error.

    Args:
        agent: the text of the agent.
        lines: what the host says.
        out: where answers go.
    """
    game: Game | None = None
    player: Agent | None = None
    said: dict[str, str] = {}
    try:
        for line in lines:
            word, _, rest = line.strip().partition(" ")
            if word == "quit":
                return 0
            if f"{word} {rest}" == PROTOCOL:
                answer = f"engine {agent}"
            elif word == "skat_env":
                raise ParseError(f"protocol '{word} {rest}': this engine speaks '{PROTOCOL}'")
            elif word == "game":
                game = get_game(rest)
                player = make_agent(agent, rest)
                if cheats(player):
                    raise ValueError(f"{agent} must see the true cards, which no engine gets")
                answer = "ready remembers" if remembers(player) else "ready"
            elif word == "go":
                if game is None or player is None:
                    raise ParseError("'go' before 'game NAME'")
                answer = _answer(game, player, said)
                said = {}
            else:
                said[word] = rest
                continue
            out.write(f"{answer}\n")
            out.flush()
    except (ValueError, ImportError) as error:
        out.write(f"error {' '.join(str(error).split())}\n")
        out.flush()
        return 1
    return 0


def _answer(game: Game, player: Agent, said: dict[str, str]) -> str:
    """The answer to a question."""
    for word in ("position", "seed"):
        if word not in said:
            raise ParseError(f"'go' without a line '{word}'")
    view: View = game.view.parse(said["position"])
    require_views(game, [view])
    rng = seeded(said["seed"])
    action = player.decide(view, rng).action
    return f"play {game.actions[action]} seed {seed_text(rng)}"
