"""Skat: three players, one soloist against two defenders."""

from skat_env.protocols import Game
from skat_env.skat._state import SkatPosition, SkatState, SkatView
from skat_env.skat.observation import FEATURES
from skat_env.skat.render import arrange, label, render
from skat_env.skat.rules import ACTION_TEXTS, PLACE_SIZES, SEAT_NAMES, STAGES, Declaration, SkatRules
from skat_env.skat.scoring import REWARD_UNITS, GameResult

GAME = Game(
    name="skat",
    seats=SEAT_NAMES,
    teams=((0,), (1,), (2,)),
    actions=ACTION_TEXTS,
    features=FEATURES,
    place_sizes=PLACE_SIZES,
    reward_units=REWARD_UNITS,
    match_unit=REWARD_UNITS[0],
    kinds=("suit", "grand", "null"),
    stages=STAGES,
    state=SkatState,
    view=SkatView,
    rules=SkatRules,
    render=render,
    label=label,
    arrange=arrange,
)

__all__ = ["GAME", "Declaration", "GameResult", "SkatPosition", "SkatRules", "SkatState", "SkatView"]
