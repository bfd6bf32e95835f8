"""Reading Klaverjas deals played out at random, one per line, with all legal sets: data to check the rules against.

    {"trump":"H","declarer":1,"forehand":0,"hands":["H9 C8 …",…],"plays":[[0,"S8","H9 C8 …"],…],
     "card_points":[40,122],"roem":[20,40],"tricks":[3,5],"nat":false,"difference_team0":-102}

A play is the seat, the card and the cards that were legal. Pairs are by team; team 0 has seats 0 and 2. The rules are
Rotterdam's with the default options.
"""

from typing import Any, Final

from skat_env.cards import CARD_TEXTS, SUITS, cards_of, parse_card
from skat_env.deal import Deal
from skat_env.errors import IllegalAction, ParseError
from skat_env.klaverjas._state import KlaverjasState
from skat_env.klaverjas.rules import NUM_SEATS
from skat_env.klaverjas.scoring import returns_of
from skat_env.records import GameRecord, Reading, Status
from skat_env.tools.parsing import parse_json

_KEYS: Final = (
    "trump", "declarer", "forehand", "hands", "plays", "card_points", "roem", "tricks", "nat", "difference_team0",
)  # fmt: skip
_FACTS: Final = ("declarer", "trump", "made", "pit", "card_points", "roem", "tricks", "scores", "difference")


def read(line: str) -> Reading:
    """The reading of a line.

    Seats, legal sets and parts of the result that differ from the rules' are its differences.

    Raises:
        ParseError: if the line is malformed, or a card that was played is not legal.
    """
    try:
        fields = parse_json(line)
    except ValueError as error:
        raise ParseError(f"expected a playout as a JSON object: {error}") from None
    if not isinstance(fields, dict) or fields.keys() != set(_KEYS):
        raise ParseError(f"expected a playout as a JSON object with the keys {', '.join(_KEYS)}")
    difference = fields["difference_team0"]
    if type(difference) is not int:
        raise ParseError("'difference_team0' of the playout is not a number")
    differences: list[str] = []
    try:
        state = _start(fields)
        for number, (seat, card, legal) in enumerate(fields["plays"], start=1):
            _compare(differences, f"seat of play {number}", seat, state.to_act)
            known = " ".join(CARD_TEXTS[each] for each in state.legal_actions())
            _compare(differences, f"legal set of play {number}", sorted(legal.split()), sorted(known.split()))
            state.apply(parse_card(card))
        result = state.result()
    except (TypeError, KeyError, AttributeError) as error:
        raise ParseError(f"a value of the playout has the wrong type: {error}") from None
    except IllegalAction as error:
        raise ParseError(f"play {len(state.history()) + 1}: {error}") from None
    except ParseError:
        raise
    except OverflowError:
        raise ParseError("the playout has a number that is too large") from None
    except ValueError as error:
        raise ParseError(f"the playout is incomplete: {error}") from None
    _compare(differences, "card_points", fields["card_points"], list(result.card_points))
    _compare(differences, "roem", fields["roem"], list(result.roem))
    _compare(differences, "tricks", fields["tricks"], list(result.tricks))
    _compare(differences, "nat", fields["nat"], not result.made)
    _compare(differences, "difference_team0", difference, result.difference)
    record = GameRecord(
        "klaverjas", state, ("random",) * NUM_SEATS, Status.COMPLETE, None, returns_of(difference)
    )
    return Reading(record, tuple(differences), {name: fields[name] for name in _KEYS[5:]})


def facts(record: GameRecord | None) -> dict[str, Any]:
    """The facts of a deal, by the fields of `DealResult`; None for facts that an aborted deal, or no record, lacks."""
    found: dict[str, Any] = dict.fromkeys(_FACTS)
    if record is None:
        return found
    if record.status is not Status.ABORTED:
        result = record.state.result(record.claim)
        return {name: getattr(result, name) for name in _FACTS}
    state = record.state
    if not isinstance(state, KlaverjasState) or state.trump is None:
        return found
    return found | {"declarer": state.declarer, "trump": SUITS[state.trump]}


def _start(fields: dict[str, Any]) -> KlaverjasState:
    trump = fields["trump"]
    if trump not in tuple(SUITS):
        raise ParseError(f"trump {trump!r} is not a suit: expected one of {', '.join(SUITS)}")
    hands = []
    for seat, hand in enumerate(fields["hands"]):
        cards = [parse_card(word) for word in hand.split()]
        hands.append(sum(1 << card for card in set(cards)))
        if len(cards_of(hands[-1])) != len(cards):
            raise ParseError(f"the hand of seat {seat} has a card twice")
    return KlaverjasState.new(
        Deal(tuple(hands)),
        forehand=fields["forehand"],
        declarer=fields["declarer"],
        trump=SUITS.index(trump),
    )


def _compare(differences: list[str], name: str, theirs: Any, ours: Any) -> None:
    if theirs != ours:
        differences.append(f"{name} {theirs} should be {ours}")
