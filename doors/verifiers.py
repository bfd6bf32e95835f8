"""Environments of verifiers: `vf.load_environment("skat_env.doors.verifiers", game="skat")`.

A decision is a turn with a prompt of its own, the rules and what the seat may know, as the agent `llm` is asked. A
model plays one seat, or all seats of a game against itself. Rewards are paired: what a seat has more than `rule` in
the same seat of the same game, so that the luck of the deal cancels.
"""

from collections.abc import Callable, Iterator
from typing import Annotated, Any, Final, Literal

from skat_env.agents.language.messages import Message
from skat_env.doors.patient import PatientSession, Retries
from skat_env.doors.session import Session
from skat_env.options import Count, NonNegative, Range, checked_options
from skat_env.registry import get_game
from skat_env.text.card_words import Cards
from skat_env.text.describe import Form
from skat_env.tools.extras import explained

try:
    import verifiers as vf
    from datasets import Dataset
except ImportError as error:
    raise explained(error) from None

SEED: Final = 47
"""The seed of all deals."""
HELD_OUT: Final = 1000
"""Deals below this number are for evaluation; models learn from those after them."""


class PairedRubric(vf.Rubric):
    """Gives each decision the reward of its seat, and as its advantage what that is above the group's mean."""

    async def score_group(self, states: list[Any]) -> None:
        """Scores some games of the same deal."""
        for seat in states[0]["rewards"] if states else ():
            mean = sum(state["rewards"][seat] for state in states) / len(states)
            for state in states:
                for step in state["trajectory"]:
                    if step["extras"]["seat"] == seat:
                        step["reward"] = state["rewards"][seat]
                        step["advantage"] = step["reward"] - mean
        await super().score_group(states)


class CardGames(vf.MultiTurnEnv):
    """Games in which a model plays one seat or all.

    A state has `rewards` by the names of the seats that are played, and at the end `record`, the game. A step of its
    trajectory has among its `extras` the `seat`, and `error`, what was wrong with the reply.

    Args:
        game: the game.
        seats: `one`: a row of the dataset is a deal and a seat, agents play the others; `all`: the model plays all
            seats, each is told its own cards, and each has its reward.
        opponents: the agent in all other seats.
        start: where a game begins: `deal`, or a later stage, up to which `rule` plays.
        rules: rule options that differ from the defaults.
        unit: the reward unit; empty: the one that matches count.
        penalty: what a reply without a legal move costs, in that unit.
        retries: how often it is answered with what is wrong.
        instead: the agent that decides then.
        form: how much is told, `long` or `short`.
        cards: how cards are written.
        train: deals to learn from.
        held_out: deals to evaluate on. They are never among those to learn from, and do not depend on `train`.

    Raises:
        ValueError: if an argument is not what it should be.
    """

    @checked_options("an environment of verifiers")
    def __init__(
        self,
        game: str = "skat",
        seats: Literal["one", "all"] = "one",
        opponents: str = "rule",
        start: str = "deal",
        rules: str = "",
        unit: str = "",
        penalty: NonNegative = 10.0,
        retries: Retries = 1,
        instead: str = "random",
        form: Form = "long",
        cards: Cards = "codes",
        train: Count = 1000,
        held_out: Annotated[int, Range(ge=1, le=HELD_OUT)] = 100,
    ) -> None:
        self._game = get_game(game)
        self._unit = self._game.reward_unit(unit or self._game.match_unit)
        self._penalty = penalty
        self._patience: dict[str, Any] = {
            "retries": retries,
            "instead": instead,
            "form": form,
            "cards": cards,
        }
        every = list(range(len(self._game.seats)))
        self._tables = [every] if seats == "all" else [[seat] for seat in every]
        self._options: dict[str, Any] = {"opponents": opponents, "start": start, "rules": rules, "seed": SEED}
        rubric = PairedRubric([reward])
        for metric in (errors, *(map(reward_of, self._game.seats) if seats == "all" else ())):
            rubric.add_metric(metric)
        self._opened(0, [0])
        super().__init__(
            dataset=lambda: Dataset.from_list([*self._rows(HELD_OUT, train)]),
            eval_dataset=lambda: Dataset.from_list([*self._rows(0, held_out)]),
            rubric=rubric,
        )

    def _opened(self, deal: int, seats: list[int]) -> PatientSession:
        session = Session(self._game.name, seats, deal=deal, **self._options)
        return PatientSession(session, **self._patience)

    def _rows(self, first: int, count: int) -> Iterator[dict[str, Any]]:
        """The rows of some deals; games in which the seat decides nothing are left out."""
        for deal in range(first, first + count):
            for seats in self._tables:
                patient = self._opened(deal, seats)
                if not patient.session.is_over:
                    info = {"deal": deal, "seats": seats, "digest": patient.session.digest}
                    yield {"prompt": patient.messages, "info": info, "task": self._game.name}

    async def setup_state(self, state: Any) -> Any:
        """Deals the game of a row."""
        state["patient"] = self._opened(state["info"]["deal"], state["info"]["seats"])
        state["rewards"] = self._rewards(state)
        return state

    async def get_prompt_messages(self, state: Any) -> list[Message]:
        """The prompt for the seat to act, without anything that other seats were asked."""
        patient: PatientSession = state["patient"]
        return patient.messages

    async def add_trajectory_step(self, state: Any, trajectory_step: Any) -> None:
        """Plays a reply."""
        patient: PatientSession = state["patient"]
        seat = self._game.seats[patient.session.seat]
        wrong = patient.answer(trajectory_step["completion"][-1].get("content") or "")
        trajectory_step["extras"] |= {"seat": seat, "error": wrong}
        await super().add_trajectory_step(state, trajectory_step)
        state["rewards"] = self._rewards(state)
        if patient.session.is_over:
            state["record"] = patient.session.record().text()
            state["final_env_response"] = patient.messages[1:]

    async def env_response(self, messages: Any, state: Any, **_: Any) -> list[Message]:
        """Never called, as `get_prompt_messages` makes every prompt."""
        raise NotImplementedError

    async def render_completion(self, state: Any) -> None:
        """The whole game as one conversation, to read."""
        turns = [[step["prompt"][-1], *step["completion"]] for step in state["trajectory"]]
        told = [message for turn in turns for message in turn]
        state["completion"] = [*told[1:], *(state.get("final_env_response") or ())]

    def _rewards(self, state: Any) -> dict[str, float]:
        """The reward of each seat that is played; before the end of a game only what wrong replies cost."""
        patient: PatientSession = state["patient"]
        rewards = patient.rewards(self._unit, self._penalty)
        return {self._game.seats[seat]: reward for seat, reward in rewards.items()}


def reward(state: Any) -> float:
    """The mean of the rewards of the seats that are played."""
    rewards: dict[str, float] = state["rewards"]
    return sum(rewards.values()) / len(rewards)


def errors(state: Any) -> float:
    """Replies without a legal move."""
    return float(state["patient"].errors)


def reward_of(seat: str) -> Callable[[Any], float]:
    """The reward of one seat, as a metric with its name."""

    def found(state: Any) -> float:
        return float(state["rewards"][seat])

    found.__name__ = seat
    return found


load_environment: Final = CardGames
"""What the library loads."""
