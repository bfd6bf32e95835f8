"""What holds for every review, and the command that prints them."""

from pathlib import Path

import pytest

from skat_env.cli import main
from skat_env.solvers.review import Review
from tests.helpers import minimax


def check(found: Review) -> None:
    """The cards follow each other, costs add up, the text parses, and a finished game ends as the rules say."""
    state, seats = found.state, len(found.record.agents)
    sign = 1 if found.game.scale(state).declarers_want_more else -1
    value, wins = found.value, found.wins
    for number, ((seat, card), said) in enumerate(zip(state.plays(), found.cards, strict=True)):
        assert (said.trick, said.seat, said.card) == (number // seats + 1, seat, card)
        assert (said.before, said.wins_before) == (value, wins)
        value, wins = said.after, said.wins_after
        assert said.cost == (said.before - said.after) * sign * (1 if state.side(seat) == 0 else -1)
        assert said.cost >= 0
        assert bool(said.better) == (said.cost > 0 or said.turns)
        assert card not in said.better
    own = sum(cost for seat, cost in enumerate(found.costs) if state.side(seat) == 0)
    others = sum(found.costs) - own
    assert len(found.costs) == seats
    assert found.end_value == found.value - sign * (own - others)
    assert (found.end_value, found.end_wins) == (value, wins)
    assert Review.parse(found.text()) == found
    if state.is_over:
        assert found.end_wins == state.outcome().won
        if not any(state.places[:seats]):
            aim = "points" if found.record.game == "skat" else "final_difference"
            assert found.end_value == minimax.value(state, aim)


def run(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str, str]:
    """The exit status of `skat-env review`, and what it printed."""
    capsys.readouterr()
    status = main(["review", *map(str, words)])
    return status, *capsys.readouterr()
