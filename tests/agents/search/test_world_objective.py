"""Values of real play as an objective: the network's, or the result where the game is over."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="networks need the extra 'learn'")

import torch

from skat_env.agents.networks.checkpoint import save_checkpoint
from skat_env.agents.networks.world_values import WORLD, WorldValues, world_layout
from skat_env.agents.search.world_objective import WorldWorth
from skat_env.beliefs.belief import UniformSampler
from skat_env.errors import ParseError
from tests.helpers.choices import choice
from tests.helpers.networks import random_network
from tests.helpers.worth import declarer_worth

both_games = pytest.mark.parametrize("game", ["skat", "klaverjas"])


def untrained(game: str, folder: Path) -> str:
    torch.manual_seed(2)
    save_checkpoint(folder / game, game, {WORLD: random_network(world_layout(game).spec((16,)))})
    return str(folder / game)


@both_games
@pytest.mark.parametrize("cards", [2, 5])
def test_it_values_the_next_choice_or_the_result(game: str, cards: int, tmp_path: Path) -> None:
    checkpoint, rng = untrained(game, tmp_path), np.random.default_rng(cards)
    objective, values = WorldWorth(game, checkpoint), WorldValues(game, checkpoint)
    for _ in range(5):
        state: Any = choice(game, rng, cards + 1)
        actions = state.legal_actions()
        worlds = [world.state for world in UniformSampler().worlds(state.view(state.to_act), 4, rng)]
        found = objective.values(worlds, actions)
        for world, row in zip(worlds, found, strict=True):
            for action, value in zip(actions, row, strict=True):
                after = world.clone()
                after.apply(action)
                while not after.is_over and len(after.legal_actions()) == 1:
                    after.apply(after.legal_actions()[0])
                worth = declarer_worth(after) if after.is_over else values.values([after])[0].item()
                assert value == pytest.approx(worth if state.side(state.to_act) == 0 else -worth, abs=1e-3)
    last, end = choice(game, rng, 2), None
    while not last.is_over:
        end = last.clone()
        last.apply(last.legal_actions()[-1])
    worth = declarer_worth(last)
    own = objective.values([end], end.legal_actions()[-1:])
    assert own.item() == pytest.approx(worth if end.side(end.to_act) == 0 else -worth)


def test_another_checkpoint_is_refused() -> None:
    with pytest.raises(ParseError, match="expected some of world"):
        WorldWorth("skat", "skat-policy")
