"""Reading rounds of Klaverjas from klaver.live: a CSV table with a header and one round per row.

    FirstPlayer,Troef,Gaat,Cards,Rounds,Scores
    0,harten,1,"['h9 k8 …', …]","[{'Cards': ['s8', 's13', 's12', 'h8']}, …]","{""We"": 40, ""They"": 122, …}"

`FirstPlayer` is forehand and `Gaat` the declarer; players 0..3 are our seats. `Troef` is the trump suit as a Dutch
word, of which the first letter counts: klaveren, harten, ruiten, schoppen. `Cards` are the four hands; a card is that
letter and a number 7..14 (11 jack, 12 queen, 13 king, 14 ace). `Rounds` are the tricks, each with its cards by player;
seven are enough, as the eighth follows. `Scores` has points and roem of We (players 0 and 2) and of They, and whether a
team is nat or has revoked (`verzaakt`). Lists and objects are JSON or Python literals. Cells are separated by commas,
semicolons or tabs, as in the header. Other columns are ignored, except `Rules`: `amsterdam` there means Amsterdam
rules; all other rounds follow Rotterdam rules.

If a round is nat, its points and roem may be those written down (0, and 162 with all roem) or those in the tricks; both
are accepted.
"""

import ast
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from skat_env.cards import cards_of
from skat_env.deal import Deal
from skat_env.errors import IllegalAction, ParseError
from skat_env.klaverjas._state import KlaverjasState
from skat_env.klaverjas.rules import ALL_POINTS, NUM_SEATS, KlaverjasRules
from skat_env.klaverjas.scoring import DealResult, returns_of
from skat_env.records import GameRecord, Reading, Status
from skat_env.tools.csv_table import CsvHeader
from skat_env.tools.parsing import parse_json

COLUMNS: Final = ("FirstPlayer", "Troef", "Gaat", "Cards", "Rounds", "Scores")
HEADER: Final = ",".join(COLUMNS)
_HEADER: Final = CsvHeader(COLUMNS)
_SUIT_OF_LETTER: Final = {"r": 0, "h": 1, "s": 2, "k": 3}
_NUMBERS: Final = tuple(map(str, range(7, 15)))
_CARD_TEXTS: Final = tuple(letter + number for letter in _SUIT_OF_LETTER for number in _NUMBERS)
_CARD_OF_TEXT: Final = {text: card for card, text in enumerate(_CARD_TEXTS)}
_TEAMS: Final = ("We", "They")
_NUMBER_KEYS: Final = ("We", "They", "WeRoem", "TheyRoem")
_FLAG_KEYS: Final = ("WeNat", "TheyNat", "WeVerzaakt", "TheyVerzaakt")
_AGENTS: Final = ("klaver.live",) * NUM_SEATS


def reader(header: str) -> Callable[[str], Reading] | None:
    """A function that reads the rows under a header; None if the line is not the header of such a table."""
    found = CsvHeader.parse(header, COLUMNS)
    return None if found is None else partial(read, header=found)


def read(line: str, header: CsvHeader = _HEADER) -> Reading:
    """The reading of a row.

    Raises:
        ParseError: if the row is malformed, its cards contradict each other, or somebody revoked.
    """
    row = header.row(line)
    scores = _scores(row["Scores"])
    for team in _TEAMS:
        if scores[f"{team}Verzaakt"]:
            raise ParseError(f"the team {team} has revoked (verzaakt): the round has no result by the rules")
    state = _start(row)
    _play(state, _tricks(row["Rounds"]))
    result = state.result()
    record = GameRecord("klaverjas", state, _AGENTS, Status.COMPLETE, None, returns_of(_difference(scores)))
    return Reading(record, _differences(scores, result), scores)


def _value(text: str, column: str) -> Any:
    """The value of a text of JSON or of a Python literal."""
    try:
        return parse_json(text)
    except ValueError:
        pass
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise ParseError(f"{column} is neither JSON nor a Python literal: '{text[:40]}'") from None


def _scores(text: str) -> dict[str, Any]:
    """The scores that a row must have, by name."""
    scores = _value(text, "Scores")
    if not isinstance(scores, dict):
        raise ParseError("Scores is not an object in {}")
    for names, kind in ((_NUMBER_KEYS, int), (_FLAG_KEYS, bool)):
        for name in names:
            if type(scores.get(name)) is not kind:
                raise ParseError(f"Scores needs '{name}' as {'a number' if kind is int else 'true or false'}")
    for name in _NUMBER_KEYS:
        if not 0 <= scores[name] <= 2000:
            raise ParseError(f"'{name}' of Scores is {scores[name]}, beyond what a round can have")
    return {name: scores[name] for name in (*_NUMBER_KEYS, *_FLAG_KEYS)}


