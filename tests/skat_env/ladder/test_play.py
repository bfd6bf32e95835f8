"""A ladder in one line of Python."""

from pathlib import Path

import pytest

from skat_env import play_ladder
from skat_env.ladder.play import PlayedLadder
from tests.helpers.commands import quick_ladder


@pytest.mark.slow
def test_a_ladder_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    quick_ladder(monkeypatch)
    found = play_ladder(tmp_path / "ladder", ["rule(variant=thesis)"], "klaverjas", deals=2)
    assert isinstance(found, PlayedLadder)
    names = {row.name for row in found.ladder.rows}
    assert names == {"rule(variant=thesis)"}
    assert all(name in str(found) for name in names)
    assert found._repr_html_().startswith("<pre")
    assert (found.folder / "result.json").exists()
    again = play_ladder(str(tmp_path / "ladder"), game="klaverjas", deals=2)
    leads = {row.name: row.lead("rule") for row in again.ladder.rows}
    assert set(leads) == {"rule", "random", "rule(variant=thesis)"}
    assert leads["rule(variant=thesis)"] == found.ladder.rows[0].lead("rule")


def test_what_cannot_be_played_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="holds 1 to 1,000 deals"):
        play_ladder(tmp_path / "ladder", deals=0)
    with pytest.raises(ValueError, match="give one of them"):
        play_ladder(tmp_path / "ladder", ["random"], add="random")
    assert not (tmp_path / "ladder").exists()
