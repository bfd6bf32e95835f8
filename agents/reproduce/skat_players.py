"""The players of the Skat papers, by the papers' names."""

from collections.abc import Mapping
from typing import Final

from skat_env.agents.reproduce.reproduction import Model

KINDS: Final = ("suit", "grand", "null")
PARTS: Final = ("difference", "defence", "declaring")
"""The parts of a mirrored comparison (Rebstock 2019, equations 6.1 to 6.3)."""
POINTS: Final = "tournament points per game"
BIDDER: Final = Model("agent", "search_bidding(skats=6, worlds=4, games=2)")
"""The bidder and declarer, where the papers use games of people or Kermit."""
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
"""Beliefs by the papers' names: no inference (NI), Kermit's (KI), card locations without (BDI) and with the cards
played (BDCI in Solinas 2019, CLI in Rebstock 2019), policy inference (PI, PIF20, PI100), and cheating (C)."""


def panel(kind: str) -> str:
    """The name of the plot's panel for a kind of game."""
    return f"{POINTS}, {kind}"


def searchers(models: Mapping[str, str], names: tuple[str, ...], worlds: int) -> dict[str, str]:
    """PIMC agents, one for each of some beliefs."""
    return {name: pimc(worlds, f", belief={models[name]}") for name in names}


def pimc(worlds: int, belief: str = "") -> str:
    """The text of a PIMC agent for the cardplay, as in Kermit; another agent bids in the match."""
    return f"pimc(worlds={worlds}{belief}, bidder=rule)"
