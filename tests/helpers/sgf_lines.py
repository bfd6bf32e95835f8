"""Lines of SGF to test with, made here; and what becomes of lines."""

from collections.abc import Callable
from typing import TypeVar

from skat_env.cards import CARD_TEXTS
from skat_env.errors import ParseError
from skat_env.skat import SkatState
from skat_env.skat.iss.lines import HIDDEN_SKAT, SERVER, deal_line, shown_move
from skat_env.skat.iss.moves import moves_of
from skat_env.skat.iss.notation import SgfGame

Value = TypeVar("Value")
# Middlehand holds CJ SJ without HJ; the skat has no jack.
DEAL = "CA.CT.C9.C8.SA.ST.S9.HK.HQ.DQ.CJ.SJ.CK.CQ.HA.HT.H9.DA.DT.S8.HJ.DJ.C7.SK.SQ.S7.H8.DK.D9.D8.H7.D7"
TAKEN = "1 18 0 p 2 p 1 s w H7.D7 "
"""Middlehand has the bid for 18 and picks up."""
BY_HAND = "1 18 0 p 2 p "
"""Middlehand has the bid for 18 and plays hand."""


def sgf(
    moves: str, result: str | None = None, deal: str = DEAL, names: str = "P0[a]P1[b]P2[c]", head: str = ""
) -> str:
    """A line with these moves after the deal."""
    end = "" if result is None else f"R[{result}]"
    return f"(;GM[Skat]PC[Test]SE[3]ID[7]{head}{names}MV[w {deal} {moves} ]{end} ;)"


def state_of(moves: str, deal: str = DEAL) -> SkatState:
    """Where the moves lead."""
    state = SgfGame.parse(sgf(moves, deal=deal)).record.state
    assert isinstance(state, SkatState)
    return state


def played(moves: str, plays: int = 30, last: bool = False, deal: str = DEAL) -> str:
    """The moves and then plays of each seat's first legal card, or its last, until the game is over."""
    state = state_of(moves, deal)
    words = [moves]
    for _ in range(plays):
        if state.is_over:
            break
        card = state.legal_actions()[-1 if last else 0]
        words.append(f"{state.to_act} {CARD_TEXTS[card]}")
        state.apply(card)
    return " ".join(words)


def told(state: SkatState, seat: int) -> list[tuple[str, str]]:
    """The deal and the moves of a game as the server tells them to a seat, with their movers; those up to its
    declaration, if that is not complete.
    """
    words = moves_of(state, None)
    found = [(SERVER, deal_line(state.deal, seat))]
    for mover, move in list(zip(words[::2], words[1::2], strict=True))[1:]:
        if mover == SERVER:
            found.append((SERVER, move if state.soloist == seat else HIDDEN_SKAT))
        elif move not in ("D", "H", "S", "C", "G", "N", "NO"):
            found.append((mover, shown_move(int(mover), move, seat)))
    return found


def value_or_refusal(call: Callable[[], Value]) -> Value | None:
    """What a call gives; None if it refused in a sentence."""
    try:
        return call()
    except ParseError as error:
        sentence = str(error)
    assert sentence
    return None
