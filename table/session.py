"""A table as it stands: who plays, the deal in play, and the deals before it. No network, no files, no clock."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from skat_env.pictures.table import table_of
from skat_env.play.randomness import agent_rng, deal_rng
from skat_env.protocols import Game, State
from skat_env.records import MAX_SEED, GameRecord, Status
from skat_env.registry import get_game, get_part, has_part
from skat_env.rule_options import parse_rules
from skat_env.table.messages import MAX_CLOCK, MAX_NAME, NewTable, Player

MIN_CLOCK: Final = 5
"""The fewest seconds of a clock."""
KINDS: Final = ("human", "agent")
Event = dict[str, Any]
"""What changed a table, as its journal keeps it: one of the keys `act`, `undo`, `settle`, `next`, `replace`."""


class Refused(ValueError):
    """A message that is not possible now; nothing has changed."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A deal that has ended."""

    record: GameRecord
    points: tuple[int, ...]
    """By player."""
    text: str
    """How it ended."""


@dataclass(slots=True)
class Session:
    """A table. Players are numbered as they sit in the first deal; with every deal they move on by one seat.

    Args:
        new: what the table is.

    Raises:
        ValueError: if there is no such game or rule, or a wrong number or kind of players.
    """

    new: NewTable
    game: Game = field(init=False)
    players: list[Player] = field(init=False)
    failures: list[str] = field(init=False)
    """Why the agent of a player failed; empty: it did not."""
    deal: int = field(init=False, default=0)
    state: State = field(init=False)
    log: list[tuple[int, str]] = field(init=False, default_factory=list)
    """The actions of the deal as (seat, words)."""
    claim: bool | None = field(init=False, default=None)
    """Whether the remaining tricks went to the declaring side; None: the deal was not cut short."""
    taken_back: list[str] = field(init=False, default_factory=list)
    """What was taken back in the deal, and by whom, in words; its record says so."""
    finished: list[Finished] = field(init=False, default_factory=list)
    number: int = field(init=False, default=0)
    """The number of changes so far."""
    _rngs: list[np.random.Generator] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        new = self.new
        self.game = get_game(new.game)
        seats = len(self.game.seats)
        if new.seats and len(new.seats) != seats:
            raise ValueError(f"{len(new.seats)} players given: {new.game} has {seats} seats")
        if new.seed is not None and not 0 <= new.seed <= MAX_SEED:
            raise ValueError(f"seed {new.seed} is not in 0..{MAX_SEED}")
        if new.clock and not MIN_CLOCK <= new.clock <= MAX_CLOCK:
            raise ValueError(
                f"a clock of {new.clock} seconds: expected 0 for none, or {MIN_CLOCK} to {MAX_CLOCK}"
            )
        parse_rules(new.rules, self.game)
        self.players = list(new.seats or (Player("human"), *[Player("agent")] * (seats - 1)))
        for player in self.players:
            check_player(player)
        self.failures = [""] * seats
        self._begin()

    def _begin(self) -> None:
        assert self.new.seed is not None, "a table without a seed: `seeded` gives it one"
        self.state = self._dealt()
        self._rngs = [agent_rng(self.new.seed, self.deal, seat) for seat in range(len(self.players))]
        self.log, self.claim, self.taken_back = [], None, []

    def _dealt(self) -> State:
        """The start of this deal."""
        if self.new.start and self.deal == 0:
            state: State = self.game.state.parse(self.new.start)
            if state.is_over or state.history():
                raise ValueError("the first deal has begun already: expected one in which nobody has acted")
            return state
        assert self.new.seed is not None
        rules = parse_rules(self.new.rules, self.game)
        drawn: State = self.game.state.random(deal_rng(self.new.seed, self.deal), rules)
        return drawn

    def again(self, deal: int) -> NewTable:
        """A table that begins with a deal of this one that has ended, with the same players at the same seats. Its
        later deals are its own.

        Raises:
            ValueError: if there is no such deal.
        """
        if not 0 <= deal < len(self.finished):
            raise Refused(f"deal {deal} is none of the {len(self.finished)} that have ended")
        start = self.finished[deal].record.state.clone()
        while start.history():
            start.undo()
        count = len(self.players)
        seats = tuple(self.players[(seat + deal) % count] for seat in range(count))
        return copied(self.new, seats=seats, seed=None, start=start.text())

    @property
    def is_over(self) -> bool:
        """Whether the deal has ended."""
        return self.state.is_over or self.claim is not None

    @property
    def to_act(self) -> int:
        """The seat to act; -1 when the deal has ended."""
        return -1 if self.is_over else self.state.to_act

    def seat_of(self, player: int) -> int:
        """The seat of a player in this deal."""
        return (player - self.deal) % len(self.players)

    def player_at(self, seat: int) -> int:
        """The player at a seat in this deal."""
        return (seat + self.deal) % len(self.players)

    def rng(self, seat: int) -> np.random.Generator:
        """The generator of the agent at a seat."""
        return self._rngs[seat]

    def require_turn(self, seat: int) -> None:
        """Raises `Refused` if it is not a seat's turn."""
        if self.is_over:
            raise Refused("the deal is over")
        if self.state.to_act != seat:
            raise Refused(f"it is the turn of {self.game.seats[self.state.to_act]}")

    def act(self, seat: int, action: int) -> Event:
        """Plays an action of the seat to act.

        Raises:
            ValueError: if it is not the seat's turn, or the action is not legal.
        """
        self.require_turn(seat)
        if not 0 <= action < 64 or not self.state.legal() >> action & 1:
            raise Refused(f"action {action} is not legal now")
        words = self.game.label(self.state, action)
        self.state.apply(action)
        self.log.append((seat, words))
        self.number += 1
        if self.state.is_over:
            self._finish()
        return {"act": action}

    def can_undo(self, seat: int) -> bool:
        """Whether a seat may take its last action back."""
        return self.new.undo and not self.is_over and any(actor == seat for actor, _ in self.log)

    def undo(self, seat: int) -> Event:
        """Takes back a seat's last action and all after it.

        Raises:
            ValueError: if the table does not allow it, or there is none.
        """
        if not self.can_undo(seat):
            raise Refused("there is nothing to take back" if self.new.undo else "this table allows no undo")
        kept = self.last_action(seat)
        self._back_to(kept)
        return {"undo": kept}

    def last_action(self, seat: int) -> int:
        """The number of a seat's last action in this deal; -1 if it has none."""
        return max((number for number, (actor, _) in enumerate(self.log) if actor == seat), default=-1)

    def _back_to(self, kept: int) -> None:
        seat, words = self.log[kept]
        more = f" and {len(self.log) - kept - 1} more" if kept + 1 < len(self.log) else ""
        self.taken_back.append(f"{self.game.seats[seat]} took back {words}{more}")
        while len(self.log) > kept:
            self.state.undo()
            self.log.pop()
        self.number += 1

    def can_settle(self, seat: int) -> bool:
        """Whether a seat may claim the rest or give it up: in the cardplay, when it is to act."""
        return self.to_act == seat >= 0 and self.state.stage == self.game.stages[-1]

    def own_claim(self, seat: int) -> bool:
        """The claim by which the remaining tricks go to a seat's own side; there is a declarer."""
        return self.state.side(seat) == 0

    def settle(self, seat: int, claim: bool) -> Event:
        """Ends the deal: the remaining tricks go to the declaring side (True) or to the other.

        Raises:
            ValueError: if the deal cannot be ended so now.
        """
        if not self.can_settle(seat):
            raise Refused("only the player to act may end the deal, in the cardplay")
        self.claim = claim
        self.log.append((seat, "claims the rest" if claim == self.own_claim(seat) else "gives up"))
        self.number += 1
        self._finish()
        return {"settle": claim}

    def next_deal(self) -> Event:
        """Deals the next cards.

        Raises:
            ValueError: if the deal is not over.
        """
        if not self.is_over:
            raise Refused("the deal is not over")
        self.deal += 1
        self._begin()
        self.number += 1
        return {"next": self.deal}

    def replace(self, player: int, by: Player) -> Event:
        """Gives a player's place to somebody else.

        Raises:
            ValueError: if there is no such kind of player, or the name is too long.
        """
        check_player(by)
        self.players[player], self.failures[player] = by, ""
        self.number += 1
        return {"replace": player, "kind": by.kind, "name": by.name, "spec": by.spec}

    def fail(self, seat: int, sentence: str) -> None:
        """Notes that the agent at a seat cannot play on."""
        self.failures[self.player_at(seat)] = sentence
        self.number += 1

    def apply(self, event: Event) -> None:
        """Applies an event of the journal."""
        match event:
            case {"act": action}:
                self.act(self.state.to_act, action)
            case {"undo": kept}:
                self._back_to(kept)
            case {"settle": claim}:
                self.settle(self.state.to_act, claim)
            case {"next": _}:
                self.next_deal()
            case {"replace": player, "kind": kind, "name": name, "spec": spec}:
                self.replace(player, Player(kind, name, spec))
            case _:
                raise ValueError(f"no event of a table: {event}")

    def _finish(self) -> None:
        names = [self.players[self.player_at(seat)] for seat in range(len(self.players))]
        # Without the seed, from which the next deals follow.
        record = GameRecord.of(self.new.game, self.state, [name_of(each) for each in names])
        if self.claim is not None:
            record = replace(record, status=Status.CLAIMED, claim=self.claim, result=None)
        if self.taken_back:
            record = replace(record, ending="; ".join(self.taken_back))
        returns = record.returns() or (0,) * len(self.players)
        points = tuple(returns[self.seat_of(player)] for player in range(len(self.players)))
        self.finished.append(Finished(record, points, "; ".join(self.result())))

    def result(self) -> Sequence[str]:
        """How the deal ended, line by line."""
        if self.claim is None:
            return table_of(self.new.game, self.state).result
        if has_part(self.new.game, "review"):
            return (get_part(self.new.game, "review").result_text(self.state, self.claim),)
        return (f"points {', '.join(map(str, self.state.returns(claim=self.claim)))}",)


def seeded(new: NewTable) -> NewTable:
    """A description of a table with a seed."""
    if new.seed is not None:
        return new
    return copied(new, seed=secrets.randbits(62))


def copied(new: NewTable, **changes: Any) -> NewTable:
    """A description of a table with some fields changed."""
    return NewTable(**{name: getattr(new, name) for name in new.__struct_fields__} | changes)


def check_player(player: Player) -> None:
    """Raises ValueError if there is no such player; an agent is tried when it is first asked to move."""
    if player.kind not in KINDS:
        raise ValueError(f"a player is of the kind human or agent, not '{player.kind[:MAX_NAME]}'")
    if len(player.name) > MAX_NAME or not player.name.isprintable():
        raise ValueError(f"a name has at most {MAX_NAME} characters, which can be printed")


def name_of(player: Player) -> str:
    """The name of a player."""
    return player.spec if player.kind == "agent" else player.name or "human"
