"""Tasks of Inspect: `inspect eval skat_env/duplicate_deals`, the score of a model, and `skat_env/exam`."""

from typing import Any, Final

from skat_env.agents.language.messages import Message, question
from skat_env.doors.exam.make import questions
from skat_env.doors.exam.question import read_answer
from skat_env.doors.patient import PatientSession, Retries
from skat_env.doors.session import Session
from skat_env.options import Count, Seed, checked_options
from skat_env.registry import get_game, get_part
from skat_env.text.card_words import Cards
from skat_env.text.describe import Form
from skat_env.tools.extras import explained

try:
    from inspect_ai import Task, task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser
    from inspect_ai.scorer import (
        CORRECT,
        INCORRECT,
        SampleScore,
        Score,
        accuracy,
        grouped,
        mean,
        metric,
        scorer,
        stderr,
    )
    from inspect_ai.solver import generate, solver
except ImportError as error:
    raise explained(error) from None

TABLE: Final = "rule"
_ROLES: Final = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}


def chat(messages: list[Message]) -> list[Any]:
    """Messages as the library has them."""
    return [_ROLES[each["role"]](content=each["content"]) for each in messages]


@metric
def score(game: str) -> Any:
    """The score on the scale of a game: 0 is `random`, 1 `champion(quick=true)`."""

    def found(scores: list[SampleScore]) -> float:
        return float(get_part(game, "scale").value(mean()(scores)))

    return found


@scorer(metrics=[mean(), stderr(cluster="deal")])
def points() -> Any:
    """Points per game and seat more than `rule` in the same seats of the same deal."""

    async def found(state: Any, target: Any) -> Score:
        kept = {name: state.store.get(name) for name in ("errors", "record")}
        return Score(value=state.store.get("points"), metadata=kept)

    return found


@solver
def plays(game: str, seed: int, **patience: Any) -> Any:
    """Asks a model for every decision of its seats by itself."""

    async def solve(state: Any, generate: Any) -> Any:
        patient = opened(game, seed, state.metadata["deal"], state.metadata["seats"], **patience)
        session = patient.session
        while not session.is_over:
            state.messages = chat(patient.messages)
            state = await generate(state)
            patient.answer(state.output.completion)
        gains = session.gains(session.game.match_unit)
        state.store.set("points", sum(gains[seat] for seat in session.seats) / len(session.seats))
        state.store.set("errors", patient.errors)
        state.store.set("record", session.record().text())
        return state

    return solve


def opened(game: str, seed: int, deal: int, seats: list[int], **patience: Any) -> PatientSession:
    """A game of the table by which scores are measured."""
    session = Session(game, seats, TABLE, rules=get_part(game, "scale").rules, seed=seed, deal=deal)
    return PatientSession(session, instead=TABLE, **patience)


@task
@checked_options("the task duplicate_deals")
def duplicate_deals(
    game: str = "skat",
    deals: Count = 100,
    seed: Seed = 0,
    retries: Retries = 1,
    form: Form = "long",
    cards: Cards = "codes",
) -> Task:
    """A model at a table of `rule`: the games, points and score of `skat-env score` with the same seed.

    Args:
        game: the game.
        deals: the number of deals; in each the model has every seat in turn, of partners both.
        seed: of the deals.
        retries: how often a reply without a legal move is answered; then `rule` decides.
        form: how much is told, `long` or `short`.
        cards: how cards are written.

    Raises:
        ValueError: if an argument is not what it should be, or the game has no scale.
    """
    patience = {"retries": retries, "form": form, "cards": cards}
    samples = [
        Sample(
            chat(opened(game, seed, deal, seats, **patience).messages),
            id=f"{deal}-{seats[0]}",
            metadata={"deal": deal, "seats": seats},
        )
        for deal in range(deals)
        for seats in map(list, get_game(game).teams)
    ]
    made = plays(game, seed, **patience)
    return Task(
        MemoryDataset(samples),
        solver=made,
        scorer=points(),
        metrics=[mean(), stderr(cluster="deal"), score(game)],
    )


@scorer(metrics=[grouped(accuracy(), "kind"), stderr()])
def right() -> Any:
    """Whether the last square brackets of a reply hold the answer."""

    async def found(state: Any, target: Any) -> Score:
        reply = state.output.completion
        is_right = read_answer(reply) == frozenset(target.text.split())
        return Score(value=CORRECT if is_right else INCORRECT, answer=reply[-100:])

    return found


@task
@checked_options("the task exam")
def exam(count: Count = 100, seed: Seed = 1) -> Task:
    """The questions of `skat-env exam`, each with one answer that is proved.

    Args:
        count: the number of questions.
        seed: of the questions.
    """
    samples = [
        Sample(
            chat(question(each.game, each.text)),
            target=" ".join(sorted(each.answer)),
            id=each.number,
            metadata={"kind": each.kind, "game": each.game},
        )
        for each in questions(count, seed)
    ]
    return Task(MemoryDataset(samples), solver=generate(), scorer=right())
