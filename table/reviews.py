"""Recorded games for a page that shows them card by card: the scenes, what each card cost, and what others think."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from functools import lru_cache
from threading import Lock
from typing import Any, Final, Protocol

import numpy as np
from starlette.routing import Route

from skat_env.agents.asked import asked_agent, asked_belief, asked_names
from skat_env.cards import cards_of
from skat_env.datasets.formats import BLANKS
from skat_env.errors import ParseError
from skat_env.options import check_option
from skat_env.pictures.table import table_of
from skat_env.protocols import Agent, Game, State, View, WorldSampler
from skat_env.records import GameRecord, Reading
from skat_env.registry import get_game, has_part
from skat_env.solvers.game_text import read_position
from skat_env.solvers.review import NothingToReview, Review, review, reviewed_game
from skat_env.solvers.reviewed_game import Prospect
from skat_env.table.answers import JsonRoutes, whole_number, words
from skat_env.table.game_files import AnyReading, TextGames
from skat_env.table.scene import HIDDEN, UNSEEN
from skat_env.table.solving import Solvers
from skat_env.table.summaries import summary
from skat_env.table.thoughts import belief_of, believe, place_name, think, values_of
from skat_env.tools.json_file import finite

MAX_LISTED: Final = 500
"""Games of a text that are listed."""
MAX_NUMBER: Final = 2**32
_BOTTOM: Final = 0
"""The seat at the bottom of scenes with open cards."""
_KEPT: Final = 32
JUDGE: Final = "judge"
"""The agent that values actions by what a seat could know."""
_PATIENCE: Final = 10.0
"""The seconds that a question waits for an agent or a belief which another question asks."""

Json = dict[str, Any]
Question = Mapping[str, Any]


class Games(Protocol):
    """Datasets and files of games by path, as a `Shelf` has them."""

    def reading(self, path: str, number: int) -> Reading:
        """A game of one."""

    def count(self, path: str) -> int:
        """The number of its games."""


def read_games(text: str) -> list[AnyReading]:
    """The games in a text: a file of any known format, or one position.

    Raises:
        ParseError: if it is neither.
        IllegalAction: if it is a position that cannot be.
    """
    line = text.strip(BLANKS + "\n")
    if not line:
        raise ParseError("there is no game: the text is empty")
    if "\n" in line or _is_record(line):
        games = TextGames(line, "the text")
        return [games.read(number) for number in range(len(games))]
    name, position = read_position(line)
    return [Reading.of(GameRecord.of(name, position, get_game(name).seats))]


def _is_record(line: str) -> bool:
    """Whether a line is a record; lines of positions may begin like one."""
    if '"position"' in line:
        return True
    try:
        return not isinstance(TextGames(line, "the text").read(0), ParseError) or not line.startswith("{")
    except ParseError:
        return False


def read_view(text: str) -> tuple[Game, View] | None:
    """The game and the View in a text; None if it is no view's.

    Raises:
        ParseError, IllegalAction: if it is a view that cannot be.
    """
    words = text.partition(":")[0].split()
    if "\n" in text.strip() or not any(word.startswith("seat=") for word in words[1:]):
        return None
    name, view = read_position(text.strip())
    return get_game(name), view


def scenes(game: Game, state: State, seat: int = -1) -> list[Json]:
    """The scene before each action of a game and after the last.

    Args:
        game: the game.
        state: its last position.
        seat: the seat that looks: it sees what its View holds; -1: all cards are open.

    Returns:
        For each, as in `scene.scene`, `number` (of actions before it), `table` and `legal` (empty); and `position`, its
        text.
    """
    found = []
    for position in _positions(state):
        seen = position if seat < 0 else position.view(seat)
        found.append(_scene(game, seen, seat))
    return found


def _scene(game: Game, seen: Any, seat: int) -> Json:
    table = table_of(game.name, seen, _BOTTOM if seat < 0 else None)
    return {
        "kind": "scene",
        "number": len(seen.history()),
        "table": {**asdict(table), "playable": cards_of(table.playable)},
        "legal": [],
        "position": seen.text(),
    }


def steps(game: Game, state: State, seat: int = -1) -> list[Json]:
    """The actions of a game as `seat` knows them: `seat` that acted, `label`, `card` played or None, and `stage`."""
    known = state.history() if seat < 0 else state.view(seat).history()
    history = state.history()
    found = []
    for position, action, seen in zip(_positions(state), history, known, strict=False):
        is_hidden = seen == HIDDEN
        is_play = position.stage == game.stages[-1]
        found.append(
            {
                "seat": position.to_act,
                "stage": position.stage,
                "label": UNSEEN if is_hidden else game.label(position, action),
                "card": action if is_play else None,
            }
        )
    return found


def _positions(state: State) -> list[State]:
    """The positions of a game, from the first to the last."""
    position = state.clone()
    found = [position.clone()]
    while position.history():
        position.undo()
        found.append(position.clone())
    return found[::-1]


def costs(found: Review) -> Json:
    """What perfect play says of a game, for a page.

    Returns:
        `review` as `skat-env review --json` prints it, and the words for it: `head`, `sides`, `title` and `unit` of the
        values, `declarers_want_more`; for each card its `value` before it and the `outcome` of perfect play from there
        in words; `end_value` and `end_outcome` after the last; `result`, how the game ended.
    """
    game, state, record = found.game, found.state, found.record
    scale = game.scale(state)
    ends = state.is_over or record.claim is not None
    return {
        "review": found.fields()["review"],
        "first": len(state.history()) - len(state.plays()),
        "head": list(game.head(state)),
        "sides": list(game.sides),
        "title": scale.title,
        "unit": scale.unit,
        "declarers_want_more": scale.declarers_want_more,
        "cards": [
            {
                "value": game.value_text(state, card.before),
                "outcome": game.outcome_text(state, Prospect(card.before, card.wins_before)),
            }
            for card in found.cards
        ],
        "end_value": game.value_text(state, found.end_value),
        "end_outcome": game.outcome_text(state, Prospect(found.end_value, found.end_wins)),
        "result": game.result_text(state, record.claim) if ends else "",
    }


class Reviews:
    """Answers a page's questions about games.

    Each question names a game: by `text` (a record or a file of records in any known format, or a position), or by
    `dataset`, its path on the shelf; and by `number`, which counts from 0.

    Args:
        games: the shelf; None: there is none.
        allowed: agents and beliefs that pages may ask for whatever they name; see `asked`.
        solvers: those of the server; None: its own.
    """

    def __init__(
        self,
        games: Games | None = None,
        allowed: Collection[str] = (),
        solvers: Solvers | None = None,
    ) -> None:
        self._games, self._allowed = games, allowed
        self._solvers = solvers or Solvers()
        self._agents: Any = lru_cache(8)(self._agent)
        self._beliefs: Any = lru_cache(8)(self._belief)
        self._reviewed: Any = lru_cache(_KEPT)(self._solved)

    def routes(self, json_routes: JsonRoutes) -> list[Route]:
        """`POST /api/review`, `/api/review/costs`, `/api/review/ask` and `/api/review/verdict`."""
        return [
            json_routes.post("/api/review", self.show),
            json_routes.post("/api/review/costs", self.costs),
            json_routes.post("/api/review/ask", self.ask),
            json_routes.post("/api/review/verdict", self.verdict),
        ]

    def show(self, question: Question) -> Json:
        """The scenes of a game, as all cards or one `seat` sees them.

        Raises:
            ValueError: if there is no such game or seat.
        """
        given = self._view(question)
        if given is not None:
            game, view = given
            return {
                **_about(game),
                "kind": "view",
                "text": view.text(),
                "seat": view.seat,
                "scenes": [_scene(game, view, view.seat)],
                "steps": [],
            }
        readings, number, total = self._readings(question)
        record = _record(readings[number])
        game = get_game(record.game)
        seat = whole_number(question, "seat", -1, -1, len(game.seats) - 1)
        return {
            **_about(game),
            "kind": "review",
            "text": record.text(),
            "number": number,
            "total": total,
            "games": _listed(readings),
            "summary": summary(record).as_json(),
            "reason": getattr(readings[number], "reason", ""),
            "seat": seat,
            "scenes": scenes(game, record.state, seat),
            "steps": steps(game, record.state, seat),
        }

    def costs(self, question: Question) -> Json:
        """What each card of a game cost; see `costs`.

        Raises:
            ValueError: if there is no such game, or it cannot be reviewed.
        """
        found: Json = self._reviewed(self._named(question).text())
        return found

    def ask(self, question: Question) -> Json:
        """What an `agent` thinks after `step` actions of a game, and what it or a `belief` says of the hidden cards.

        The agent gets the View of the `seat`, by default the one to act. Without an agent, or if the seat is not to
        act, there is a belief only: the one named, else the agent's. It is held against the true cards, unless `blind`
        is true or only a view is known.

        Raises:
            ValueError: if there is no such game, step, seat, agent or belief, or it needs the true cards.
        """
        given = self._view(question)
        state: State | None = None
        if given is None:
            record = self._named(question)
            game = get_game(record.game)
            positions = _positions(record.state)
            step = whole_number(question, "step", len(positions) - 1, 0, len(positions) - 1)
            state = positions[step]
            seat = whole_number(question, "seat", max(state.to_act, 0), 0, len(game.seats) - 1)
            view = state.view(seat)
        else:
            game, view = given
        if view.is_over:
            raise ValueError("the game is over here: there is nothing to decide")
        agent, belief = words(question, "agent").strip(), words(question, "belief").strip()
        is_blind = check_option("the question", "blind", bool, question.get("blind", False))
        truth = None if is_blind else state
        sampler, believing = self._beliefs(belief, game.name) if belief else (None, Lock())
        thinker, thinking = self._agents(agent, game.name) if agent else (None, Lock())
        with _held(thinking, agent), _held(believing, belief):
            if thinker is not None and view.to_act == view.seat:
                return think(game, view, thinker, sampler, truth=truth)
            if sampler is None:
                if thinker is None:
                    raise ValueError("nobody is asked: name an agent, a belief, or both")
                sampler = belief_of(game, thinker, view)
            return {
                "kind": "thoughts",
                "seat": view.seat,
                "belief": believe(game, view, sampler, truth=truth),
            }

    def verdict(self, question: Question) -> Json:
        """What the action after `step` actions of a game cost by what its seat could know, whatever the true cards are.

        The agent `judge` of the game values all actions of the seat's View.

        Returns:
            `seat`, `label` of the action, its `value` and `cost`, the `unit` of both, and the words for the actions
            that are `better`, the best first; `value` and `cost` are None where the judge has no value of the action.

        Raises:
            ValueError: if there is no such game or step, or the step is the last.
        """
        record = self._named(question)
        game, actions = get_game(record.game), record.state.history()
        step = whole_number(question, "step", 0, 0, len(actions) - 1)
        state = _positions(record.state)[step]
        view, action = state.view(state.to_act), actions[step]
        judge, judging = self._agents(JUDGE, game.name)
        with _held(judging, JUDGE):
            decision = judge.decide(view, np.random.default_rng(0))
        values = values_of(decision)
        own = values.get(action)
        better = sorted(
            (each for each in values if own is not None and values[each] > own), key=lambda a: -values[a]
        )
        return finite(  # type: ignore[no-any-return]
            {
                "seat": view.seat,
                "label": game.label(view, action),
                "value": own,
                "cost": None if own is None else max(values.values()) - own,
                "unit": decision.unit or game.match_unit,
                "better": [game.label(view, each) for each in better],
            }
        )

    def _view(self, question: Question) -> tuple[Game, View] | None:
        return read_view(words(question, "text")) if "text" in question else None

    def _readings(self, question: Question) -> tuple[Mapping[int, AnyReading], int, int]:
        """The games of which a question names one, its number, and how many games there are."""
        number = whole_number(question, "number", 0, 0, MAX_NUMBER)
        if "dataset" in question:
            if self._games is None:
                raise ValueError("there is no shelf: start the table with --shelf DIR")
            path = words(question, "dataset")
            return {number: self._games.reading(path, number)}, number, self._games.count(path)
        found = read_games(words(question, "text"))
        if number >= len(found):
            raise ValueError(f"there is no game {number}: the text has {len(found)}, counted from 0")
        return dict(enumerate(found)), number, len(found)

    def _named(self, question: Question) -> GameRecord:
        """The game that a question names.

        Raises:
            ValueError: if there is none, or the view of one seat alone.
        """
        if self._view(question) is not None:
            raise ValueError("the text is the view of one seat: expected a game with all cards")
        readings, number, _ = self._readings(question)
        return _record(readings[number])

    def _solved(self, line: str) -> Json:
        record = GameRecord.parse(line)
        if not has_part(record.game, "review"):
            raise ValueError(f"games of {record.game} cannot be reviewed: they have no open-card values")
        with self._solvers.of(record.game) as solver:
            try:
                return costs(review(record, solver))
            except NothingToReview:
                state = record.state
                if state.is_over or state.stage != get_game(record.game).stages[-1]:
                    raise
                # Nobody has played a card yet: perfect play has a value all the same.
                now = reviewed_game(record.game).outlooks(solver, [state], 1)[0].now
                return costs(Review(record, now.value, now.wins, ()))

    def _agent(self, text: str, game: str) -> tuple[Agent, Lock]:
        return asked_agent(text, game, self._allowed), Lock()

    def _belief(self, text: str, game: str) -> tuple[WorldSampler, Lock]:
        return asked_belief(text, game, self._allowed), Lock()


@contextmanager
def _held(lock: Lock, name: str) -> Iterator[None]:
    """Holds the lock of an agent or a belief.

    Raises:
        ValueError: if another question holds it and does not come back.
    """
    if not lock.acquire(timeout=_PATIENCE):
        raise ValueError(f"'{name}' is busy with another question")
    try:
        yield
    finally:
        lock.release()


def _about(game: Game) -> Json:
    """What a page needs to know of a game."""
    return {
        "game": game.name,
        "seats": list(game.seats),
        "places": [place_name(game, place) for place in range(len(game.place_sizes))],
        "agents": asked_names(game.name),
    }


def _listed(readings: Mapping[int, AnyReading]) -> list[Json]:
    """The games of a text, as a page lists them."""
    found = []
    for number, reading in list(readings.items())[:MAX_LISTED]:
        if isinstance(reading, ParseError):
            found.append({"number": number, "error": str(reading)})
        else:
            found.append({"number": number, **summary(reading.record).as_json()})
    return found


def _record(reading: AnyReading) -> GameRecord:
    if isinstance(reading, ParseError):
        raise reading
    return reading.record
