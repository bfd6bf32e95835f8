"""What damaged files are made of."""

import re
from pathlib import Path

import numpy as np

from skat_env.datasets.dataset import Dataset
from skat_env.datasets.searches import Searches


def content(folder: Path) -> tuple[object, ...]:
    """Everything that a dataset says of its games."""
    dataset = Dataset(folder)
    searches = [dataset.searches(number) for number in range(len(dataset))]
    problems = [list(dataset.problems(kind)) for kind in ("bad", "hidden", "differing")]
    return (
        [record.text() for record in dataset],
        dataset.check().tolist(),
        [None if each is None else [array.tobytes() for array in arrays(each)] for each in searches],
        problems,
        [shard.lines.tolist() for shard in dataset.shards()],
    )


def arrays(searches: Searches) -> tuple[np.ndarray, ...]:
    return searches.counts, searches.shares, searches.values


def without_checksums(path: Path) -> bytes:
    """A file of arrays as it would be without checksums."""
    data = path.read_bytes()
    length = int.from_bytes(data[12:16], "little")
    text = re.sub(rb',"crc32":\d+', b"", data[16 : 16 + length])
    return data[:16] + text + b" " * (length - len(text)) + data[16 + length :]