def _seat(text: str, column: str) -> int:
    if text not in ("0", "1", "2", "3"):
        raise ParseError(f"{column} '{text}' is not a player: expected 0, 1, 2 or 3")
    return int(text)


def _card(text: Any, where: str) -> int:
    if not isinstance(text, str) or text not in _CARD_OF_TEXT:
        raise ParseError(f"{text!r} in {where} is not a card: expected a letter of khrs and 7..14, as in h11")
    return _CARD_OF_TEXT[text]


def _start(row: dict[str, str]) -> KlaverjasState:
    trump = row["Troef"][:1].lower()
    if trump not in _SUIT_OF_LETTER:
        raise ParseError(
            f"Troef '{row['Troef']}' is not a suit: expected klaveren, harten, ruiten or schoppen"
        )
    hands = _value(row["Cards"], "Cards")
    if not isinstance(hands, list) or len(hands) != NUM_SEATS or not all(isinstance(h, str) for h in hands):
        raise ParseError("Cards is not a list of four texts, the hands")
    masks = []
    for player, hand in enumerate(hands):
        cards = [_card(word, "Cards") for word in hand.split()]
        if len(cards) != 8 or len(set(cards)) != 8:
            raise ParseError(f"player {player} has {len(set(cards))} different cards, expected eight")
        masks.append(sum(1 << card for card in cards))
    amsterdam = row.get("Rules", "").lower() == "amsterdam"
    return KlaverjasState.new(
        Deal(tuple(masks)),
        KlaverjasRules(legality="amsterdam" if amsterdam else "rotterdam"),
        _seat(row["FirstPlayer"], "FirstPlayer"),
        _seat(row["Gaat"], "Gaat"),
        _SUIT_OF_LETTER[trump],
    )


def _tricks(text: str) -> list[list[int]]:
    """The cards of the given tricks, by player."""
    tricks = _value(text, "Rounds")
    if not isinstance(tricks, list) or not all(isinstance(trick, dict) for trick in tricks):
        raise ParseError("Rounds is not a list of tricks, objects with 'Cards'")
    if len(tricks) not in (7, 8):
        raise ParseError(f"Rounds has {len(tricks)} tricks, expected seven")
    cards = []
    for number, trick in enumerate(tricks, start=1):
        given = trick.get("Cards")
        if not isinstance(given, list) or len(given) != NUM_SEATS:
            raise ParseError(f"trick {number} has no list of four 'Cards'")
        cards.append([_card(card, f"trick {number}") for card in given])
    return cards


def _play(state: KlaverjasState, tricks: list[list[int]]) -> None:
    """Plays the tricks; a missing last one has the remaining cards."""
    for number in range(8):
        trick = tricks[number] if number < len(tricks) else [cards_of(hand)[0] for hand in state.hands]
        for _ in range(NUM_SEATS):
            player = state.to_act
            card = trick[player]
            name = _CARD_TEXTS[card]
            if not state.hands[player] >> card & 1:
                again = ", which was played before" if state.played_mask() >> card & 1 else ""
                raise ParseError(f"trick {number + 1}: player {player} does not hold {name}{again}")
            try:
                state.apply(card)
            except IllegalAction:
                legal = " ".join(_CARD_TEXTS[each] for each in state.legal_actions())
                raise ParseError(
                    f"trick {number + 1}: player {player} revokes with {name}: "
                    f"by {state.rules.legality} rules legal are {legal}"
                ) from None


def _difference(scores: dict[str, Any]) -> int:
    """The recorded score of We minus that of They."""
    we, they = scores["We"] + scores["WeRoem"], scores["They"] + scores["TheyRoem"]
    if scores["WeNat"] or scores["TheyNat"]:
        whole = ALL_POINTS + scores["WeRoem"] + scores["TheyRoem"]
        we, they = (0, whole) if scores["WeNat"] else (whole, 0)
    return int(we - they)


def _differences(scores: dict[str, Any], result: DealResult) -> tuple[str, ...]:
    """How the recorded scores differ from the rules'."""
    found = []
    for team, name in enumerate(_TEAMS):
        recorded, nat = scores[f"{name}Nat"], team == result.declarer % 2 and not result.made
        if recorded != nat:
            found.append(f"{name}Nat {recorded} should be {nat}")
    theirs = tuple(scores[name] + scores[f"{name}Roem"] for name in _TEAMS)
    laid = tuple(points + roem for points, roem in zip(result.card_points, result.roem, strict=True))
    if theirs != result.scores and (result.made or theirs != laid):
        found.append(f"scores {list(theirs)} should be {list(result.scores)}")
    return tuple(found)
