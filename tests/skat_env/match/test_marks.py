"""The games of a match by what was announced, and those that were overbid."""

from skat_env.match.play import MatchConfig, play_match
from skat_env.match.result import summarise
from skat_env.skat import SkatState


def test_marks_count_the_games_that_have_them() -> None:
    config = MatchConfig("skat", ("rule", "random"), deals=12, seed=2)
    games = [game for played in play_match(config) for game in played]
    marks = summarise(config, games).as_json()["agents"]["random"]["marks"]
    expected: dict[str, dict[str, dict[str, int]]] = {}
    for game in games:
        result = SkatState.parse(game.position).result()
        if result.declarer < 0 or game.agents[result.declarer] != "random":
            continue
        assert game.outcome is not None
        null, modifiers = result.contract[0] == "N", result.contract[1:]
        found = {
            "hand": "H" in modifiers or (not null and bool(modifiers)),
            "schneider announced": "S" in modifiers,
            "schwarz announced": "Z" in modifiers,
            "ouvert": "O" in modifiers,
            "overbid": result.overbid,
        }
        for mark, has in found.items():
            if has:
                kind = expected.setdefault(game.outcome.kind, {})
                counted = kind.setdefault(mark, {"games": 0, "won": 0})
                counted["games"] += 1
                counted["won"] += result.won
    assert marks == expected
    assert any("hand" in kind for kind in expected.values())
