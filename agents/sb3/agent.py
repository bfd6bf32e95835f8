"""The agent that plays by a saved MaskablePPO model."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from skat_env.agents.compose.composite import Delegating
from skat_env.agents.networks.choice import choose
from skat_env.agents.sb3.card import card_path, check_card, newest_model, read_card
from skat_env.call_text import parse_call
from skat_env.errors import UnknownName
from skat_env.options import checked_options
from skat_env.own_text import own_text
from skat_env.play.capabilities import Abilities, decide, decide_by_part, decide_many, require_views
from skat_env.protocols import ACTION_BITS, Agent, Decision, State
from skat_env.registry import get_game, make_agent


class Sb3Agent(Delegating):
    """Plays the most likely action of a policy: `sb3(runs/skat)`.

    Args:
        path: the zip of a model, or the folder of a training run, whose newest model plays. Models of a run
            have cards that say how they were trained. For any other MaskablePPO with MlpPolicy, of units `Tanh` or
            `ReLU`, this follows from its tensors and settings, except `start`; its decisions have no values, as their
            scale is not known.
        sample: draw the action from the policy's probabilities instead.
        bidder: the agent, or its name, that plays what comes before the stage at which the model's games began.
        start: that stage, for a model without a card.

    Raises:
        ValueError: if an option is not what it should be, there is no such model, or it is for another game or another
            observation.
    """

    @checked_options("sb3")
    def __init__(
        self,
        path: str,
        *,
        sample: bool = False,
        bidder: str | Agent = "rule",
        start: str = "cardplay",
        game: str,
    ) -> None:
        from skat_env.agents.sb3.model import SavedModel, guessed_card  # torch loads where a model plays

        model = newest_model(Path(path))
        self._game = get_game(game)
        self._has_card = card_path(model).exists()
        if start not in ("deal", *self._game.stages):
            raise UnknownName("start of sb3", start, ("deal", *self._game.stages))
        stage = self._game.stages[0] if start == "deal" else start
        self.card = read_card(model) if self._has_card else guessed_card(model, self._game, stage)
        check_card(self.card, model, self._game)
        self._unit = self._game.reward_unit(self.card.config.get("reward"))
        self._model = SavedModel(model, self.card)
        self._bidder = make_agent(bidder, game)
        self._sample = sample
        self.delegate_to(self._bidder, own=Abilities(batched=True, draws=sample))
        self._start = self._game.stages.index(self.card.start)
        name = own_text(self, "sb3", bidder=self._bidder)
        short = name.replace("(path=", "(", 1)
        self.name = short if parse_call(short)[1] == [path] else name

    def decide(self, view: Any, rng: np.random.Generator) -> Decision:
        """The policy's decision; before its stage, the bidder's.

        The weights of the decision are the policy's probabilities, the value is the network's, in the reward
        unit that the model was trained on.
        """
        return self.decide_many([view], [rng])[0]

    def decide_knowing(self, view: Any, state: State, rng: np.random.Generator) -> Decision:
        """The decision with a bidder that cheats, which gets the true state; the model does not."""
        early = self._game.stages.index(view.stage) < self._start
        return decide(self._bidder, view, state, rng) if early else self.decide(view, rng)

    def decide_many(self, views: Sequence[Any], rngs: Sequence[np.random.Generator]) -> list[Decision]:
        """The decisions of many views, the policy's in one pass of the network."""
        require_views(self._game, views)
        early = [self._game.stages.index(view.stage) < self._start for view in views]
        return decide_by_part(early, views, rngs, self._ask)

    def _ask(self, early: bool, views: list[Any], rngs: list[np.random.Generator]) -> list[Decision]:
        if early:
            return decide_many(self._bidder, views, rngs)
        observation = np.stack([view.observe(view.seat) for view in views])
        action_mask = np.stack([view.action_mask() for view in views])
        weights, values = self._model.evaluate(observation, action_mask)
        actions = choose(weights, rngs if self._sample else None).tolist()
        padded = np.pad(weights, ((0, 0), (0, ACTION_BITS - weights.shape[1])))
        return [
            Decision(action, row, value / self.card.scale, unit=self._unit)
            if self._has_card
            else Decision(action, row)
            for action, row, value in zip(actions, padded, values.tolist(), strict=True)
        ]
