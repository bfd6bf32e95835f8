"""What each card of a played game cost its side, by perfect play with open cards.

All values are the declaring side's at the end of the game; what they count is said in each game's own module,
`solvers.GAME.review`, whose `ReviewedGame` is the game's part `review`. Perfect play keeps a value, so a card can only
cost its own side, and where the declaring side wants more

    value at the start - costs of the declaring side + costs of the others = value at the end
"""

import json
from dataclasses import asdict, dataclass
from typing import Any, Self

from skat_env.cards import card_text, parse_card
from skat_env.errors import ParseError
from skat_env.protocols import State
from skat_env.records import GameRecord, Status
from skat_env.registry import game_of, get_part
from skat_env.solvers.protocols import OpenCardSolver
from skat_env.solvers.reviewed_game import Prospect, ReviewedGame
from skat_env.tools.parsing import parse_json

AnyGame = ReviewedGame[Any, Any]
AnySolver = OpenCardSolver[Any, Any]


def reviewed_game(name: str) -> AnyGame:
    """The open-card values and words of a game.

    Raises:
        UnknownName: if there is no such game.
        ValueError: if the game cannot be reviewed.
    """
    game: AnyGame = get_part(name, "review")
    return game


class NothingToReview(ValueError):
    """A game without cardplay."""


@dataclass(frozen=True, slots=True)
class CardReview:
    """What one card did."""

    trick: int
    """From 1."""
    seat: int
    card: int
    before: int
    """The value of perfect play before the card."""
    after: int
    """The value of perfect play after it."""
    wins_before: bool
    """Whether the declaring side wins with perfect play before the card."""
    wins_after: bool
    """Whether it does after it."""
    cost: int
    """What the card cost its side, never negative."""
    better: tuple[int, ...]
    """The legal cards that bring its side more, best first."""

    @property
    def turns(self) -> bool:
        """Whether the card gave a won game away."""
        return self.wins_before != self.wins_after


@dataclass(frozen=True, slots=True)
class Review:
    """What perfect play says of a game."""

    record: GameRecord
    value: int
    """The value of perfect play from the first card on."""
    wins: bool
    """Whether the declaring side wins with perfect play from the first card on."""
    cards: tuple[CardReview, ...]
    """The cards played, in order."""

    @property
    def game(self) -> AnyGame:
        """What the game's values are, and its words."""
        return reviewed_game(self.record.game)

    @property
    def state(self) -> State:
        """The last position of the game."""
        return self.record.state

    @property
    def end_value(self) -> int:
        """The value after the last card: what a game played out came to, else that of perfect play from there."""
        return self.cards[-1].after if self.cards else self.value

    @property
    def end_wins(self) -> bool:
        """Whether the declaring side wins with perfect play after the last card."""
        return self.cards[-1].wins_after if self.cards else self.wins

    @property
    def turns(self) -> tuple[CardReview, ...]:
        """The cards that gave the game away; from the last of them on it was decided."""
        return tuple(card for card in self.cards if card.turns)

    @property
    def costs(self) -> tuple[int, ...]:
        """By seat, the sum of what the cards cost."""
        return tuple(
            sum(card.cost for card in self.cards if card.seat == seat)
            for seat in range(len(self.record.agents))
        )

    def fields(self) -> dict[str, Any]:
        """The review as one JSON object: that of the record, and under `review` what perfect play says of it."""
        fields: dict[str, Any] = json.loads(self.record.text())
        return fields | {
            "review": self.game.facts(self.state)
            | {
                "value": self.value,
                "wins": self.wins,
                "end_value": self.end_value,
                "end_wins": self.end_wins,
                "costs": list(self.costs),
                "turns": [number for number, card in enumerate(self.cards, start=1) if card.turns],
                "cards": [
                    asdict(card) | {"card": card_text(card.card), "better": [*map(card_text, card.better)]}
                    for card in self.cards
                ],
            }
        }

    def text(self) -> str:
        """The review as one line of JSON that `parse` reads."""
        return json.dumps(self.fields(), separators=(",", ":"))

    @classmethod
    def parse(cls, line: str) -> Self:
        """The review of a line that `text` wrote.

        Raises:
            ParseError: if the line is malformed or contradicts itself.
        """
        try:
            fields = parse_json(line)
            said = fields["review"]
            record = {key: value for key, value in fields.items() if key != "review"}
            review = cls(
                GameRecord.parse(json.dumps(record)),
                said["value"],
                said["wins"],
                tuple(_card(**card) for card in said["cards"]),
            )
            if review.fields() != fields:
                raise ParseError("the review of the game contradicts itself")
        except ParseError:
            raise
        except (ValueError, TypeError, KeyError, AttributeError, AssertionError) as error:
            raise ParseError(f"expected a review of a game as a JSON object: {error!r}") from None
        return review


