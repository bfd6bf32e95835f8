"""A table with the people at it: messages come in, agents move, all are sent what they may see."""

import asyncio
import contextlib
import secrets
import sys
from collections.abc import Collection, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from skat_env.agents.asked import asked_agent
from skat_env.table.claims import claim_holds
from skat_env.table.consent import SECONDS, Request, What
from skat_env.table.messages import Act, Answer, Claim, GiveUp, Hint, Join, Next, Replace, Think, Undo
from skat_env.table.movers import CannotBeMade, Movers, reason_of
from skat_env.table.scene import SPECTATOR, Json, scene
from skat_env.table.session import Event, Refused, Session
from skat_env.table.store import Journal, new_name, restored
from skat_env.table.thoughts import point_of
from skat_env.table.workers import TooLong

WAITING: Final = 500
"""The scenes that may wait for a viewer; who is slower is cut off, and comes back to the table as it is then."""
LATE: Final = "rule"
"""Who decides for a person whose time is over."""
OTHERWISE: Final = "random"
"""Who decides then if `LATE` does not: it is no agent of every game."""


@dataclass(eq=False, slots=True)
class Viewer:
    """A connection to a table."""

    player: int = SPECTATOR
    host: bool = False
    outbox: asyncio.Queue[Json | None] = field(default_factory=lambda: asyncio.Queue(WAITING))
    """What is to be sent; None: nothing more."""
    questions: set[tuple[Any, int]] = field(default_factory=set)
    """What is being answered, each with the number of changes before it."""

    def send(self, message: Json | None) -> None:
        """Sends a message in its turn."""
        if self.outbox.full():
            while not self.outbox.empty():
                self.outbox.get_nowait()
            message = None
        self.outbox.put_nowait(message)


