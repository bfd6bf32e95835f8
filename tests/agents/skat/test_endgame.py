"""Endings decided by votes: the votes against plain solving, the option's limits, and what is played without votes."""

import numpy as np
import pytest

from skat_env.agents.skat.expert.endgame import assumptions_named
from skat_env.agents.skat.expert.voting import ConfidenceVoting
from skat_env.beliefs.belief import Belief
from skat_env.registry import make_agent
from skat_env.skat import SkatState
from skat_env.solvers.skat import Solver
from skat_env.solvers.skat.question import Question
from skat_env.solvers.skat.winning import A_TRICK, winning_question
from tests.helpers.endings import skat_choice

DECLARATIONS = ("D", "SH", "G", "N", "HHS")


def wins(state: SkatState, card: int, seat: int) -> bool:
    """Whether the seat's side wins with open cards after a card, by the exact value."""
    question = winning_question(state)
    assert question is not None
    assert question.target is not None
    bounds = Solver().solve(state, Question(question.aim, actions=True)).actions[card]
    soloist = bounds.lower >= question.target
    if question is A_TRICK:
        soloist = not soloist
    return soloist == (seat == state.soloist)


def test_votes_are_the_worlds_in_which_a_card_wins() -> None:
    rng = np.random.default_rng(3)
    for number in range(25):
        state = skat_choice(rng, DECLARATIONS[number % len(DECLARATIONS)], int(rng.integers(5, 12)))
        view = state.view(state.to_act)
        belief = Belief(view)
        if belief.count > 300:
            continue
        ballot = ConfidenceVoting(1000, ()).vote(view, rng)
        assert ballot.worlds == belief.count
        worlds = [belief.state(row, rng) for row in np.concatenate([*belief.enumerate()])]
        expected = [sum(wins(world, card, view.seat) for world in worlds) for card in ballot.cards]
        assert ballot.votes.tolist() == expected
        assert ballot.confidence == max(expected) / len(worlds)


def test_the_worlds_decide_where_they_are_confident_and_the_player_elsewhere() -> None:
    rng = np.random.default_rng(4)
    rule = make_agent("rule", "skat")
    outcomes = set()
    for number in range(80):
        state = skat_choice(rng, DECLARATIONS[number % len(DECLARATIONS)], int(rng.integers(5, 14)))
        view = state.view(state.to_act)
        own = rule.decide(view, rng).action
        ballot = ConfidenceVoting(50, ()).vote(view, np.random.default_rng(7))
        for threshold in (0.0, 0.8, 1.0):
            agent = make_agent(f"endgame(start=5, worlds=50, threshold={threshold})", "skat")
            action = agent.decide(view, np.random.default_rng(7)).action
            if ballot.confidence >= threshold:
                assert action in ballot.best
                assert action == own or own not in ballot.best
                outcomes.add("the worlds'" if action != own else "both")
            else:
                assert action == own
                outcomes.add("the player's")
    assert outcomes == {"the worlds'", "both", "the player's"}


def test_only_the_side_and_the_tricks_asked_for_vote() -> None:
    rng = np.random.default_rng(5)
    for number in range(40):
        cards_left = int(rng.integers(5, 25))
        state = skat_choice(rng, DECLARATIONS[number % len(DECLARATIONS)], cards_left)
        view = state.view(state.to_act)
        votes = {
            side: "confidence"
            in make_agent(f"endgame(start=6, side={side}, worlds=20)", "skat").decide(view, rng).stats
            for side in ("both", "soloist", "defenders")
        }
        late = 30 - cards_left >= 18
        assert votes == {
            "both": late,
            "soloist": late and view.is_soloist,
            "defenders": late and not view.is_soloist,
        }


def test_the_auction_and_batches_of_games_are_the_players() -> None:
    state = SkatState.random(np.random.default_rng(2))
    rng = np.random.default_rng(2)
    while not state.is_over and state.stage != "cardplay":
        view = state.view(state.to_act)
        action = make_agent("rule", "skat").decide(view, rng).action
        assert make_agent("endgame()", "skat").decide(view, rng).action == action
        state.apply(action)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("endgame(threshold=1.5)", "threshold"),
        ("endgame(threshold=-0.1)", "threshold"),
        ("endgame(start=11)", "start"),
        ("endgame(worlds=0)", "worlds"),
        ("endgame(side=all)", "side"),
        ("endgame(assumptions=red)", "assumption 'red'"),
        ("endgame(player=pimc(belief=cheating))", "knows the world already"),
    ],
)
def test_options_out_of_range_are_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_agent(text, "skat")


def test_assumptions_are_named_in_a_text() -> None:
    assert assumptions_named("none") == ()
    assert assumptions_named("red_jack+no_trump_in_the_skat") == ("no_trump_in_the_skat", "red_jack")
    assert len(assumptions_named("all")) == 5
