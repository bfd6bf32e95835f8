"""`report.html` of a match: whole in one file, with the deals that were lost."""

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from skat_env.cli import main
from skat_env.match.html_report import intervals_svg, lost_deals
from skat_env.match.play import MatchConfig, play_match
from skat_env.match.result import summarise

MATCHES = {
    "skat": ["--agents", "random", "rule", "--deals", "6"],
    "klaverjas": ["--game", "klaverjas", "--agents", "random", "rule", "--deals", "6", "--mode", "mirrored"],
}


@pytest.mark.parametrize("game", list(MATCHES))
def test_the_report_is_one_file(game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "a match"
    words = ["match", *MATCHES[game], "--seed", "1", "--out", str(folder)]
    assert main(words) == 0
    page = (folder / "report.html").read_text()
    assert "95% interval" in page
    assert not re.findall(r'(?:src|href)="(?!#)', page)
    assert "url(" not in page
    for svg in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        ElementTree.fromstring(svg)
    commands = re.findall(r"<pre>(skat-env review .*)</pre>", page)
    assert commands
    assert f"&#x27;{folder}/games.jsonl&#x27; --id " in commands[0]
    (folder / "report.html").unlink()
    before = {path: path.read_bytes() for path in folder.iterdir()}
    assert main(words) == 0  # the finished match, again
    assert (folder / "report.html").read_text() == page
    assert {path: path.read_bytes() for path in folder.iterdir() if path.name != "report.html"} == before
    capsys.readouterr()


@pytest.mark.parametrize("mode", ["all-seats", "mirrored"])
def test_lost_deals_are_the_worst(mode: str) -> None:
    config = MatchConfig("klaverjas", ("rule", "random"), 12, mode=mode)  # type: ignore[arg-type]
    games = [game for deal in play_match(config) for game in deal]
    pair = ("random", "rule")
    differences = {}
    for deal in range(config.deals):
        sums = {name: [] for name in pair}
        for game in games:
            if game.spec.deal == deal and set(game.agents) == set(pair):
                for points, name in zip(game.returns, game.agents, strict=True):
                    sums[name].append(points)
        differences[deal] = np.mean(sums["random"]) - np.mean(sums["rule"])
    lost = lost_deals(summarise(config, games), pair, games, 4)
    expected = sorted((value, deal) for deal, value in differences.items() if value < 0)[:4]
    assert [each.deal for each in lost] == [deal for _, deal in expected]
    assert [each.difference for each in lost] == pytest.approx([value for value, _ in expected])
    for each in lost:
        assert each.game.spec.deal == each.deal
        assert set(each.game.agents) == set(pair)


def test_the_plot_has_every_difference() -> None:
    config = MatchConfig("skat", ("rule", "random"), 4, mode="mirrored", kinds=("grand", "null"))
    games = [game for deal in play_match(config) for game in deal]
    root = ElementTree.fromstring(intervals_svg(summarise(config, games)))
    circles = [element for element in root if element.tag.endswith("circle")]
    assert len(circles) == 3 * (1 + 2) + 3  # whole, defence, declaring; all games, grand and null; the seats
    assert all(360 <= float(circle.get("cx", 0)) <= 880 for circle in circles)


def test_a_single_deal_has_no_interval() -> None:
    config = MatchConfig("klaverjas", ("rule", "random"), 1)
    games = [game for deal in play_match(config) for game in deal]
    svg = intervals_svg(summarise(config, games))
    ElementTree.fromstring(svg)
    assert "inf" not in svg
    assert "nan" not in svg