class LiveTable:
    """A table in play.

    Args:
        session: how it stands.
        journal: where its changes are kept.
        head: the first line of the journal: `host`, the token of who made it, and `tokens`, by player.
        movers: the agents.
        allowed: agents that pages may ask for whatever they name; see `asked`.
    """

    def __init__(
        self, session: Session, journal: Journal, head: Json, movers: Movers, allowed: Collection[str] = ()
    ) -> None:
        self.session, self.journal, self.head, self.movers = session, journal, head, movers
        self._allowed = allowed
        self.viewers: set[Viewer] = set()
        self._driver: asyncio.Task[None] | None = None
        self._request: Request | None = None
        self._courses: dict[tuple[int, int], list[Json]] = {}
        self._clock: asyncio.TimerHandle | None = None
        self._turn = (-1, 0.0)
        self._beside: set[asyncio.Task[None]] = set()
        """What goes on beside the game: agents that load, answers, `rule` in the place of somebody who is late."""

    def course(self, seat: int) -> list[Json]:
        """The values of a seat's earlier decisions in this deal, as far as they were told since the server began."""
        key = self.session.deal, seat
        if not any(deal == key[0] for deal, _ in self._courses):
            self._courses.clear()
        now = len(self.session.state.history())
        # What was taken back is no part of the game.
        kept = [point for point in self._courses.get(key, ()) if point["number"] < now]
        self._courses[key] = kept
        return kept

    def warm_up(self) -> None:
        """Lets the agents of a new table load what they need while people find their seats."""
        session = self.session
        for spec in {player.spec for player in session.players if player.kind == "agent"} - {LATE}:
            self._start(self.movers.warm(session.new.game, spec, session.new.rules))

    @property
    def tokens(self) -> list[str]:
        """The tokens of the players; empty: an agent's."""
        found: list[str] = self.head["tokens"]
        return found

    def join(self, message: Join) -> Viewer:
        """Somebody comes to the table.

        Raises:
            ValueError: if a token is not of this table.
        """
        viewer = Viewer()
        if message.host:
            if not secrets.compare_digest(self.head["host"].encode(), message.host.encode()):
                raise Refused("this is not the link of the table's host")
            viewer.host = True
        if message.token:
            owners = [
                number
                for number, token in enumerate(self.tokens)
                if token and secrets.compare_digest(token.encode(), message.token.encode())
            ]
            if owners:
                viewer.player = owners[0]
            elif not viewer.host:  # a host who gave the own seat away still is the host
                raise Refused("this link gives no seat at the table: ask its host for the present one")
        arrived = viewer.player not in self._present() | {SPECTATOR}
        self.viewers.add(viewer)
        self.show(self.viewers if arrived else [viewer])
        self.drive()
        return viewer

    def leave(self, viewer: Viewer) -> None:
        """Somebody has left."""
        if viewer in self.viewers:
            self.viewers.discard(viewer)
            if viewer.player not in self._present() | {SPECTATOR}:
                self.show()

    def seat_of(self, viewer: Viewer) -> int:
        """The seat of a viewer in this deal; -1: none."""
        return SPECTATOR if viewer.player == SPECTATOR else self.session.seat_of(viewer.player)

    def show(self, viewers: Collection[Viewer] | None = None) -> None:
        """Sends the table as it stands to everybody, or to some who look on."""
        if self._request is not None and self._request.is_void(self.session):
            self._request = None
        present = self._present()
        here = [self.session.player_at(seat) in present for seat in range(len(self.session.players))]
        clock = self._wind()
        shown: dict[tuple[int, bool], Json] = {}
        for viewer in self.viewers if viewers is None else viewers:
            key = self.seat_of(viewer), viewer.host
            if key not in shown:
                shown[key] = scene(
                    self.session, key[0], host=key[1], here=here, request=self._request, clock=clock
                )
            viewer.send(shown[key])

    def _wind(self) -> Json:
        """Starts the clock of whoever is to act now, if it does not run; the seconds of it, and those that are gone."""
        session, loop = self.session, asyncio.get_running_loop()
        if self._turn[0] != session.number:
            self._turn = session.number, loop.time()
            if self._clock is not None:
                self._clock.cancel()
            people = (
                not session.is_over and session.players[session.player_at(session.to_act)].kind == "human"
            )
            wait = session.new.clock if people else 0
            self._clock = loop.call_later(wait, self._run_out, session.number) if wait else None
        return {
            "seconds": session.new.clock if self._clock is not None else 0,
            "gone": round(loop.time() - self._turn[1], 1),
        }

    def _run_out(self, number: int) -> None:
        """A person's time is over."""
        self._start(self._act_for(number))

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        """Begins what goes on beside the game; a task that nobody holds may be lost."""
        task = asyncio.create_task(work)
        self._beside.add(task)
        task.add_done_callback(self._beside.discard)

    async def _act_for(self, number: int) -> None:
        """Lets `rule` decide for a person whose time is over; `random` if it cannot."""
        session = self.session
        if session.number != number or session.is_over:
            return
        seat, agent = session.to_act, LATE
        view = session.state.view(seat)
        try:
            decision = await self.movers.advise(session.new.game, agent, view)
        except Exception:  # whatever it is, nobody else ends the person's turn
            agent = OTHERWISE
            decision = await self.movers.advise(session.new.game, agent, view)
        if self._has_changed(session, number):
            return
        try:
            self._keep(session.act(seat, int(decision.action)))
        except ValueError:  # it has not happened: the person may still act
            return
        for viewer in self.viewers:
            if viewer.player == session.player_at(seat):
                viewer.send({"kind": "late", "agent": agent})
        self.show()
        self.drive()

    def _present(self) -> set[int]:
        """The players who are connected."""
        return {viewer.player for viewer in self.viewers} - {SPECTATOR}

    def _changed(self, event: Event) -> None:
        """Keeps a change, shows it, and lets agents move on.

        Raises:
            ValueError: if it cannot be kept; the table is as it was before.
        """
        self._keep(event)
        self.show()
        self.drive()

    def _keep(self, event: Event) -> None:
        """Keeps a change.

        Raises:
            ValueError: if it cannot be kept; the table is as it was before, and the clock starts again.
        """
        try:
            self.journal.add(event)
        except OSError as error:
            failures, number = self.session.failures, self.session.number - 1  # without this change
            _, self.session = restored(self.journal)
            self.session.failures, self.session.number = failures, number
            self._turn = -1, 0.0
            self.show()
            self.drive()
            reason = (error.strerror or str(error)).lower()
            raise ValueError(f"the table cannot be kept: {reason}") from None

    async def receive(self, viewer: Viewer, message: Any) -> None:
        """Does what a viewer asks for.

        Raises:
            ValueError: if it is not possible; nothing has changed.
        """
        session, seat = self.session, self.seat_of(viewer)
        if isinstance(message, Replace):
            if not viewer.host:
                raise Refused("only the host gives seats to others")
            await self._replace(viewer, message)
            return
        if isinstance(message, Next):
            if seat == SPECTATOR and not viewer.host:
                raise Refused("only players and the host go on to the next deal")
            self._changed(session.next_deal())
            return
        if seat == SPECTATOR:
            raise Refused("spectators do not play")
        match message:
            case Act():
                session.require_turn(seat)
                if message.number != session.number:
                    raise Refused("the table has changed since: look again")
                self._changed(session.act(seat, message.action))
            case Undo():
                if not session.can_undo(seat):
                    session.undo(seat)  # says why not
                self._ask_for("undo", viewer.player)
            case Answer():
                self._answered(viewer.player, message.agree)
            case GiveUp():
                await self._settle(seat, claims=False)
            case Claim() | Hint() | Think():
                question = message, session.number
                if question not in viewer.questions:
                    viewer.questions.add(question)
                    self._start(self._answer(viewer, seat, question))
            case _:
                raise Refused("this connection has joined already")

    async def _answer(self, viewer: Viewer, seat: int, question: tuple[Any, int]) -> None:
        """Answers what takes its time; whoever asks may act meanwhile."""
        try:
            match question[0]:
                case Claim():
                    await self._settle(seat, claims=True)
                case Hint():
                    await self._hint(viewer, seat)
                case Think():
                    await self._think(viewer, seat)
        except (ValueError, ImportError) as error:
            viewer.send(refusal(error))
        finally:
            viewer.questions.discard(question)

    async def _settle(self, seat: int, claims: bool) -> None:
        session, number = self.session, self.session.number
        if not session.can_settle(seat):
            raise Refused("only the player to act may end the deal, in the cardplay")
        claim = session.own_claim(seat) == claims
        if claims and not await self.movers.work(claim_holds, session.game, session.state.view(seat), claim):
            raise Refused("the rest is not sure to be yours")
        if self._has_changed(session, number):
            raise Refused("the table has changed since: look again")
        self._ask_for("claim" if claims else "give_up", session.player_at(seat), claim)

    def _ask_for(self, what: What, player: int, claim: bool | None = None) -> None:
        """Does what a person wants, or asks those whom it touches first."""
        request = Request.of(self.session, what, player, claim)
        if not request.waiting:
            self._do(request)
            return
        self._request = request
        asyncio.get_running_loop().call_later(SECONDS, self._time_is_up, request)
        self.show()

    def _answered(self, player: int, agree: bool) -> None:
        request = self._request
        if request is None or player not in request.waiting:
            raise Refused("nobody asks you for anything")
        if not agree:
            self._refuse(request)
            return
        request.waiting.discard(player)
        if request.waiting:
            self.show()
        else:
            self._do(request)

    def _time_is_up(self, request: Request) -> None:
        """Nobody waits for those who have left."""
        if self._request is not request or request.is_void(self.session):
            return
        if request.waiting & self._present():
            self._refuse(request)
        else:
            self._do(request)

    def _refuse(self, request: Request) -> None:
        self._request = None
        for viewer in self.viewers:
            if viewer.player == request.player:
                viewer.send(refusal(Refused("the others do not agree")))
        self.show()

    def _do(self, request: Request) -> None:
        self._request = None
        session, seat = self.session, self.session.seat_of(request.player)
        if request.claim is None:
            self._changed(session.undo(seat))
        else:
            self._changed(session.settle(seat, request.claim))

    async def _hint(self, viewer: Viewer, seat: int) -> None:
        session, number = self.session, self.session.number
        session.require_turn(seat)
        if not session.new.hint:
            raise Refused("this table gives no hints")
        view = session.state.view(seat)
        with _refusing(session.new.hint):
            action = int((await self.movers.advise(session.new.game, session.new.hint, view)).action)
            label = session.game.label(view, action)
        if self._has_changed(session, number):
            return
        viewer.send({"kind": "hint", "action": action, "label": label, "agent": session.new.hint})

    async def _think(self, viewer: Viewer, seat: int) -> None:
        session, number = self.session, self.session.number
        session.require_turn(seat)
        if not session.new.thoughts or not session.new.hint:
            raise Refused("this table shows no thoughts")
        view = session.state.view(seat)
        course = self.course(seat)
        with _refusing(session.new.hint):
            thoughts = await self.movers.thoughts(session.game, session.new.hint, view, course=course)
        if self._has_changed(session, number):
            return
        course.append(thoughts["course"][-1])
        viewer.send(thoughts)

    async def _replace(self, viewer: Viewer, message: Replace) -> None:
        session = self.session
        if not 0 <= message.seat < len(session.players):
            raise Refused(f"seat {message.seat} is not one of 0..{len(session.players) - 1}")
        if message.by.kind == "agent":
            with _refusing(message.by.spec):
                await self.movers.work(asked_agent, message.by.spec, session.new.game, self._allowed)
            session = self.session
        player = session.player_at(message.seat)
        token = new_name() if message.by.kind == "human" else ""
        self._keep(session.replace(player, message.by) | {"token": token})
        self.tokens[player] = token
        for each in self.viewers:
            if each.player == player:
                each.player = SPECTATOR
        if self._driver is not None:
            self._driver.cancel()  # whoever sat there may think for ever
            self._driver = None
        self.show()
        self.drive()
        if token:
            viewer.send({"kind": "seat", "seat": message.seat, "token": token})

    def drive(self) -> None:
        """Lets agents move until it is a person's turn, beside everything else."""
        if self._driver is None or self._driver.done():
            self._driver = asyncio.create_task(self._drive())

    async def _drive(self) -> None:
        while not (session := self.session).is_over:
            seat = session.to_act
            number = session.player_at(seat)
            player = session.players[number]
            if player.kind == "human" or session.failures[number]:
                return
            changes, state = session.number, session.state.clone()
            try:
                decision = await self.movers.decide(session.new.game, player.spec, state, session.rng(seat))
                if self._has_changed(session, changes):
                    continue
                course = self.course(seat)
                if session.new.thoughts and session.new.open and self.viewers:
                    thoughts = await self.movers.thoughts(
                        session.game, player.spec, state.view(seat), decision, course
                    )
                    if self._has_changed(session, changes):
                        continue
                    for viewer in self.viewers:
                        viewer.send(thoughts)
                course.append(point_of(session.game, state, decision))
                event = session.act(seat, int(decision.action))
            except Exception as error:  # whatever an agent does wrong, its table goes on
                if self._has_changed(session, changes):
                    continue
                reason = reason_of(error)
                if not isinstance(error, CannotBeMade | TooLong):
                    # It may tell the agent's hand: an engine that fails names the position.
                    print(f"skat-env: warning: {player.spec} cannot play on: {reason}", file=sys.stderr)
                    reason = "the server's log says why"
                session.fail(seat, f"{player.spec} cannot play on: {reason}")
                self.show()
                return
            try:
                self._keep(event)
            except ValueError as error:
                self.session.fail(seat, str(error))
                self.show()
                return
            self.show()

    def _has_changed(self, session: Session, number: int) -> bool:
        """Whether the table is another than it was in a session with a number of changes."""
        return self.session is not session or session.number != number

    async def close(self) -> None:
        """Stops the agents and sends everybody away; the journal has all that happened."""
        for viewer in self.viewers:
            viewer.send(None)
        if self._clock is not None:
            self._clock.cancel()
        for task in self._beside:
            task.cancel()
        if self._driver is not None:
            self._driver.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._driver


def refusal(error: Exception) -> Json:
    """The message to whoever asked for what is not possible."""
    return {"kind": "error", "error": reason_of(error)}


@contextmanager
def _refusing(spec: str) -> Iterator[None]:
    """Makes whatever an agent does wrong a refusal. It says what the agent says: only whoever asked may read it.

    Raises:
        ValueError, ImportError: as they are; `Refused` for any other error.
    """
    try:
        yield
    except (ValueError, ImportError):
        raise
    except Exception as error:
        raise Refused(f"{spec} cannot answer: {reason_of(error)}") from error
