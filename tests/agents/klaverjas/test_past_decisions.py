"""Policy inference in Klaverjas, on games of players that its models do not know."""

from pathlib import Path

import numpy as np
import pytest

from skat_env.agents.inference_quality.games import Split
from skat_env.agents.inference_quality.measure import MeasureConfig, Records
from skat_env.agents.inference_quality.run import Source, measure_on
from skat_env.agents.inference_quality.summary import summarise
from skat_env.datasets.generation import GenerationConfig, generate


@pytest.mark.slow
def test_the_default_is_not_sure_of_what_searches_do_not_do(tmp_path: Path) -> None:
    """A model of `policy` alone loses some 30 bits on such games, as they hold cards that it would never play."""
    generate(
        GenerationConfig("klaverjas", ("ismcts(simulations=200, bidder=rule)",), 12, 1), tmp_path / "games"
    )
    config = MeasureConfig("klaverjas", ("policy(k=200)",))
    measured: list[Records] = []
    measure_on(config, Source(tmp_path / "games", split=Split("all")).choose("klaverjas"), measured)
    for quality in summarise(config, np.concatenate(measured)):
        assert quality.games == 12
        assert quality.bits.mean > -2, quality.role
