"""Splitting a dataset at random by deal, so that no two parts share a game or a deal."""

import json
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skat_env.datasets.dataset import GAMES_PER_SHARD, Dataset, DatasetWriter, is_dataset, is_made_as
from skat_env.errors import ParseError
from skat_env.options import Seed, Share, check_option, checked_options
from skat_env.tools.new_folder import new_folder
from skat_env.tools.provenance import provenance


def parse_parts(words: tuple[str, ...]) -> dict[str, float]:
    """The shares in words such as `train=0.9 test=0.1`.

    Raises:
        ParseError: if a word is malformed, a name is repeated or cannot name a folder, or the shares do not sum to 1.
    """
    parts: dict[str, float] = {}
    for word in words:
        name, _, share = word.partition("=")
        try:
            value = float(share)
        except ValueError:
            value = 0.0
        if not 0 < value <= 1 or name in parts or Path(name).name != name or name in ("", ".", ".."):
            raise ParseError(f"'{word}' is not a part: expected different ones as train=0.9")
        parts[name] = value
    return _whole(parts)


def _whole(parts: Mapping[str, float]) -> dict[str, float]:
    """The shares of the parts.

    Raises:
        ValueError: if they do not add up to 1.
    """
    shares: dict[str, float] = {
        name: check_option("a split", f"share of {name}", Share, share) for name, share in parts.items()
    }
    if abs(sum(shares.values()) - 1) > 1e-6:
        words = " ".join(f"{name}={share:g}" for name, share in shares.items())
        raise ParseError(f"the shares of the parts {words} add up to {sum(shares.values()):g}, not to 1")
    return shares


@checked_options("a split")
def split_games(dataset: Dataset, parts: Mapping[str, float], seed: Seed) -> dict[str, NDArray[np.int64]]:
    """The games of each part, int64 [n] ascending; the deals and the seed determine the partition.

    Games of the same deal (from a match, or duplicates) are in the same part.

    Raises:
        ValueError: if the shares do not add up to 1.
    """
    parts = _whole(parts)
    deals, deal_of = np.unique(dataset.deals(), return_inverse=True)
    order = np.random.default_rng(seed).permutation(len(deals))
    ends = np.rint(np.cumsum(list(parts.values())) * len(deals)).astype(np.int64)
    ends[-1] = len(deals)  # the sum of the shares may be a little less than 1
    part_of = np.searchsorted(ends, order, side="right")[deal_of]
    return {name: np.flatnonzero(part_of == number) for number, name in enumerate(parts)}


@checked_options("a split")
def split(
    dataset: Dataset,
    folder: Path,
    parts: Mapping[str, float],
    seed: Seed = 0,
    progress: Callable[[int], None] | None = None,
) -> dict[str, Dataset]:
    """Writes the parts of a dataset as datasets, search results included: `folder/train` and so on; all or none.

    Args:
        dataset: the dataset to split.
        folder: the folder of the parts.
        parts: the share of each part, by name.
        seed: the seed of the partition.
        progress: called with the number of games written so far.

    Raises:
        FileExistsError: if something else has the place of a part, or the folder is a dataset; nothing is written.
            Parts that this split has made before, to its end or until it was killed, are kept.
        BlockingIOError: if another process is making a part.
        ParseError: if the dataset is damaged.
    """
    parts = _whole(parts)
    if is_dataset(folder):
        raise FileExistsError(f"{folder} is a dataset itself: name another folder for the parts")
    fingerprint = dataset.fingerprint()
    facts = {
        name: {
            "dataset": str(dataset.folder),
            "fingerprint": fingerprint,
            "part": name,
            "parts": dict(parts),
            "seed": seed,
        }
        for name in parts
    }
    chosen = split_games(dataset, parts, seed)
    there = [name for name in parts if (folder / name).exists()]
    for name in there:
        if not _is_part(folder / name, facts[name], len(chosen[name])):
            raise FileExistsError(f"{folder / name} exists already: nothing is changed")
    written = 0
    with ExitStack() as stack:
        # They get their names together, so that an error in one leaves none.
        made = {name: stack.enter_context(new_folder(folder / name)) for name in parts if name not in there}
        for name, games in chosen.items():
            if name in there:
                continue
            metadata = {**provenance(), "split": facts[name]}
            with DatasetWriter(made[name], dataset.game.name, GAMES_PER_SHARD, metadata) as writer:
                for some in np.array_split(games, 1 + len(games) // GAMES_PER_SHARD):
                    writer.copy(dataset, some)
                    written += len(some)
                    if progress:
                        progress(written)
    return {name: Dataset(folder / name) for name in parts}


def _is_part(folder: Path, facts: Mapping[str, Any], games: int) -> bool:
    """Whether a folder holds a part with these facts; the order of the parts counts, the dataset's place does not."""
    if not is_made_as(folder, {}, games):
        return False
    made = {**Dataset(folder).manifest.get("split", {}), "dataset": facts["dataset"]}
    return json.dumps(made) == json.dumps(facts)
