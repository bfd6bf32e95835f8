"""The plain suits of Klaverjas in another order, for learners."""

import numpy as np
from numpy.typing import NDArray


def shuffle_plain_suits(rows: NDArray[np.float32], rng: np.random.Generator) -> None:
    """Shuffles the three plain suits in each row of `klaverjas.perspective`, float32 [n, 299], in place.

    Aaldering 2023, section 3.2: the plain suits are in random order, so that they look alike to the network.
    """
    suits = rows[:, 72:288].reshape(len(rows), 3, 72)
    order = rng.permuted(np.tile(np.arange(3), (len(rows), 1)), axis=1)
    rows[:, 72:288] = np.take_along_axis(suits, order[:, :, None], axis=1).reshape(len(rows), 216)
