"""Skat games in the SGF of the International Skat Server (ISS), read and written.

    (;GM[Skat]PC[International Skat Server]SE[344037]ID[6997012]DT[2021-04-30/01:13:30/UTC]P0[a]P1[b]P2[c]
    MV[w DQ.H7… 1 18 0 p 2 p 1 s w CJ.D7 1 S.HK.CK 0 S9 … 1 SC 0 RE ]R[d:1 win v:33 m:1 bidok p:92 t:7 …] ;)

`PC`, `SE` and `ID` are server, series and game; `P0`..`P2` the players by seat, `R0`..`R2` their ratings.
`MV` is a list of `mover move`; movers are `w`, the server, and the seats 0 1 2:

    w CARDS         the deal: ten cards of each seat, two of the skat; `??` hides a card
    n 18, n y, n p  bid, hold, pass
    n s, w C1.C2    the skat picked up
    n G.H7.HQ       contract and discards; or `n G` and then `n SK.S7`
    n CH            a game by hand; modifiers H, S, Z, O in any order; an ouvert declaration may list the hand
    n CARD          a play; `??` hides it
    n SC, n RE      the soloist shows its cards; a player resigns
    w LE.n, w TI.n  player n left, or its time ran out

`R` is the server's result: `server_result.py`. What a client writes before `(;` is skipped.
A game may go over several lines, as the one above, or stand with others on one.

A game that the server broke off has the result that its `R` says, if the rules come to the same when the remaining
tricks go to the other side than the player's who left; otherwise it is aborted. The record keeps the end of such games
in its `ending`, as `MV[w LE.1]R[…]`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final, Self

from skat_env.errors import ParseError
from skat_env.records import GameRecord, HiddenCards, Reading, Source, Status
from skat_env.skat._state import SkatState
from skat_env.skat.iss.moves import Replayed, moves_of, replay_moves
from skat_env.skat.iss.server_result import ServerResult
from skat_env.skat.rules import NUM_SEATS

# A value ends at the first bracket that no backslash escapes.
_VALUE: Final = r"\[([^\]\\]*(?:\\.[^\]\\]*)*)\]"
_PROPERTY: Final = re.compile(r"([A-Z][A-Z0-9]*)" + _VALUE)
_PROPERTIES: Final = "(?:[A-Z][A-Z0-9]*" + _VALUE + r"\s*)+"
_ENDING: Final = re.compile(_PROPERTIES)
BEGIN: Final = "(;"
PREFIX: Final = "[^{]*"
"""What may stand before a game, as a regular expression: in a client's log, `table .1 name end `."""
_LINE: Final = re.compile(r"\(;\s*(" + _PROPERTIES + r");?\s*\)\s*")
_GAME: Final = re.compile(r"\(;\s*(?:" + _PROPERTIES + r");?\s*\)")
_UNCLOSED: Final = re.compile(
    r"\(;\s*(?:" + _PROPERTIES + r")?(?:;|(?:[A-Z][A-Z0-9]*(?:\[[^\]\\]*(?:\\.[^\]\\]*)*)?)?)\s*\\?"
)
"""The beginning of a game whose line breaks somewhere."""
_NO_PREFIX: Final = re.compile(r"[{\]]")
"""Characters that cannot stand before a game: JSON records begin with the one, values of SGF end with the other."""
_AFTER: Final = re.compile(r"\s*(?:#.*)?")
_NUMBER: Final = re.compile("[0-9]{1,10}")
_FACTS: Final = (
    "contract", "bid", "declarer", "won", "value", "list_score", "card_points", "tricks", "matadors",
    "schneider", "schwarz", "overbid", "tournament_points",
)  # fmt: skip
_KNOWN: Final = frozenset(("GM", "PC", "SE", "ID", "DT", "P0", "P1", "P2", "R0", "R1", "R2", "MV", "R"))


