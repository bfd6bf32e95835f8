"""Records of random games, for tests of whatever stores them."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from skat_env.datasets.dataset import Dataset, DatasetWriter
from skat_env.records import GameRecord, Source, Status
from skat_env.skat import Declaration, SkatRules, SkatState
from skat_env.skat.rules import Phase
from tests.conftest import klaverjas_positions, random_skat_games

GAMES = random_skat_games(12, seed=5)


printable = st.characters(categories=["L", "M", "N", "P", "S"], include_characters=" ")


names = st.text(printable, max_size=8)


sources = st.builds(
    Source,
    names,
    st.integers(0, 2**32 - 1),
    st.integers(0, 2**32 - 1),
    st.none() | st.integers(1, 2**32 - 1).map(lambda second: datetime.fromtimestamp(second, UTC)),
)


@st.composite
def records(draw: st.DrawFn) -> GameRecord:
    """Finished, claimed and aborted games with everything that a record can have."""
    state = draw(st.sampled_from(GAMES)).clone()
    for _ in range(draw(st.integers(0, 12))):
        state.undo() if state.history() else None
    agents = (draw(names), draw(names), draw(names))
    results = st.none() | st.tuples(*[st.integers(-(2**15) + 1, 2**15 - 1)] * 3)
    claim = None
    if state.is_over:
        status = Status.COMPLETE if state.soloist >= 0 else Status.PASSED
        status = draw(st.sampled_from([status, Status.ABORTED]))
    elif state.phase == Phase.PLAY and draw(st.booleans()):
        status, claim = Status.CLAIMED, draw(st.booleans())
    else:
        status = Status.ABORTED
    seed = draw(st.none() | st.integers(0, 2**63 - 1))
    return GameRecord("skat", state, agents, status, claim, draw(results), seed, draw(st.none() | sources))


@st.composite
def klaverjas_records(draw: st.DrawFn) -> GameRecord:
    """Games of Klaverjas of all rules and stages, finished, claimed and aborted."""
    state = draw(klaverjas_positions())
    status, claim = Status.COMPLETE if state.is_over else Status.ABORTED, None
    if not state.is_over and state.trump is not None and draw(st.booleans()):
        status, claim = Status.CLAIMED, draw(st.booleans())
    result = state.returns(None, claim) if claim is not None or state.is_over else None
    results = st.none() | st.just(result) | st.tuples(*[st.integers(-2000, 2000)] * 4)
    seed = draw(st.none() | st.integers(0, 2**63 - 1))
    agents = (draw(names), draw(names), draw(names), draw(names))
    return GameRecord(
        "klaverjas", state, agents, status, claim, draw(results), seed, draw(st.none() | sources)
    )


def make_records() -> list[GameRecord]:
    """Games of every status, start and kind of provenance."""
    records = []
    for number, state in enumerate(random_skat_games(60, seed=11)):
        record = GameRecord.of(
            "skat", state, (f"a{number % 7}", "b", f"c{number % 3}"), number if number % 2 else None
        )
        if number % 5 == 0:
            date = datetime(2020, 1, 1, 0, 0, number, tzinfo=UTC) if number % 10 else None
            record = replace(
                record, source=Source(f"server {number % 3}", number // 4, 10_000_000 + number, date)
            )
        if number % 6 == 1 and state.plays():
            for _ in range(min(number % 20 + 1, len(state.plays()))):
                state.undo()
            claim = bool(number % 4)
            record = GameRecord(
                "skat", state, record.agents, Status.CLAIMED, claim, state.returns(None, claim)
            )
        elif number % 6 == 2:
            state.undo()
            record = GameRecord.of("skat", state, record.agents)
        records.append(record)
    deal = records[0].state.deal
    played_out = SkatState.new(deal, SkatRules(play_out=True))
    given = SkatState.after_auction(deal, 2, (18, 20, 22))
    cardplay = SkatState.cardplay(deal, 1, Declaration.parse("NO"), (18, 23, 0))
    for state in (played_out, given, cardplay):
        rng = np.random.default_rng(3)
        while not state.is_over:
            state.apply(int(rng.choice(state.legal_actions())))
        records.append(GameRecord.of("skat", state, ("a", "b", "c")))
    return records


RECORDS = make_records()


def write_dataset(folder: Path, records: list[GameRecord] = RECORDS, games_per_shard: int = 20) -> Dataset:
    with DatasetWriter(folder, "skat", games_per_shard) as writer:
        for record in records:
            writer.add(record)
    return Dataset(folder)
