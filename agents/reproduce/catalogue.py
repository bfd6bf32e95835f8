"""All reproductions by name."""

from typing import Final

from skat_env.agents.reproduce import (
    aaldering_learning,
    aaldering_search,
    edelkamp_endgame,
    inference_ratio,
    rebstock_bidding,
    rebstock_hybrid,
    rebstock_imitation,
    rebstock_inference,
    solinas_tournament,
)
from skat_env.agents.reproduce.reproduction import Reproduction
from skat_env.errors import UnknownName

_FILES: Final = (
    rebstock_imitation,
    rebstock_bidding,
    rebstock_hybrid,
    rebstock_inference,
    solinas_tournament,
    inference_ratio,
    edelkamp_endgame,
    aaldering_search,
    aaldering_learning,
)
CATALOGUE: Final[dict[str, Reproduction]] = {
    each.name: each for file in _FILES for each in file.REPRODUCTIONS
}


def find(name: str) -> Reproduction:
    """The reproduction with a name.

    Raises:
        UnknownName: if there is no such reproduction.
    """
    if name not in CATALOGUE:
        raise UnknownName("reproduction", name, CATALOGUE)
    return CATALOGUE[name]
