"""What a game of OpenSpiel is made of: where it starts, who its players are, what they get."""

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final
from urllib.parse import quote, unquote

import numpy as np

from skat_env.deal import Deal
from skat_env.errors import OptionError, ParseError, UnknownName
from skat_env.protocols import Game, Limits, State, World
from skat_env.registry import get_part

PLAYERS: Final = ("seats", "sides")
OWN_PARAMETERS: Final = {"head": "", "position": "", "players": PLAYERS[0], "unit": ""}
"""The parameters of every game besides the options of its rules, and their defaults."""
BETWEEN_WORLDS: Final = ";"
AFTER_WEIGHT: Final = "*"
CARDS: Final = 32


def parameters_of(game: Game) -> dict[str, Any]:
    """The parameters of a game and their defaults: the options of its rules, then `OWN_PARAMETERS`."""
    rules = {field.name: field.default for field in dataclasses.fields(game.rules)}
    return rules | OWN_PARAMETERS


def quoted(text: str) -> str:
    """A text as a parameter's value: game strings of OpenSpiel cannot hold commas, equal signs and brackets."""
    return quote(text, safe=f" /.:?{BETWEEN_WORLDS}{AFTER_WEIGHT}")


def text_of_worlds(worlds: list[World]) -> str:
    """Worlds with their weights as the value of the parameter `position`, not quoted."""
    return BETWEEN_WORLDS.join(
        f"{float(world.weight)!r}{AFTER_WEIGHT}{world.state.text()}" for world in worlds
    )


