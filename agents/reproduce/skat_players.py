"""The players of the Skat papers, by the papers' names."""

from collections.abc import Mapping
from typing import Final

from agents.reproduce.reproduction import Model

KINDS: Final = ("suit", "grand", "null")
PARTS: Final = ("difference", "defence", "declaring")
"""Of a mirrored comparison (Rebstock 2019, equations 6.1 to 6.3)."""
POINTS: Final = "tournament points a game"
BIDDER: Final = Model("agent", "search_bidding(skats=6, worlds=4, games=2)")
"""Bids and declares where the papers have people's games or Kermit."""
BELIEFS: Final = {
    "NI": Model("belief", "uniform"),
    "KI": Model("belief", "tables"),
    "BDI": Model("belief", "locations(features=BDI)"),
    "BDCI": Model("belief", "locations"),
    "CLI": Model("belief", "locations"),
    "PI": Model("belief", "policy(k=20000)"),
    "PIF20": Model("belief", "policy(k=20000, states=full)"),
    "PI100": Model("belief", "policy(k=100000)"),
    "C": Model("belief", "cheating"),
}
"""No inference, Kermit's, by card locations without and with the cards played (BDCI in Solinas 2019, CLI in Rebstock
2019), by policies, cheating."""


def panel(kind: str) -> str:
    """The axis of a kind of game."""
    return f"{POINTS}, {kind}"


def searchers(models: Mapping[str, str], names: tuple[str, ...], worlds: int) -> dict[str, str]:
    """Perfect-information Monte Carlo search on each of some beliefs."""
    return {name: pimc(worlds, f", belief={models[name]}") for name in names}


def pimc(worlds: int, belief: str = "") -> str:
    """The search of Kermit's cardplay; somebody else bids."""
    return f"pimc(worlds={worlds}{belief}, bidder=rule)"
