"""Deals on which two agents call alike: their match is exactly level there, so that it can leave them out."""

import json
from pathlib import Path

from benchmarks.quality import differing_deals
from skat_env.match.play import MatchConfig, play_match

AGENTS = ("policy", "policy(variant=MLV)")


def dealt(position: str) -> str:
    return position.split(" :")[0]


def test_games_differ_on_the_deals_found_and_on_no_others(tmp_path: Path) -> None:
    out = tmp_path / "differing.jsonl"
    differing_deals.main(differing_deals.Options(*AGENTS, out, deals=40, seed=5))
    found = {dealt(json.loads(line)["position"]) for line in out.read_text().splitlines()}
    games: dict[str, set[str]] = {}
    for block in play_match(MatchConfig("skat", AGENTS, 40, 5)):
        for game in block:
            games.setdefault(dealt(game.position), set()).add(game.position)
    assert found == {deal for deal, played in games.items() if len(played) > 1}
    assert 0 < len(found) < 40
