"""Klaverjas: four players in two teams; the team that chose trumps must win more points than the other."""

from skat_env.klaverjas._state import KlaverjasPosition, KlaverjasState, KlaverjasView
from skat_env.klaverjas.observation import FEATURES
from skat_env.klaverjas.render import arrange, label, render
from skat_env.klaverjas.rules import ACTION_TEXTS, PLACE_SIZES, SEAT_NAMES, STAGES, KlaverjasRules
from skat_env.klaverjas.scoring import REWARD_UNITS, DealResult
from skat_env.protocols import Game

GAME = Game(
    name="klaverjas",
    seats=SEAT_NAMES,
    teams=((0, 2), (1, 3)),
    actions=ACTION_TEXTS,
    features=FEATURES,
    place_sizes=PLACE_SIZES,
    reward_units=REWARD_UNITS,
    match_unit="score",
    kinds=("deal",),
    stages=STAGES,
    state=KlaverjasState,
    view=KlaverjasView,
    rules=KlaverjasRules,
    render=render,
    label=label,
    arrange=arrange,
)

__all__ = ["GAME", "DealResult", "KlaverjasPosition", "KlaverjasRules", "KlaverjasState", "KlaverjasView"]
