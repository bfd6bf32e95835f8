"""Training data of the Skat policy networks from recorded games (Rebstock 2019, sections 3.1 and 4.1)."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.networks.network import NetworkSpec
from skat_env.agents.networks.task import ImitationTasks, Task, places
from skat_env.agents.skat.policy.max_bids import max_bids
from skat_env.agents.skat.policy.networks import (
    AUCTION_VALUES,
    BID_OUTPUTS,
    CARD_OUTPUTS,
    CARDPLAY,
    DECLARED_VALUE,
    DISCARDS,
    NULL_OUVERT_OUTPUT,
    PAIR_MASKS,
    PAIR_NUMBERS,
    PAIRS,
    PICK_UP_OUTPUT,
    POLICY_OUTPUTS,
    VALUE_OUTPUTS,
    encoder_of,
    more_than_others,
    output_numbers,
)
from skat_env.datasets.dataset import Dataset
from skat_env.datasets.decisions import Decisions
from skat_env.encoders import get_encoder
from skat_env.skat.rules import ANNOUNCE, DECLARE, HAND, PASS, Announcement, Contract, Phase

NETWORKS: Final = (*POLICY_OUTPUTS, *VALUE_OUTPUTS)
VALUE_SCALE: Final = 100.0
"""Tournament points of one unit of output."""
LOSS: Final = 40
"""Points deducted from a lost game: what it brings the defenders (Rebstock 2019, section 3.1)."""
OUVERT: Final = ANNOUNCE + Announcement.OUVERT
BIDS: Final = ("bid_answer", "continue_answer")
TWELVE: Final = 12
SCHNEIDER_POINTS: Final = 90

Table = NDArray[Any]
Ints = NDArray[np.int64]


def task(
    decisions: Decisions,
    dataset: Dataset,
    network: str,
    hidden: tuple[int, ...],
    relabelled: bool = False,
) -> Task:
    """The training rows of one of `NETWORKS`.

    Args:
        decisions: the dataset's decisions.
        dataset: the games to imitate.
        network: the network's name.
        hidden: the widths of its hidden layers.
        relabelled: whether networks of the cardplay see suits in a canonical order.
    """
    if network in BIDS:
        rows = max_bids(decisions)[BIDS.index(network)]
        spec = NetworkSpec(encoder_of(network), BID_OUTPUTS, hidden)
        return Task(network, spec, "policy", rows.game, rows.step.astype(np.int64), rows.level)
    found = decisions.find(get_encoder(encoder_of(network)))
    if network in CARDPLAY:
        return _cards(dataset, network, hidden, found, relabelled)
    if network in AUCTION_VALUES:
        return _auction(decisions, network, hidden, found)
    if network in DECLARED_VALUE:
        return _declared(decisions, network, hidden, found)
    moves = decisions.find()
    if network in DISCARDS:
        return _discards(network, hidden, found, moves)
    return _games(decisions, network, hidden, found, moves)


def _auction(decisions: Decisions, network: str, hidden: tuple[int, ...], found: Table) -> Task:
    """A row for every pass, or for every soloist before it picks up the skat or plays hand.

    The value is what matches count: the seat's points less the mean of the others'. A defender has half of what the
    soloist loses, or loses half of what it wins; if everybody passes, it is 0.
    """
    if network == "pass_value":
        found = found[(found["action"] == PASS) & (np.bitwise_count(found["legal"]) > 1)]
    else:
        found = found[found["phase"] == Phase.PICK_UP]
    games = found["game"]
    values = _points(decisions, games, found["seat"])
    spec = NetworkSpec(encoder_of(network), AUCTION_VALUES[network], hidden, VALUE_SCALE)
    steps = found["step"].astype(np.int64)
    return Task(network, spec, "value", games, steps, np.zeros(len(games), np.int64), values)


def _declared(decisions: Decisions, network: str, hidden: tuple[int, ...], found: Table) -> Task:
    """A row for every game that is played, at the soloist's first card."""
    _, first = np.unique(found["game"], return_index=True)
    found = found[first]
    games, seats = found["game"], found["seat"]
    own = np.arange(len(games)), seats
    won = decisions.outcomes("win").returns[games][own] > 0
    schneider = decisions.outcomes("card_points").returns[games][own] >= SCHNEIDER_POINTS
    values = np.stack([_points(decisions, games, seats), 100 * won, 100 * schneider], axis=1)
    spec = NetworkSpec(encoder_of(network), DECLARED_VALUE[network], hidden, VALUE_SCALE)
    steps, labels = found["step"].astype(np.int64), np.zeros(len(games), np.int64)
    return Task(network, spec, "value", games, steps, labels, values.astype(np.float32))


