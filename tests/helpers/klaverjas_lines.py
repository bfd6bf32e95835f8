"""Lines of Klaverjas to test with, made of our own games: playouts, and rows of a klaver.live table."""

import csv
import io
import json
from typing import Any

from skat_env.cards import CARD_TEXTS, cards_of
from skat_env.klaverjas import KlaverjasState

WORDS = ("ruiten", "harten", "schoppen", "klaveren")
COLUMNS = ("FirstPlayer", "Troef", "Gaat", "Cards", "Rounds", "Scores")


def playout(state: KlaverjasState, **changes: Any) -> str:
    """A finished deal as a playout, with other values of some keys."""
    result = state.result()
    again = KlaverjasState.parse(f"{state.deal.text()} {state.head()} :")
    plays = []
    for seat, card in state.plays():
        legal = " ".join(CARD_TEXTS[each] for each in again.legal_actions())
        plays.append([seat, CARD_TEXTS[card], legal])
        again.apply(card)
    fields = {
        "trump": result.trump,
        "declarer": state.declarer,
        "forehand": state.forehand,
        "hands": [" ".join(CARD_TEXTS[card] for card in cards_of(hand)) for hand in state.dealt],
        "plays": plays,
        "card_points": result.card_points,
        "roem": result.roem,
        "tricks": result.tricks,
        "nat": not result.made,
        "difference_team0": result.difference,
    }
    return json.dumps(fields | changes, separators=(",", ":"))


def live_card(card: int) -> str:
    """A card as klaver.live writes it."""
    return f"{'rhsk'[card >> 3]}{7 + (card & 7)}"


def live_row(state: KlaverjasState) -> dict[str, Any]:
    """A finished deal by the columns of the table; values are objects still."""
    result = state.result()
    plays = state.plays()
    tricks = []
    for first in range(0, 28, 4):
        by_player = dict(plays[first : first + 4])
        tricks.append({"Cards": [live_card(by_player[player]) for player in range(4)]})
    points = list(result.card_points) if result.made else [score and 162 for score in result.scores]
    roem = [score - p for score, p in zip(result.scores, points, strict=True)]
    nat = [not result.made and team == state.declarer % 2 for team in (0, 1)]
    scores = {
        "We": points[0], "They": points[1], "WeRoem": roem[0], "TheyRoem": roem[1],
        "WeNat": nat[0], "TheyNat": nat[1], "WeVerzaakt": False, "TheyVerzaakt": False,
    }  # fmt: skip
    return {
        "FirstPlayer": state.forehand,
        "Troef": WORDS[state.trump or 0],
        "Gaat": state.declarer,
        "Cards": [" ".join(map(live_card, cards_of(hand))) for hand in state.dealt],
        "Rounds": tricks,
        "Scores": scores,
    }


def live_line(row: dict[str, Any], python: bool = True, columns: tuple[str, ...] = COLUMNS) -> str:
    """A row as a line; lists as Python's text or as JSON."""
    cells = []
    for name in columns:
        value = row[name]
        if not isinstance(value, (str, int)):
            value = repr(value) if python and name != "Scores" else json.dumps(value)
        cells.append(value)
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(cells)
    return text.getvalue()


def laid(row: dict[str, Any], state: KlaverjasState) -> dict[str, Any]:
    """The row with points and roem as they lie in the tricks, whether it is nat or not."""
    result = state.result()
    told = {"We": 0, "They": 1}
    scores = {name: result.card_points[team] for name, team in told.items()}
    scores |= {f"{name}Roem": result.roem[team] for name, team in told.items()}
    return row | {"Scores": row["Scores"] | scores}
