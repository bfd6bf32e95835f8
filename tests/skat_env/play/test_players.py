"""Agents play the same games in lanes as in step, and what they took is told alike."""

from typing import Any

import numpy as np
import pytest

from skat_env.agents.compose.player import Player
from skat_env.audit.play import AuditConfig, AuditedGame, DealAuditor
from skat_env.errors import IllegalAction
from skat_env.match.play import DealPlayer, MatchConfig
from skat_env.play import lanes
from skat_env.play.players import Players
from skat_env.play.starts import RandomDeals
from skat_env.protocols import Decision
from skat_env.registry import get_game, make_agent

MATCHES = [
    ("skat", "all-seats", ("policy", "policy(threshold=0.02)"), None),
    ("skat", "mixed", ("policy", "policy(threshold=0.02)"), None),
    ("skat", "mirrored", ("policy", "policy(cardplay=sample)", "exploring(agent=policy, random_cards=0.1)"), None),
    ("klaverjas", "all-seats", ("policy", "policy(cardplay=sample)"), "choice=free"),
    ("klaverjas", "swapped", ("policy", "policy(cardplay=sample)"), None),
]  # fmt: skip


@pytest.mark.parametrize(("game", "mode", "agents", "rules"), MATCHES)
def test_a_match_of_networks_has_the_games_of_python(
    game: str, mode: Any, agents: tuple[str, ...], rules: str | None
) -> None:
    config = MatchConfig(game, agents, 6, 3, mode, rules=rules)
    deals = [(deal, None) for deal in (0, 2, 3, 5)]
    fast = DealPlayer(config)(deals)
    slow = DealPlayer(config, in_lanes=False)(deals)
    assert [(played.spec, played.position, played.returns, played.agents) for played in fast] == [
        (played.spec, played.position, played.returns, played.agents) for played in slow
    ]
    for one, other in zip(fast, slow, strict=True):
        assert [each.moves for each in one.thinking] == [each.moves for each in other.thinking]
        assert all(each.seconds > 0 for each in one.thinking if each.moves)


def test_an_audit_by_networks_is_that_of_python(monkeypatch: pytest.MonkeyPatch) -> None:
    config = AuditConfig("skat", ("policy", "rule"), 3, 1)

    def audited() -> list[AuditedGame]:
        return DealAuditor(config)([(deal, None) for deal in range(3)])

    fast = audited()
    monkeypatch.setattr("skat_env.play.players.lane_players", lambda agents: None)
    assert [(game.position, game.answers) for game in audited()] == [
        (game.position, game.answers) for game in fast
    ]


def test_seconds_are_those_of_the_agents(monkeypatch: pytest.MonkeyPatch) -> None:
    """One agent asks its bidder in Python, which takes most of the time; by a clock of the test's own."""
    passed = 0.0

    def clock() -> float:
        nonlocal passed
        passed += 0.001
        return passed

    monkeypatch.setattr("skat_env.play.lanes.process_time", clock)
    monkeypatch.setattr("skat_env.play._lanes.process_time", clock)

    class Slow:
        name = "slow"

        def decide(self, view: Any, rng: np.random.Generator) -> Decision:
            nonlocal passed
            passed += 1
            return make_agent("rule", "klaverjas").decide(view, rng)

    game = get_game("klaverjas")
    rules = game.rules(choice="free")
    states = [RandomDeals("klaverjas", rules)(np.random.default_rng(n)) for n in range(20)]
    agents = [Player(Slow(), "policy", game="klaverjas"), make_agent("policy", "klaverjas")]
    seated = np.array([[0, 1, 0, 1], [1, 0, 1, 0]] * 10, np.int16)
    thought = Players(game, agents).play(states, lambda n, seat: np.random.default_rng([n, seat]), seated)
    seconds = np.bincount(seated.ravel(), [each.seconds for game in thought() for each in game])
    assert seconds[0] > 2 * seconds[1] > 0


def test_an_illegal_decision_names_its_deal(monkeypatch: pytest.MonkeyPatch) -> None:
    class Second:
        """Decides badly when it is asked for the second time."""

        name = "second"
        asked = 0

        def decide(self, view: Any, rng: np.random.Generator) -> Decision:
            self.asked += 1
            return Decision(60) if self.asked == 2 else make_agent("rule", "klaverjas").decide(view, rng)

    for together in (1, 2):
        monkeypatch.setattr(lanes, "LANES", together)
        agents = {"bad": Player(Second(), "policy", game="klaverjas")}
        config = MatchConfig("klaverjas", ("bad", "policy"), 9, rules="choice=free")
        with pytest.raises(IllegalAction, match=r"deal 8 of the match: .*60 is not one of"):
            DealPlayer(config, agents)([(7, None), (8, None)])