def _points(decisions: Decisions, games: Ints, seats: Ints) -> NDArray[np.float32]:
    """The tournament points of seats less the mean of the others' in their games, float32 [n]."""
    points = decisions.outcomes("tournament_points").returns[games]
    return np.asarray(more_than_others(points, seats), np.float32)


def _cards(dataset: Dataset, network: str, hidden: tuple[int, ...], found: Table, relabelled: bool) -> Task:
    spec = NetworkSpec(encoder_of(network, relabelled), CARD_OUTPUTS, hidden)
    games, steps = found["game"], found["step"].astype(np.int64)
    weights, _ = dataset.targets(games, steps, found["legal"])
    labels = found["action"].astype(np.int64)
    needs = np.uint64(1) << np.arange(CARD_OUTPUTS, dtype=np.uint64)
    targets = weights[:, :CARD_OUTPUTS].copy()
    legal = found["legal"].copy()
    return Task(network, spec, "policy", games, steps, labels, None, targets, legal, needs, relabelled)


def _discards(network: str, hidden: tuple[int, ...], found: Table, moves: Table) -> Task:
    """A row for the first card of each discard: its legal actions are the twelve cards."""
    found = found[np.bitwise_count(found["legal"]) == TWELVE]
    games, steps = found["game"], found["step"].astype(np.int64)
    # The contract is declared just before; in null games an announcement comes in between.
    before = _action(moves, games, steps - 1)
    contract = np.where(before >= ANNOUNCE, _action(moves, games, steps - 2), before) - DECLARE
    of_network = contract == DISCARDS.index(network)
    games, steps, legal = games[of_network], steps[of_network], found["legal"][of_network]
    labels = PAIR_NUMBERS[found["action"][of_network], _action(moves, games, steps + 1)].astype(np.int64)
    spec = NetworkSpec(encoder_of(network), len(PAIRS), hidden)
    needs = PAIR_MASKS.astype(np.uint64)
    return Task(network, spec, "policy", games, steps, labels, None, None, legal, needs)


def _games(decisions: Decisions, network: str, hidden: tuple[int, ...], found: Table, moves: Table) -> Task:
    """A row for the first decision of the network: picking up the skat, or declaring the game."""
    is_hand = network.startswith("hand_pickup")
    found = found[found["phase"] == (Phase.PICK_UP if is_hand else Phase.CONTRACT)]
    games, steps = found["game"], found["step"].astype(np.int64)
    if is_hand:
        contract = _action(moves, games, steps + 1) - DECLARE
        ouvert = _action(moves, games, steps + 2) == OUVERT
        labels = np.where(found["action"] == HAND, 1 + 2 * contract + ouvert, PICK_UP_OUTPUT)
    else:
        contract = found["action"].astype(np.int64) - DECLARE
        ouvert = (contract == Contract.NULL) & (_action(moves, games, steps + 1) == OUVERT)
        labels = np.where(ouvert, NULL_OUVERT_OUTPUT, contract)
    encoder = encoder_of(network)
    if network in POLICY_OUTPUTS:
        return Task(
            network, NetworkSpec(encoder, POLICY_OUTPUTS[network], hidden), "policy", games, steps, labels
        )
    points = decisions.outcomes("tournament_points").returns[games, found["seat"]]
    values = np.where(points < 0, points - LOSS, points).astype(np.float32)
    spec = NetworkSpec(encoder, VALUE_OUTPUTS[network], hidden, VALUE_SCALE)
    return Task(network, spec, "value", games, steps, labels, values)


def _action(moves: Table, games: Ints, steps: Ints) -> Ints:
    """The action of each game at a step, int64 [n]; `moves` are all decisions of the games."""
    return np.asarray(moves["action"][np.minimum(places(moves, games, steps), len(moves) - 1)], np.int64)


TASKS: Final = ImitationTasks(NETWORKS, task, output_numbers)
