"""A game as a door sees it: some seats are played from outside in words, agents play the others."""

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np

from skat_env.cards import CARD_TEXTS
from skat_env.envs.opponents import each_seat, require_seat
from skat_env.errors import OptionError
from skat_env.options import Seed, checked_options
from skat_env.play.capabilities import decide, tell_end
from skat_env.play.lockstep import action_of, apply_action, play_games
from skat_env.play.randomness import agent_rng, deal_rng
from skat_env.play.starts import start_source
from skat_env.protocols import Agent, State, View
from skat_env.records import GameRecord
from skat_env.registry import get_game, make_agent
from skat_env.rule_options import parse_rules
from skat_env.structs import write_position
from skat_env.text import describe, parse_reply
from skat_env.text.card_words import Cards
from skat_env.text.describe import Form, text_of

PLAYER: Final = "player"
"""The name of whoever plays from outside, in records."""


class Refused(ValueError):
    """What is not possible now; nothing has changed."""


class Session:
    """One game, in which one seat or several are played from outside; agents play the others by themselves.

    The same seed and number give the cards of that deal of a match, and the agents the luck that they have there.

    Args:
        game: the game.
        seats: the seats that are played from outside; from 0.
        opponents: an agent or its name for all other seats, or a list of them: with one seat in the order of play
            after it (in Klaverjas, the second is the partner), with several in the order of the seats.
        start: where the game begins: `deal`, or a later stage of the game, up to which `rule` plays.
        rules: rule options that differ from the defaults, `legality=amsterdam`.
        seed: the seed of the deals and of the agents' luck.
        deal: the number of the deal.
        position: the text of the state in which the game begins, instead of a deal that is drawn; empty: none. It has
            its own rules.

    Raises:
        ValueError: if an option is not what it should be, or a position is over or has rules or a start beside it.
    """

    @checked_options("a game")
    def __init__(
        self,
        game: str = "skat",
        seats: Sequence[int] = (0,),
        opponents: str | Agent | Sequence[str | Agent] = "rule",
        *,
        start: str = "deal",
        rules: str = "",
        seed: Seed = 0,
        deal: Seed = 0,
        position: str = "",
    ) -> None:
        self.game = get_game(game)
        count = len(self.game.seats)
        self.seats = tuple(sorted({require_seat(seat, self.game) for seat in seats}))
        if not self.seats:
            raise OptionError(f"a game of {game} with no seat: expected some of 0..{count - 1}")
        agents = _by_seat(game, self.seats, opponents, count)
        self.agents: tuple[Agent | None, ...] = tuple(agents)
        """The agent at each seat; None: played from outside."""
        options = parse_rules(rules, self.game)
        if position:
            if rules:
                raise OptionError("rule options beside a position: write them into the position itself")
            if start != "deal":
                raise OptionError(f"start={start} beside a position: the game begins where that is")
            self._state: State = self.game.state.parse(position)
        else:
            source = start_source(self.game, start, "rule", options)
            self._state = source(deal_rng(seed, deal))
        if self._state.is_over:
            raise OptionError(
                "the game is over where it begins: expected a position in which somebody is to act"
            )
        self._start = self._state.clone()
        self._luck = seed, deal
        self._rngs = self._fresh_luck()
        self._others_play()

    @property
    def digest(self) -> str:
        """A digest of the cards as dealt, 16 hexadecimal digits: it tells deals apart, and nothing of them."""
        return hashlib.blake2b(str(self._start.dealt).encode(), digest_size=8).hexdigest()

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self._state.is_over

    @property
    def seat(self) -> int:
        """The seat whose turn it is; when the game has ended, the first that is played from outside."""
        return self.seats[0] if self.is_over else self._state.to_act

    def view(self, seat: int | None = None) -> View:
        """What a seat that is played from outside may know; None: the one to act.

        Raises:
            Refused: if the seat is another's.
        """
        seat = self.seat if seat is None else seat
        if seat not in self.seats:
            raise Refused(f"seat {seat} is an agent's: expected one of {', '.join(map(str, self.seats))}")
        return self._state.view(seat)

    def text(self, form: Form = "long", cards: Cards = "codes", legal: bool = True) -> str:
        """What the seat to act may know, in words; see `skat_env.text.describe`."""
        return describe(self.view(), form, cards, legal)

    def struct(self) -> str:
        """The same as JSON; see `skat_env.structs`."""
        return write_position(self.view())

    def legal(self) -> list[str]:
        """The legal moves, as they are best written: `CJ`, `pass`, `20`."""
        view = self.view()
        words = text_of(self.game.name)
        return [words.move(view, action, CARD_TEXTS.__getitem__) for action in view.legal_actions()]

    def play(self, reply: str) -> int:
        """Plays the move that a reply names, then lets agents play up to the next turn from outside.

        Raises:
            Refused: if the game is over.
            ReplyError: if the reply names no legal move; nothing has changed.
        """
        if self.is_over:
            raise Refused("the game is over")
        return self.act(parse_reply(reply, self.view()))

    def act(self, action: int) -> int:
        """Plays an action of the seat to act; raises `IllegalAction` if it is not legal."""
        self._state.apply(action)
        self._others_play()
        return action

    def let(self, agent: str | Agent) -> int:
        """Plays what an agent decides for the seat to act, with the luck of that seat.

        Raises:
            Refused: if the game is over.
        """
        if self.is_over:
            raise Refused("the game is over")
        seat, state = self.seat, self._state
        chosen = agent_of(agent, self.game.name)
        return self.act(
            int(action_of(chosen, state, decide(chosen, state.view(seat), state, self._rngs[seat])))
        )

    def returns(self, unit: str | None = None) -> tuple[int, ...]:
        """The result of every seat in a reward unit; 0 before the end."""
        return self._state.returns(unit)

    def returns_of(self, agent: str, unit: str | None = None) -> tuple[int, ...]:
        """The result of every seat when an agent plays the same game in place of whoever plays from outside."""
        state, chosen = self._start.clone(), agent_of(agent, self.game.name)
        play_games([state], [[each or chosen for each in self.agents]], [self._fresh_luck()])
        return state.returns(unit)

    def gains(self, unit: str | None = None) -> tuple[int, ...]:
        """What each seat has more than if `rule` had played instead: the deal's luck cancels; 0 before the end.

        Raises:
            UnknownName: if the game has no such unit.
        """
        unit = self.game.reward_unit(unit)
        if not self.is_over:
            return (0,) * len(self.game.seats)
        by_rule = self.returns_of("rule", unit)
        return tuple(mine - other for mine, other in zip(self.returns(unit), by_rule, strict=True))

    def record(self) -> GameRecord:
        """The game with all cards, when it is over.

        Raises:
            Refused: before.
        """
        if not self.is_over:
            raise Refused("the game is not over: its cards are shown at the end")
        names = tuple(PLAYER if agent is None else agent.name for agent in self.agents)
        return GameRecord.of(self.game.name, self._state, names)

    def _fresh_luck(self) -> list[np.random.Generator]:
        seed, deal = self._luck
        return [agent_rng(seed, deal, seat) for seat in range(len(self.game.seats))]

    def _others_play(self) -> None:
        """Lets agents play until a seat from outside is to act, or the game is over."""
        state = self._state
        while not state.is_over:
            seat = state.to_act
            agent = self.agents[seat]
            if agent is None:
                return
            decision = decide(agent, state.view(seat), state, self._rngs[seat])
            apply_action(agent, state, action_of(agent, state, decision))
        tell_end(state, self.agents)


def _by_seat(game: str, seats: Sequence[int], opponents: Any, count: int) -> list[Agent | None]:
    """The agents by seat; None where the seat is played from outside."""
    others = [seat for seat in range(count) if seat not in seats]
    if len(seats) == 1:
        others = [(seats[0] + after) % count for after in range(1, count)]
        named = each_seat(opponents, count)
    else:
        one = isinstance(opponents, str) or not isinstance(opponents, Sequence)
        named = [opponents] * len(others) if one else opponents
        if len(named) != len(others):
            raise OptionError(f"{len(named)} opponents given: expected one agent, or {len(others)} in a list")
    found: list[Agent | None] = [None] * count
    for seat, name in zip(others, named, strict=True):
        found[seat] = agent_of(name, game)
    return found


def agent_of(name: str | Agent, game: str) -> Agent:
    """The agent of a name or the agent itself; those that are named are made once, as networks take time to load."""
    return _named_agent(name, game) if isinstance(name, str) else name


@lru_cache(maxsize=64)
def _named_agent(name: str, game: str) -> Agent:
    return make_agent(name, game)
