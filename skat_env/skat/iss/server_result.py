"""The result `R[…]` at the end of a game record of the International Skat Server."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from skat_env.errors import ParseError
from skat_env.skat._state import SkatState
from skat_env.skat.rules import NUM_SEATS
from skat_env.skat.scoring import GameResult


@dataclass(frozen=True, slots=True)
class ServerResult:
    """The fields of `R[…]`; None stands for a field that the record does not have."""

    verdict: str
    """`passed`, `win`, `loss`, or `penalty` when the server judged a game that was broken off."""
    declarer: int | None = None
    """The soloist's seat; -1: none."""
    list_score: int | None = None
    matadors: int | None = None
    overbid: bool | None = None
    card_points: int | None = None
    tricks: int | None = None
    schneider: bool | None = None
    schwarz: bool | None = None
    penalties: tuple[int, ...] = ()
    """The penalties, by seat."""
    left: int | None = None
    """The seat that left; -1: none."""
    timed_out: int | None = None
    """The seat whose time ran out; -1: none."""
    resigned: bool | None = None

    @classmethod
    def of(cls, result: GameResult, resigned: bool) -> Self:
        """The fields that the server would write for a result."""
        if result.declarer < 0:
            return cls("passed")
        return cls(
            "win" if result.won else "loss",
            result.declarer,
            result.list_score,
            result.matadors,
            result.overbid,
            result.card_points,
            result.tricks,
            result.schneider,
            result.schwarz,
            (0,) * NUM_SEATS,
            -1,
            -1,
            resigned,
        )

    @classmethod
    def of_points(cls, points: Sequence[int]) -> Self:
        """The fields of a game that was broken off, from its tournament points."""
        if not any(points):
            return cls("penalty", -1, 0)
        declarer = max(range(NUM_SEATS), key=lambda seat: abs(points[seat]))
        won = points[declarer] > 0
        return cls("win" if won else "loss", declarer, points[declarer] - (50 if won else -50))

    @classmethod
    def parse(cls, text: str) -> Self:
        """The fields of a text such as `d:1 win v:33 m:1 bidok p:92 t:7`; unknown `key:value` words are skipped.

        Raises:
            ParseError: if a word is unknown, a number is malformed, or a required field is missing.
        """
        values: dict[str, int] = {}
        verdicts: list[str] = []
        overbid: bool | None = None
        for word in text.split():
            key, colon, value = word.partition(":")
            if colon:
                # int() would take 7_2, +7 and other digits than these, too, and refuse more than 4,300.
                if not re.fullmatch("-?[0-9]{1,18}", value):
                    raise ParseError(f"'{word}' of the result is not a number")
                values[key] = int(value)
            elif word in ("bidok", "overbid"):
                overbid = word == "overbid"
            elif word in ("passed", "win", "loss", "penalty"):
                verdicts.append(word)
            else:
                raise ParseError(
                    f"'{word}' is not a word of a result: expected win, loss, passed, penalty, bidok …"
                )
        if len(verdicts) != 1 or (verdicts != ["passed"] and not {"d", "v"} <= values.keys()):
            raise ParseError(
                f"the result '{text}' lacks passed, or one of win, loss and penalty with d: and v:"
            )
        if not -1 <= values.get("d", -1) < NUM_SEATS or (verdicts[0] in ("win", "loss") and values["d"] < 0):
            raise ParseError(f"the result '{text}' has no seat as its soloist, d:0, d:1 or d:2")
        get = values.get
        flags = {key: bool(values[key]) for key in ("s", "z", "r") if key in values}
        return cls(
            verdicts[0], get("d"), get("v"), get("m"), overbid, get("p"), get("t"),
            flags.get("s"), flags.get("z"),
            tuple(values[f"p{seat}"] for seat in range(NUM_SEATS) if f"p{seat}" in values),
            get("l"), get("to"), flags.get("r"),
        )  # fmt: skip

    def text(self) -> str:
        """The text with its words in the server's order, without fields that are None."""
        fields = {"d": self.declarer, "": self.verdict, "v": self.list_score, "m": self.matadors}
        words = [
            f"{key}:{value}" if key else str(value) for key, value in fields.items() if value is not None
        ]
        if self.overbid is not None:
            words.append("overbid" if self.overbid else "bidok")
        fields = {"p": self.card_points, "t": self.tricks, "s": self.schneider, "z": self.schwarz}
        fields |= {f"p{seat}": value for seat, value in enumerate(self.penalties)}
        fields |= {"l": self.left, "to": self.timed_out, "r": self.resigned}
        return " ".join(words + [f"{key}:{int(value)}" for key, value in fields.items() if value is not None])

    def returns(self) -> tuple[int, ...]:
        """The tournament points of each seat."""
        if self.declarer is None or self.declarer < 0 or not self.list_score:
            return (0,) * NUM_SEATS
        won = self.list_score > 0
        points = [0 if won else 40] * NUM_SEATS
        points[self.declarer] = self.list_score + (50 if won else -50)
        return tuple(points)

    def facts(self) -> dict[str, Any]:
        """The fields, by the field names of `GameResult`."""
        won = None if self.verdict not in ("win", "loss") else self.verdict == "win"
        names = (
            "declarer",
            "list_score",
            "card_points",
            "tricks",
            "matadors",
            "schneider",
            "schwarz",
            "overbid",
        )
        fields = {"verdict": self.verdict, "won": won} | {name: getattr(self, name) for name in names}
        return {name: value for name, value in fields.items() if value is not None}

    def differences(self, result: GameResult, state: SkatState, claimed: bool) -> tuple[str, ...]:
        """How the server's result differs from the rules': `card_points 61 should be 60`."""
        ours = ServerResult.of(result, claimed).facts()
        if sum(state.tricks) < 10 and not claimed:
            # A game that ended when it was lost: the server sets no levels, the rules count those reached.
            for name in ("schneider", "schwarz"):
                ours.pop(name, None)
        theirs = self.facts()
        return tuple(
            f"{name} {theirs[name]} should be {value}"
            for name, value in ours.items()
            if theirs.get(name, value) != value
        )
