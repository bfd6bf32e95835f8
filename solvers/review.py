"""What each card of a played game cost its side, by perfect play with open cards.

All values are the soloist's at the end of the game: card points with the skat's; in null games 1 if he takes a
trick, else 0. Perfect play keeps a value, so a card can only cost its own side, and in suit and grand

    value at the start - costs of the soloist + costs of the defenders = value at the end
"""

import json
from dataclasses import asdict, dataclass
from typing import Any, Final, Self

from skat_env.cards import card_text, parse_card
from skat_env.errors import ParseError
from skat_env.records import GameRecord, Status
from skat_env.skat._state import SkatState
from skat_env.skat.rules import SEAT_NAMES, Contract, Phase
from solvers.aim import winning_question
from solvers.skat import Solver
from solvers.skat_question import Question
from solvers.solution import Bounds

_EXACT: Final = Question(actions=True)


class NothingToReview(ValueError):
    """A game without cardplay, or none of Skat."""


@dataclass(frozen=True, slots=True)
class CardReview:
    """What one card did."""

    trick: int
    """1..10."""
    seat: int
    card: int
    before: int
    """The value of perfect play before the card."""
    after: int
    """The value of perfect play after it."""
    wins_before: bool
    """Whether the soloist wins with perfect play before the card."""
    wins_after: bool
    """Whether he does after it."""
    cost: int
    """What the card cost its side, never negative: card points; null: 1 if it changed whether he takes a trick."""
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
    """The game; its state is a `SkatState`."""
    value: int
    """The value of perfect play from the first card on."""
    wins: bool
    """Whether the soloist wins with perfect play from the first card on."""
    cards: tuple[CardReview, ...]
    """The cards played, in order."""

    @property
    def state(self) -> SkatState:
        """The last position of the game."""
        assert isinstance(self.record.state, SkatState)
        return self.record.state

    @property
    def aim(self) -> Question | None:
        """What the soloist must reach, or in a null game must not (see `winning_question`); None: he cannot win."""
        return winning_question(self.state)

    @property
    def end_value(self) -> int:
        """The value after the last card: what a game played out came to, else that of perfect play from there."""
        return self.cards[-1].after if self.cards else self.value

    @property
    def end_wins(self) -> bool:
        """Whether the soloist wins with perfect play after the last card."""
        return self.cards[-1].wins_after if self.cards else self.wins

    @property
    def turns(self) -> tuple[CardReview, ...]:
        """The cards that gave the game away; from the last of them on it was decided."""
        return tuple(card for card in self.cards if card.turns)

    @property
    def costs(self) -> tuple[int, int, int]:
        """By seat, the sum of what the cards cost."""
        first, second, third = (
            sum(card.cost for card in self.cards if card.seat == seat) for seat in range(3)
        )
        return first, second, third

    def fields(self) -> dict[str, Any]:
        """The review as one JSON object: that of the record, and under `review` what perfect play says of it."""
        state, aim = self.state, self.aim
        null = state.contract == Contract.NULL
        assert state.declaration is not None
        needs = None
        if aim is not None:
            needs = {"tricks": 0} if null else {"tricks" if aim.tricks else "card_points": aim.target}
        fields: dict[str, Any] = json.loads(self.record.text())
        return fields | {
            "review": {
                "contract": state.declaration.text(),
                "bid": state.bid,
                "soloist": state.soloist,
                "needs": needs,
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
            fields = json.loads(line)
            said = fields["review"]
            record = {key: value for key, value in fields.items() if key != "review"}
            review = cls(
                GameRecord.parse(json.dumps(record)),
                said["value"],
                said["wins"],
                tuple(_card(**card) for card in said["cards"]),
            )
            if not isinstance(review.record.state, SkatState) or review.fields() != fields:
                raise ParseError("the review of the game contradicts itself")
        except ParseError:
            raise
        except (ValueError, TypeError, KeyError, AttributeError, AssertionError) as error:
            raise ParseError(f"expected a review of a game as a JSON object: {error!r}") from None
        return review


def review(game: SkatState | GameRecord, solver: Solver | None = None, threads: int = 1) -> Review:
    """Solves every position of a game's cardplay with open cards.

    A game that is not over is reviewed as far as it was played.

    Raises:
        NothingToReview: if no cards were played in it, nor claimed; or it is not a game of Skat.
    """
    record = game if isinstance(game, GameRecord) else GameRecord.of("skat", game, SEAT_NAMES)
    state = record.state
    if not isinstance(state, SkatState):
        raise NothingToReview(f"a review needs a game of skat, this is one of {record.game}")
    if state.soloist < 0 and state.is_over:
        raise NothingToReview("the game has no cardplay: everybody passed")
    if state.phase < Phase.PLAY or not (state.plays() or record.status is Status.CLAIMED):
        raise NothingToReview("the game has no cardplay: it ended before the first card")
    solver = solver or Solver()
    null, aim = state.contract == Contract.NULL, winning_question(state)
    positions = _positions(state)
    exact = solver.solve_many(positions, _EXACT, threads)
    # Card points do not tell of schwarz: a trick without points may be lost.
    decided = solver.solve_many(positions, aim, threads) if aim is not None and aim.tricks else exact

    def wins(bounds: Bounds) -> bool:
        return aim is not None and aim.target is not None and bounds.reaches(aim.target) != null

    cards = []
    for number, card in enumerate(card for _, card in state.plays()):
        position = positions[number]
        value = exact[number].bounds.lower
        values = {each: bounds.lower for each, bounds in exact[number].actions.items()}
        won = {each: wins(bounds) for each, bounds in decided[number].actions.items()}
        soloist_acts = position.to_act == position.soloist
        merits = {
            each: _merit(won[each], -points if null else points, soloist_acts)
            for each, points in values.items()
        }
        better = [each for each in merits if merits[each] > merits[card]]
        cards.append(
            CardReview(
                trick=number // 3 + 1,
                seat=position.to_act,
                card=card,
                before=value,
                after=values[card],
                wins_before=wins(decided[number].bounds),
                wins_after=won[card],
                cost=abs(value - values[card]),
                better=tuple(sorted(better, key=merits.__getitem__, reverse=True)),
            )
        )
    return Review(record, exact[0].bounds.lower, wins(decided[0].bounds), tuple(cards))


def _positions(state: SkatState) -> list[SkatState]:
    """Those of the cardplay with a card to play, in order."""
    position = state.clone()
    found = [] if state.is_over else [state]
    for _ in state.plays():
        position.undo()
        found.append(position.clone())
    return found[::-1]


def _merit(won: bool, points: int, soloist_acts: bool) -> tuple[bool, int]:
    """What a card brings the side that plays it: the game first, then card points."""
    return (won, points) if soloist_acts else (not won, -points)


def _card(card: str, better: list[str], **others: Any) -> CardReview:
    return CardReview(card=parse_card(card), better=tuple(map(parse_card, better)), **others)
