"""The server: its tools, each a few lines around a session."""

import json
import secrets
from collections.abc import Callable, MutableMapping
from typing import Any, Final, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

from skat_env.agents.asked import asked_names
from skat_env.doors.mcp.finished import believed, reviewed, solved
from skat_env.doors.sealed import sealed_session
from skat_env.doors.session import Refused, Session
from skat_env.registry import game_names, get_game, has_part
from skat_env.rule_options import rule_choices
from skat_env.text import describe, rules
from skat_env.tools.extras import explained

try:
    import anyio
    from mcp.server.fastmcp import Context, FastMCP
    from mcp.server.fastmcp.exceptions import ToolError
    from pydantic import ValidationError
except ImportError as error:
    raise explained(error) from None

T = TypeVar("T")
AnyContext: TypeAlias = Context[Any, Any, Any]
ABOUT: Final = (
    "Skat and Klaverjas, card games with hidden cards. start_game deals cards and gives you one seat; agents of known "
    "strength play the others. Then call play with one move at a time until the game is over. You see what your seat "
    "may know. When the game is over, review, solve and belief show the rest."
)
MAX_ERROR: Final = 500
"""Characters of an error."""
SEED_BITS: Final = 53
"""Of a seed that is drawn: clients may hold numbers as JavaScript does."""
MAX_SEEDS: Final = 1_000_000
"""The most seeds that a server deals; after them it has to be started again."""


class Server(FastMCP[Any]):
    """A server whose errors are one sentence each."""

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> Any:
        """Calls a tool."""
        try:
            return await super().call_tool(name, arguments)
        except ToolError as error:
            cause = error.__cause__
            told = str(cause or error)
            if isinstance(cause, ValidationError):
                first = cause.errors()[0]
                told = f"{name} with {'.'.join(map(str, first['loc']))}={first['input']!r}: {first['msg'].lower()}"
            raise ToolError(" ".join(told.split())[:MAX_ERROR]) from None


class Table:
    """The game that one client plays."""

    def __init__(self) -> None:
        self.session: Session | None = None

    @property
    def game(self) -> Session:
        """The game.

        Raises:
            Refused: if none has begun.
        """
        if self.session is None:
            raise Refused("no game has been started: call start_game")
        return self.session