@dataclass(frozen=True)
class Variant:
    """A game under certain rules with its starts, players and reward unit.

    Chance deals the cards and then draws one of the `heads`, or draws one of the `starts`.
    """

    game: Game
    heads: tuple[str, ...]
    """The heads of the positions in which a fresh deal begins, all equally likely; empty if there are `starts`."""
    starts: tuple[World, ...]
    """The given positions, with weights that add up to 1."""
    unit: str
    """The reward unit."""
    by_side: bool
    """Whether the players are the two sides, 0 the declarer's; else they are the seats."""

    @classmethod
    def of(cls, game: Game, parameters: Mapping[str, Any]) -> "Variant":
        """The variant that the parameters of a game of OpenSpiel describe.

        Raises:
            ValueError: if they contradict one another or a position is not of the cardplay; its subclasses for unknown
                values and malformed texts.
        """
        given = parameters_of(game) | dict(parameters)
        options = {field.name: given[field.name] for field in dataclasses.fields(game.rules)}
        rules = game.rules(**options)
        head, position = unquote(given["head"]), unquote(given["position"])
        if given["players"] not in PLAYERS:
            raise UnknownName("value of the parameter 'players'", given["players"], PLAYERS)
        by_side = given["players"] == "sides"
        unit = game.reward_unit(given["unit"] or (game.match_unit if by_side else None))
        if head and position:
            raise OptionError(
                "the parameters head and position exclude each other: a position has its own head"
            )
        if (head or position) and rules != game.rules():
            word = "head" if head else "position"
            raise OptionError(f"rule options beside the parameter {word}: write them into the {word} itself")
        if by_side and not position:
            raise OptionError("players=sides needs the parameter position: before, there may be no declarer")
        if position:
            return cls(game, (), _read_worlds(game, position), unit, by_side)
        heads = (_checked_head(game, head),) if head else get_part(game.name, "fresh_heads")(rules)
        return cls(game, heads, (), unit, by_side)

    @property
    def players(self) -> int:
        """The number of players."""
        return 2 if self.by_side else len(self.game.seats)

    @property
    def outcomes(self) -> int:
        """The most outcomes of a chance node."""
        return len(self.starts) or max(len(self.game.place_sizes), len(self.heads))

    @property
    def chance_nodes(self) -> int:
        """The number of chance nodes of a game."""
        return 1 if self.starts else CARDS + (len(self.heads) > 1)

    @property
    def limits(self) -> Limits:
        """The length of the longest game and the bounds of the returns of the game."""
        limits: Limits = get_part(self.game.name, "limits")
        return limits

    def bounds(self) -> tuple[float, float]:
        """Bounds of a player's return."""
        low, high = self.limits.returns[self.unit]
        return (low - high, high - low) if self.by_side else (low, high)

    def player_of(self, position: State, seat: int) -> int:
        """The player who acts for a seat."""
        return position.side(seat) if self.by_side else seat

    def seats_of(self, position: State, player: int) -> list[int]:
        """The seats of a player."""
        if not self.by_side:
            return [player]
        return [seat for seat in range(len(self.game.seats)) if position.side(seat) == player]

    def knowledge(self, position: State, player: int) -> str:
        """The information set of a player: the text of its view; of a side, the texts of all its seats.

        Members of a side see each other's cards: so OpenSpiel's players remember all they knew, as its algorithms for
        two players demand.
        """
        return " | ".join(position.view(seat).text() for seat in self.seats_of(position, player))

    def returns(self, position: State) -> list[float]:
        """What every player gets; 0 before the end."""
        returns = position.returns(self.unit)
        if not self.by_side:
            return [float(each) for each in returns]
        lead = float(returns[self.seats_of(position, 0)[0]] - returns[self.seats_of(position, 1)[0]])
        return [lead, -lead]

    def chances(self, dealt: tuple[int, ...]) -> list[tuple[int, float]]:
        """The outcomes of a chance node and their probabilities.

        A deal goes card by card, from card 0 up, each to one of the places. Every deal has one history, in which a
        chance node has at most as many outcomes as there are places, and all deals are equally likely.

        Args:
            dealt: the places of the cards dealt so far.
        """
        if self.starts:
            return [(number, start.weight) for number, start in enumerate(self.starts)]
        if len(dealt) == CARDS:
            return [(number, 1 / len(self.heads)) for number in range(len(self.heads))]
        free = [size - dealt.count(place) for place, size in enumerate(self.game.place_sizes)]
        return [(place, slots / (CARDS - len(dealt))) for place, slots in enumerate(free) if slots]

    def begin(self, dealt: tuple[int, ...], head: int) -> Any:
        """The position in which a deal begins under one of the heads."""
        places = [0] * len(self.game.place_sizes)
        for card, place in enumerate(dealt):
            places[place] |= 1 << card
        return self.game.state.parse(f"{Deal(tuple(places)).text()} {self.heads[head]} :")

    def path(self, position: State) -> Iterator[int]:
        """The outcomes of chance that lead to a position or to one from which it was played.

        Raises:
            ValueError: if the game never gets there.
        """
        for number, start in enumerate(self.starts):
            history = start.state.history()
            if (
                start.state.dealt == position.dealt
                and start.state.head() == position.head()
                and position.history()[: len(history)] == history
            ):
                yield number
                return
        if self.starts or position.head() not in self.heads:
            raise OptionError(f"the game has no start from which '{position.text()}' can be reached")
        for card in range(CARDS):
            yield next(place for place, cards in enumerate(position.dealt) if cards >> card & 1)
        if len(self.heads) > 1:
            yield self.heads.index(position.head())

    @cached_property
    def alike(self) -> dict[tuple[int, str], list[int]]:
        """The numbers of the starts that a player cannot tell apart, by player and what it knows."""
        found: dict[tuple[int, str], list[int]] = {}
        for number, start in enumerate(self.starts):
            for player in range(self.players):
                found.setdefault((player, self.knowledge(start.state, player)), []).append(number)
        return found


def _checked_head(game: Game, head: str) -> str:
    """A head from outside, in the words of the game."""
    deal = game.random_deal(np.random.default_rng(0)).text()
    return str(game.state.parse(f"{deal} {head} :").head())


def _read_worlds(game: Game, text: str) -> tuple[World, ...]:
    """The worlds in the value of the parameter `position`, their weights scaled to a sum of 1."""
    worlds = [_read_world(game, part) for part in text.split(BETWEEN_WORLDS)]
    total = sum(world.weight for world in worlds)
    return tuple(World(world.state, world.weight / total) for world in worlds)


def _read_world(game: Game, text: str) -> World:
    """A world, `[weight*]position`, of weight 1 if none is given."""
    before, star, after = text.partition(AFTER_WEIGHT)
    try:
        weight = float(before) if star else 1.0
    except ValueError:
        weight = -1.0
    if not 0 < weight < float("inf"):
        raise ParseError(f"'{before}' is no weight of a position: expected a number above 0")
    state = game.state.parse((after if star else before).strip())
    require_cardplay(game, state)
    return World(state, weight)


def require_cardplay(game: Game, state: State) -> None:
    """Raises an OptionError unless a position is one of the cardplay, where all actions are seen by all."""
    if state.is_over or state.stage != game.stages[-1]:
        now = "over" if state.is_over else f"in the {state.stage}"
        raise OptionError(
            f"the position '{state.text()}' is {now}: a game of given positions begins in the cardplay"
        )