@dataclass(frozen=True, slots=True)
class SgfGame:
    """A line of SGF: the game, and the data that only SGF has."""

    record: GameRecord
    result: ServerResult | None = None
    ratings: tuple[str, ...] = ()
    """The ratings by seat, as the server writes them; empty: none."""
    other: tuple[tuple[str, str], ...] = ()
    """The properties that are not used here, such as `CO`, a comment."""
    reason: str = ""
    """Why the game was aborted."""

    @classmethod
    def of(cls, record: GameRecord) -> Self:
        """The game of a record, with the result that the server would write."""
        if record.ending:
            result = _ending(record).get("R")
            return cls(record, None if result is None else ServerResult.parse(result))
        if record.status is not Status.ABORTED:
            return cls(record, ServerResult.of(record.state.result(record.claim), record.claim is not None))
        judged = None if record.result is None else ServerResult.of_points(record.result)
        if record.state.is_over:
            # The moves finish the game: only a penalty shows that it was aborted.
            judged = replace(judged or ServerResult.of_points((0,) * NUM_SEATS), verdict="penalty")
        return cls(record, judged)

    @classmethod
    def parse(cls, line: str) -> Self:
        """The game in a line.

        Raises:
            HiddenCards: if the line is well formed but does not reveal the deal.
            ParseError: if the line is malformed or a move illegal.
        """
        properties = _properties(line)
        if properties.get("GM") != "Skat":
            raise ParseError(f"expected a game of Skat, GM[Skat], but found GM[{properties.get('GM', '')}]")
        source = _source(properties)
        try:
            agents = (properties["P0"], properties["P1"], properties["P2"])
            moves = properties["MV"].split()
        except KeyError as error:
            raise ParseError(f"the game lacks the property {error.args[0]}[…]") from None
        result = ServerResult.parse(properties["R"]) if "R" in properties else None
        try:
            replayed = replay_moves(moves)
        except HiddenCards as error:
            raise HiddenCards(str(error), error.game, source) from None
        state, reason = replayed.state, replayed.reason
        if result is not None and result.verdict == "penalty":
            reason = reason or "the server gave a penalty"
        elif result is not None and _agrees(replayed, result):
            reason = ""
        status = _status(state, replayed.claim, reason)
        claim = replayed.claim if status is Status.CLAIMED else None
        ending = []
        if replayed.by_server or status is Status.ABORTED:
            ending = [("MV", " ".join(replayed.end))] if replayed.end else []
            ending += [] if result is None else [("R", result.text())]
        if result is not None:
            points: tuple[int, ...] | None = result.returns()
        else:
            points = None if status is Status.ABORTED else state.returns(None, claim)
        ratings = tuple(properties.get(f"R{seat}", "") for seat in range(NUM_SEATS))
        return cls(
            GameRecord("skat", state, agents, status, claim, points, None, source, _text(ending)),
            result,
            ratings if any(ratings) else (),
            tuple((name, value) for name, value in properties.items() if name not in _KNOWN),
            reason,
        )

    def text(self) -> str:
        """The game as a line of SGF that `parse` reads.

        The moves are written in a standard form, whatever form they were read in: see `moves_of`.
        """
        record, source = self.record, self.record.source
        words = [("GM", "Skat"), ("PC", "skat_env" if source is None else source.server), *self.other]
        if source is not None:
            if source.series:
                words.append(("SE", str(source.series)))
            words.append(("ID", str(source.id)))
            if source.date is not None:
                words.append(("DT", f"{source.date:%Y-%m-%d/%H:%M:%S}/UTC"))
        words += [(f"P{seat}", name) for seat, name in enumerate(record.agents)]
        words += [(f"R{seat}", rating) for seat, rating in enumerate(self.ratings)]
        end = _ending(record).get("MV")
        moves = moves_of(_skat(record), record.claim if end is None else None)
        words.append(("MV", " ".join(moves if end is None else [*moves, end]) + " "))
        if self.result is not None:
            words.append(("R", self.result.text()))
        return f"{BEGIN}{_text(words)} ;)"

    def differences(self) -> tuple[str, ...] | None:
        """How the server's result differs from the rules'; None if there is nothing to compare."""
        record = self.record
        if self.result is None or record.status is Status.ABORTED:
            return None
        state = _skat(record)
        return self.result.differences(state.result(record.claim), state, record.claim is not None)


def read(line: str) -> Reading:
    """The reading of a line of SGF."""
    game = SgfGame.parse(line)
    recorded = {} if game.result is None else game.result.facts()
    return Reading(game.record, game.differences(), recorded, game.reason)


