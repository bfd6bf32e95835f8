"""What one player of Skat knows, as JSON objects, and what it is sure of.

    {"contract": "D", "hand": ["D7", "SJ", "CT"], "unseen": ["DJ", "DK", ...], "voids": [["C"], ["H"]], "leader": 1}

`hand` has the cards of the player, `unseen` those that it does not see. `voids` names the suits (D H S C, or trump for
the suit of the game) that the next player and the one after it cannot have. `leader` is the seat that led the current
trick or is to lead, counted from the player, `table` the cards of that trick (none), `soloist` the soloist's seat (0:
the player is the soloist). With two more unseen cards than the hands take, the skat is unseen too. `guaranteed_points`
are the card points that the player's side is sure of from here on, whatever the others hold and play; in null games
`loses_no_trick`, or of a defender `soloist_takes_a_trick`. `cards` are the player's cards with which it is.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from skat_env.cards import SUITS, card_symbol, card_text, cards_of
from skat_env.errors import ParseError
from skat_env.skat.rules import CONTRACT_LETTERS, Contract, follow_groups
from skat_env.solvers.open_card import (
    Asked,
    OpenCardLine,
    QuestionName,
    read_cards,
    read_letter,
    read_seat,
    require,
)
from skat_env.solvers.skat.information_set import InformationSet
from skat_env.solvers.skat.paranoia import ParanoiaSolver
from skat_env.solvers.skat.question import SureQuestion
from skat_env.solvers.solution import Solution

_NEEDED: Final = ("contract", "hand", "unseen", "leader")


class SkatGuaranteed:
    """Lines of what a player of Skat is sure of."""

    name = "skat"
    mark = "unseen"
    asked: tuple[QuestionName, ...] = ("guaranteed",)

    def __init__(self) -> None:
        self.solver = ParanoiaSolver()

    def parse(self, fields: Mapping[str, Any]) -> OpenCardLine[InformationSet]:
        """The information set of an object.

        Raises:
            ParseError: if it is none.
        """
        require(fields, _NEEDED)
        contract = Contract(read_letter("contract", fields["contract"], CONTRACT_LETTERS))
        hand, unseen = _read_mask("hand", fields["hand"]), _read_mask("unseen", fields["unseen"])
        table = read_cards("table", fields.get("table", []))
        leader = read_seat("leader", fields["leader"], 3)
        soloist = read_seat("soloist", fields.get("soloist", 0), 3)
        size = hand.bit_count() + any((leader + place) % 3 == 0 for place in range(len(table)))
        sizes = [size, size]
        for place in range(len(table)):
            seat = (leader + place) % 3
            if seat:
                sizes[seat - 1] -= 1
        skat = unseen.bit_count() - sum(sizes)
        can = [unseen & ~_read_voids(contract, fields.get("voids", [[], []]), place) for place in range(2)]
        try:
            known = InformationSet(
                contract,
                soloist,
                hand,
                (can[0], can[1], unseen if skat else unseen & ~(can[0] | can[1])),
                (sizes[0], sizes[1], skat),
                leader,
                tuple(table),
            )
        except ValueError as error:
            raise ParseError(str(error)) from None
        return OpenCardLine(known, {}, {}, fields)

    def questions(self, line: OpenCardLine[InformationSet], asked: Asked) -> tuple[SureQuestion, ...]:
        """What is sure, and what it is after each card if the player is to act."""
        return (SureQuestion(actions=line.position.to_act == 0),)

    def answers(
        self, line: OpenCardLine[InformationSet], asked: Asked, solutions: Sequence[Solution]
    ) -> dict[str, Any]:
        """What is sure, and the cards with which it is."""
        value = solutions[0].bounds.lower
        cards = [card for card, bounds in sorted(solutions[0].actions.items()) if bounds.lower == value]
        key = _key(line.position)
        return {
            key: value if key == "guaranteed_points" else bool(value),
            "cards": [card_text(card) for card in cards],
        }

    def known(self, line: OpenCardLine[InformationSet], asked: Asked) -> dict[str, Any]:
        """What the line says of it."""
        found = {key: line.fields[key] for key in (_key(line.position),) if key in line.fields}
        if "cards" in line.fields:
            cards = sorted(read_cards("cards", line.fields["cards"]))
            found["cards"] = [card_text(card) for card in cards]
        return found

    def describe(self, line: OpenCardLine[InformationSet]) -> str:
        """The cards that the player sees, and what it is sure of."""
        known = line.position
        answers = self.answers(
            line,
            Asked("guaranteed"),
            [self.solver.solve(known, *self.questions(line, Asked("guaranteed")))],
        )
        key, cards = _key(known), answers["cards"]
        ends = {
            "guaranteed_points": f"{answers[key]} more card points",
            "loses_no_trick": "winning" if answers[key] else "nothing",
            "soloist_takes_a_trick": "winning" if answers[key] else "nothing",
        }[key]
        rows = [
            ("contract", known.contract.name.lower()),
            ("hand", _symbols(known.hand)),
            ("table", " ".join(card_symbol(card) for card in known.table) or "-"),
            ("next player", _symbols(known.can[0])),
            ("the one after", _symbols(known.can[1])),
            *([("skat", _symbols(known.can[2]))] if known.sizes[2] else []),
            ("sure of", ends + (f", with {' '.join(cards)}" if cards else "")),
        ]
        return "\n".join(f"{name:<14} {value}" for name, value in rows)


GUARANTEED: Final = SkatGuaranteed()


def _key(known: InformationSet) -> str:
    if known.contract != Contract.NULL:
        return "guaranteed_points"
    return "soloist_takes_a_trick" if known.soloist else "loses_no_trick"


def _symbols(mask: int) -> str:
    return " ".join(card_symbol(card) for card in cards_of(mask)) or "-"


def _read_mask(name: str, cards: object) -> int:
    """The cards of a list or a text as a mask; raises a ParseError if one is there twice."""
    mask = 0
    for card in read_cards(name, cards):
        if mask >> card & 1:
            raise ParseError(f"{name} has {card_text(card)} twice")
        mask |= 1 << card
    return mask


def _read_voids(contract: Contract, voids: object, place: int) -> int:
    """The cards of the suits that a player cannot have; raises a ParseError if they are not named so."""
    groups = dict(zip((*SUITS, "trump"), follow_groups(contract), strict=True))
    if not isinstance(voids, list) or len(voids) != 2 or not all(isinstance(names, list) for names in voids):
        raise ParseError("voids is not a list of two lists, of the next player and the one after it")
    unknown = [name for names in voids for name in names if not isinstance(name, str) or name not in groups]
    if unknown:
        raise ParseError(f"voids has {unknown[0]!r}, which is not one of {', '.join(groups)}")
    empty = [name for names in voids for name in names if not groups[name]]
    if empty and contract == Contract.NULL:
        raise ParseError("voids has 'trump', but a null game has no trumps")
    if empty:
        raise ParseError(
            f"voids has {empty[0]!r}, but {contract.name.lower()} are trumps: expected 'trump' for them"
        )
    return sum(groups[name] for name in dict.fromkeys(voids[place]))
