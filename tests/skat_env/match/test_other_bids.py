"""Other bids in the games of a match: only what is bid otherwise is played on, and the gain is what it then brings."""

import json
from pathlib import Path

import pytest

from benchmarks.quality import other_bids
from benchmarks.quality.other_bids import Options, gain_of, other_end
from benchmarks.quality.seat_gains import match_in
from skat_env.cli import main
from skat_env.registry import make_agent
from skat_env.skat import SkatState
from skat_env.skat.rules import NUM_SEATS, PASS, YES

BOLD = "policy(boldness=40)"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("other-bids") / "match"
    main(f"match --agents policy rule --deals 8 --seed 3 --out {out}".split())
    return out


def test_games_go_on_from_the_first_other_bid(folder: Path) -> None:
    match = match_in(folder, ("all-seats",))
    agents = {name: make_agent(name, "skat") for name in ("policy", "rule")}
    bold, changed = make_agent(BOLD, "skat"), 0
    for game in match.read():
        own = SkatState.parse(game.position).history()
        for seat in range(NUM_SEATS):
            if game.agents[seat] != "policy":
                continue
            assert other_end(game, seat, agents["policy"], agents, 3) is None
            end = other_end(game, seat, bold, agents, 3)
            if end is None:
                continue
            assert end.is_over
            changed += 1
            found = end.history()
            first = next(number for number, action in enumerate(found) if action != own[number])
            assert (own[first], found[first]) == (PASS, YES)
            points = end.returns("tournament_points")
            more = [new - old for new, old in zip(points, game.returns, strict=True)]
            others = sum(more) - more[seat]
            assert gain_of(end, game, seat) == pytest.approx(more[seat] - others / (NUM_SEATS - 1))
    assert changed


def test_the_table_and_its_figures(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "bids.json"
    other_bids.main(Options(match=folder, player="policy", other=BOLD, out=out))
    kept = json.loads(out.read_text())
    assert kept["seats"] == 8 * 9
    assert 0 < kept["soloists"] < kept["differ"] < kept["seats"]
    ratio = kept["differ"] / kept["seats"]
    assert kept["of_seat"]["mean"] == pytest.approx(kept["of_one"]["mean"] * ratio)
    assert f"{kept['of_one']['mean']:+.2f}" in capsys.readouterr().out
    other_bids.main(Options(match=folder, player="policy", other="policy"))
    assert capsys.readouterr().out.splitlines()[-1] == "policy bids as policy at all 72 seats"
    with pytest.raises(ValueError, match="unknown player of the match 'pimc'"):
        other_bids.main(Options(match=folder, player="pimc", other="policy"))