def review(game: State | GameRecord, solver: AnySolver | None = None, threads: int = 1) -> Review:
    """Solves every position of a game's cardplay with open cards.

    A game that is not over is reviewed as far as it was played.

    >>> state = get_game("klaverjas").state.random(np.random.default_rng(1))
    >>> rule = make_agent("rule", "klaverjas")
    >>> _ = play_game(state, [rule] * 4, [np.random.default_rng(seat) for seat in range(4)])
    >>> len(review(state).cards)
    32

    Args:
        game: a record, or the last position of a game.
        solver: a solver of the game; None: a new one.
        threads: threads to solve on.

    Raises:
        NothingToReview: if no cards were played in it, nor claimed.
    """
    record = game if isinstance(game, GameRecord) else _record(game)
    reviewed = reviewed_game(record.game)
    state = record.state
    if state.is_over and state.side(0) < 0:
        raise NothingToReview("the game has no cardplay: everybody passed")
    if state.stage != "cardplay" or not (state.plays() or record.status is Status.CLAIMED):
        raise NothingToReview("the game has no cardplay: it ended before the first card")
    declarers_want_more = reviewed.scale(state).declarers_want_more
    positions = _positions(state)
    outlooks = reviewed.outlooks(solver or reviewed.solver(), positions, threads)
    cards = []
    # A game that is not over has one more position, in which no card was played.
    for number, ((seat, card), (now, actions)) in enumerate(zip(state.plays(), outlooks, strict=False)):
        declares = state.side(seat) == 0
        merits = {each: _merit(prospect, declares, declarers_want_more) for each, prospect in actions.items()}
        better = [each for each in merits if merits[each] > merits[card]]
        cards.append(
            CardReview(
                trick=number // len(record.agents) + 1,
                seat=seat,
                card=card,
                before=now.value,
                after=actions[card].value,
                wins_before=now.wins,
                wins_after=actions[card].wins,
                cost=abs(now.value - actions[card].value),
                better=tuple(sorted(better, key=merits.__getitem__, reverse=True)),
            )
        )
    start = outlooks[0].now
    return Review(record, start.value, start.wins, tuple(cards))


def _record(state: State) -> GameRecord:
    """The record of a game whose players have no names but those of their seats."""
    game = game_of(state)
    if game is None or not isinstance(state, game.state):
        raise TypeError(f"{type(state).__name__} is no state of a game")
    return GameRecord.of(game.name, state, game.seats)


def _positions(state: State) -> list[State]:
    """The positions of the cardplay in which a card is to be played, in order."""
    position = state.clone()
    found = [] if state.is_over else [state]
    for _ in state.plays():
        position.undo()
        found.append(position.clone())
    return found[::-1]


def _merit(prospect: Prospect, declares: bool, declarers_want_more: bool) -> tuple[bool, int]:
    """What a card brings the side that plays it: the game first, then the value."""
    more = prospect.value if declares == declarers_want_more else -prospect.value
    return (prospect.wins == declares, more)


def _card(card: str, better: list[str], **others: Any) -> CardReview:
    return CardReview(card=parse_card(card), better=tuple(map(parse_card, better)), **others)