class Tools:
    """What clients may call. A connection has one game and sees one seat of it.

    Each seed is dealt once: who has seen the end of a game, or another seat of it, does not get its cards again, until
    a server is started anew with the same key.

    Args:
        key: what keeps the cards of seeds secret; see `sealed_session`.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._dealt: set[tuple[str, int]] = set()

    def games(self) -> str:
        """The games, their seats, rule options and agents, as JSON."""
        found = {}
        for name in game_names():
            game = get_game(name)
            if has_part(name, "text") and has_part(name, "struct"):
                options = {option.name: list(option.choices) for option in rule_choices(game)}
                found[name] = {
                    "seats": game.seats,
                    "partners": [[game.seats[seat] for seat in team] for team in game.teams if len(team) > 1],
                    "points": game.match_unit,
                    "rules": options,
                    "agents": asked_names(name),
                }
        return json.dumps(found)

    def start(
        self, table: Table, game: str, seat: str, agents: list[str], seed: int | None, rule_options: str
    ) -> str:
        """Deals a game and gives a client its seat; what the seat may know, in words."""
        # Drawn: with a key of its own a server that is started again would deal the first games once more.
        seed = secrets.randbits(SEED_BITS) if seed is None else seed
        if (game, seed) in self._dealt:
            raise Refused(f"seed {seed} of {game} has been dealt on this server: expected another")
        if len(self._dealt) >= MAX_SEEDS:
            raise Refused(f"this server has dealt {MAX_SEEDS:,} games: start it again")
        session = sealed_session(self._key, game, seed, seat, agents, rules=rule_options)
        self._dealt.add((game, seed))
        table.session = session
        return f"Seed {seed}.\n{session.text()}"

    def view(self, table: Table, form: str, cards: str, legal: bool) -> str:
        """What the seat may know, in words or as a struct."""
        game = table.game
        return game.struct() if form == "json" else describe(game.view(), form, cards, legal)  # type: ignore[arg-type]  # checked there

    def play(self, table: Table, move: str) -> str:
        """Plays a move; what the seat may know at its next turn or at the end, in words."""
        table.game.play(move)
        return table.game.text()


def make_server(key: bytes, **settings: Any) -> Server:
    """The server with its tools.

    Args:
        key: what keeps the cards of seeds secret.
        settings: of the library, such as `log_level`.
    """
    server = Server("skat_env", instructions=ABOUT, json_response=True, **settings)
    tools = Tools(key)
    tables: MutableMapping[Any, Table] = WeakKeyDictionary()
    one = anyio.CapacityLimiter(1)  # agents are not made for several threads at once

    async def answer(work: Callable[[], T]) -> T:
        return await anyio.to_thread.run_sync(work, limiter=one)

    def table(context: AnyContext) -> Table:
        return tables.setdefault(context.session, Table())

    @server.tool(structured_output=False)
    async def list_games() -> str:
        """The games: their seats, options of the rules, and the agents that can play in them, as JSON."""
        return await answer(tools.games)

    @server.tool(structured_output=False)
    async def game_rules(game: str) -> str:
        """The rules of a game, and how moves are written."""
        return rules(game)

    @server.tool(structured_output=False)
    async def start_game(
        context: AnyContext,
        game: str = "skat",
        seat: str = "",
        agents: list[str] | None = None,
        seed: int | None = None,
        rule_options: str = "",
    ) -> str:
        """Deal a game and take one seat. It ends the game that you were playing, if any.

        Args:
            game: one of list_games.
            seat: the name of your seat; empty: drawn with the cards.
            agents: an agent for all other seats, or one for each in the order of play after you; default rule.
            seed: a number from 0; the same seed is dealt only once. Default: drawn.
            rule_options: options of the rules that differ from the defaults, such as "legality=amsterdam".
        """
        named = agents or ["rule"]
        return await answer(lambda: tools.start(table(context), game, seat, named, seed, rule_options))

    @server.tool(structured_output=False)
    async def view(context: AnyContext, form: str = "long", cards: str = "codes", legal: bool = True) -> str:
        """What your seat may know now.

        Args:
            form: long (all of it), short (what the decision needs), or json (the published schema).
            cards: how cards are written: codes (CJ), symbols, en, de, nl.
            legal: whether the legal moves are listed; json has them always.
        """
        return await answer(lambda: tools.view(table(context), form, cards, legal))

    @server.tool(structured_output=False)
    async def legal_moves(context: AnyContext) -> str:
        """The moves that are legal for you now, as JSON; none when the game is over."""
        return await answer(lambda: json.dumps(table(context).game.legal()))

    @server.tool(structured_output=False)
    async def play(context: AnyContext, move: str) -> str:
        """Play one move, such as "CJ", "jack of clubs", "pass", "20" or "pick up"; others play up to your next turn.

        Args:
            move: the move; in a longer text the last one in square brackets counts.
        """
        return await answer(lambda: tools.play(table(context), move))

    @server.tool(structured_output=False)
    async def review(context: AnyContext) -> str:
        """When the game is over: all cards, the result, and what each card cost with open cards."""
        return await answer(lambda: reviewed(table(context).game))

    @server.tool(structured_output=False)
    async def solve(context: AnyContext, step: int) -> str:
        """When the game is over: best play with open cards from a step of the review on."""
        return await answer(lambda: solved(table(context).game, step))

    @server.tool(structured_output=False)
    async def belief(context: AnyContext, step: int, belief: str = "uniform") -> str:
        """When the game is over: where your seat could have believed the hidden cards to lie before a step.

        Args:
            step: the number of actions before it.
            belief: uniform (what the rules allow), locations (a network), tables, or another.
        """
        game = table(context).game
        return await answer(lambda: believed(game, step, game.seats[0], belief))

    return server
