"""Suits in an order of their own: what a network sees is the same game with suits renamed, and what it says comes back."""

from typing import Any

import numpy as np
import pytest

from skat_env.agents.bench.task import get_task
from skat_env.features import slices
from skat_env.registry import get_game

torch = pytest.importorskip("torch", reason="networks need the extra 'learn'")
JACKS = [4, 12, 20, 28]


def positions(task: str, steps: int) -> Any:
    """Games after some random decisions: observations and masks as tensors."""
    rng = np.random.default_rng(1)
    games = get_task(task).self_play(40)
    step = games.reset(seed=1)
    for _ in range(steps):
        step = games.step((step.action_mask * rng.random(step.action_mask.shape)).argmax(1))
    return torch.from_numpy(step.observation), torch.from_numpy(step.action_mask)


@pytest.mark.parametrize("steps", [0, 7, 19])
@pytest.mark.parametrize("task", ["SkatSuit-v0", "SkatGrand-v0", "SkatNull-v0", "KlaverjasCards-v0"])
def test_trumps_are_last_and_the_others_sorted_by_what_was_dealt(task: str, steps: int) -> None:
    from skat_env.agents.bench.suit_order import SuitOrder

    game = get_game(get_task(task).game)
    suits, places = SuitOrder(game.name), slices(game.features)
    observation, _ = positions(task, steps)
    seen = suits.observations(observation, suits.of(observation)).numpy()
    trumps = seen[:, places["contract" if game.name == "skat" else "trump"]][:, :4]
    has_trumps = trumps.any(1)
    assert has_trumps.all() == (task in ("SkatSuit-v0", "KlaverjasCards-v0"))
    assert (trumps.argmax(1)[has_trumps] == 3).all()
    dealt = seen[:, places["hand"]] | seen[:, places["played"]][:, :32]
    if task in ("SkatSuit-v0", "SkatGrand-v0"):
        was = observation.numpy()
        assert (
            dealt[:, JACKS] == (was[:, places["hand"]] | was[:, places["played"]][:, :32])[:, JACKS]
        ).all()
        dealt[:, JACKS] = 0
    count = dealt.reshape(-1, 4, 8).sum(2)
    assert (np.diff(count[:, :3], axis=1) >= 0).all()
    # Nothing is lost: as many bits of each feature as there were.
    for place in places.values():
        assert (seen[:, place].sum(1) == observation.numpy()[:, place].sum(1)).all()


@pytest.mark.parametrize("task", ["SkatSuit-v0", "SkatNull-v0", "KlaverjasCards-v0"])
def test_the_hand_as_a_network_sees_it_comes_back_as_actions(task: str) -> None:
    from skat_env.agents.bench.suit_order import SuitOrder

    game = get_game(get_task(task).game)
    suits, hand = SuitOrder(game.name), slices(game.features)["hand"]
    observation, mask = positions(task, 8)
    order = suits.of(observation)
    said = torch.zeros(mask.shape)
    said[:, :32] = suits.observations(observation, order)[:, hand].float()
    assert (suits.actions(said, order)[:, :32] == observation[:, hand]).all()
    places = torch.cat((observation[:, hand], 1 - observation[:, hand]), 1)
    ordered = suits.places(places, order)
    assert (ordered[:, :32] == said[:, :32]).all()
    assert (ordered[:, 32:] == 1 - said[:, :32]).all()


def test_suits_stand_as_they_are_in_an_auction() -> None:
    from skat_env.agents.bench.suit_order import SuitOrder

    suits = SuitOrder("skat")
    observation, _ = positions("SkatWhole-v0", 0)
    assert (suits.observations(observation, suits.of(observation)) == observation).all()