def games_in(text: str) -> tuple[list[str], str] | None:
    """The games in a text, each with what a client writes before it, and the game that it ends within, '' if none.

    None if there is anything else than a comment after a game, or no game.
    """
    if text.endswith(")") and text.count(BEGIN) == 1:
        return [text], ""
    games: list[str] = []
    at = 0
    begin = text.find(BEGIN)
    while begin >= 0 and not _NO_PREFIX.search(text, at, begin):
        match = _GAME.match(text, begin)
        if match is None:
            return (games, text[at:].strip()) if _UNCLOSED.fullmatch(text, begin) else None
        games.append(text[at : match.end()].strip())
        at = match.end()
        if _AFTER.fullmatch(text, at):
            return games, ""
        begin = text.find(BEGIN, at)
    return None


def write(record: GameRecord) -> str:
    """A record as a line of SGF; its seed is lost."""
    return SgfGame.of(record).text()


def facts(record: GameRecord | None) -> dict[str, Any]:
    """The facts of a game, by the fields of `GameResult`; None for facts that an aborted game, or no record, lacks."""
    found: dict[str, Any] = dict.fromkeys(_FACTS)
    if record is None:
        return found
    state = _skat(record)
    if record.status is not Status.ABORTED:
        result = state.result(record.claim)
        return {name: getattr(result, name) for name in _FACTS}
    declaration = "" if state.declaration is None else state.declaration.text()
    return found | {"contract": declaration, "bid": state.bid, "declarer": state.soloist}


def _skat(record: GameRecord) -> SkatState:
    if not isinstance(record.state, SkatState):
        raise ParseError(f"the SGF of Skat cannot hold a game of {record.game}")
    return record.state


def _agrees(replayed: Replayed, result: ServerResult) -> bool:
    """Whether the server's result of a game that it broke off is what the rules come to."""
    state, claim = replayed.state, replayed.claim
    if not replayed.by_server or (claim is None and not state.is_over):
        return False
    return not result.differences(state.result(claim), state, claim is not None)


def _status(state: SkatState, claim: bool | None, reason: str) -> Status:
    if reason:
        return Status.ABORTED
    if claim is not None:
        return Status.CLAIMED
    return Status.PASSED if state.soloist < 0 else Status.COMPLETE


def _properties(line: str) -> dict[str, str]:
    begin = line.find(BEGIN)
    match = _LINE.fullmatch(line, begin) if begin >= 0 and "{" not in line[:begin] else None
    if match is None:
        raise ParseError("expected a game as '(;GM[Skat]…MV[…]R[…];)'")
    return _values(match[1])


def _ending(record: GameRecord) -> dict[str, str]:
    """The properties in a record's `ending`."""
    if record.ending and _ENDING.fullmatch(record.ending) is None:
        raise ParseError(f"the ending '{record.ending}' is not that of a game on the server: MV[…]R[…]")
    return _values(record.ending)


def _values(text: str) -> dict[str, str]:
    """The values of some properties, by name."""
    pairs = _PROPERTY.findall(text)
    properties = dict(pairs)
    if len(properties) != len(pairs):
        twice = next(name for number, (name, _) in enumerate(pairs) if name in dict(pairs[:number]))
        raise ParseError(f"the property {twice} is given twice")
    if "\\" in text:
        return {name: re.sub(r"\\(.)", r"\1", value) for name, value in properties.items()}
    return properties


def _text(properties: Sequence[tuple[str, str]]) -> str:
    return "".join(f"{name}[{escaped(value)}]" for name, value in properties)


def escaped(value: str) -> str:
    """A value as it stands between the brackets of a property."""
    return value.replace("\\", "\\\\").replace("]", "\\]")


def _source(properties: dict[str, str]) -> Source | None:
    if "ID" not in properties:
        return None
    if "PC" not in properties:
        raise ParseError("the game has an ID[…], but no PC[…] with the server's name")
    series, number = properties.get("SE", "0"), properties["ID"]
    if not (_NUMBER.fullmatch(series) and _NUMBER.fullmatch(number)):
        raise ParseError(f"SE[{series}] or ID[{number}] is not a number")
    date = _date(properties["DT"]) if "DT" in properties else None
    return Source(properties["PC"], int(series), int(number), date)


def _date(text: str) -> datetime:
    try:
        if len(text) != 23 or not text.endswith("/UTC") or text[10] != "/":
            raise ValueError
        return datetime.fromisoformat(text[:10] + "T" + text[11:19]).replace(tzinfo=UTC)
    except ValueError:
        raise ParseError(f"DT[{text}] is not a date: expected one as DT[2007-10-29/04:44:01/UTC]") from None
