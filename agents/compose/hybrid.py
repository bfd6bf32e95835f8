"""A policy for the first tricks and a search for the rest (Rebstock 2019, section 4.2)."""

from typing import Final

from skat_env.agents.compose.composite import Composite
from skat_env.errors import UnknownName
from skat_env.options import checked_options
from skat_env.own_text import own_text
from skat_env.protocols import Agent, View
from skat_env.registry import get_game, make_agent

ROLES: Final = ("both", "soloist", "defender")


class Hybrid(Composite):
    """Hybrid-k: `hybrid(policy=policy, search=pimc(worlds=160), trick=1)`.

    Args:
        policy: decides before the cardplay and in the first tricks.
        search: decides in the tricks after that.
        trick: the number of tricks that the policy plays; 0: the search plays all.
        role: the side on which the policy plays the first tricks; on the other side the search plays all tricks.

    Raises:
        ValueError: if `trick` is out of range; its subclasses for unknown names.
    """

    @checked_options("hybrid")
    def __init__(
        self, policy: str | Agent, search: str | Agent, *, trick: int = 1, role: str = "both", game: str
    ) -> None:
        about = get_game(game)
        tricks = about.place_sizes[0]
        if not 0 <= trick <= tricks:
            raise ValueError(f"hybrid with trick={trick}: expected 0 to {tricks}")
        if role not in ROLES:
            raise UnknownName("role of hybrid", role, ROLES)
        self._policy, self._search = make_agent(policy, game), make_agent(search, game)
        self._cards = trick * len(about.seats)
        self._sides = {"both": (0, 1), "soloist": (0,), "defender": (1,)}[role]
        self._cardplay = about.stages[-1]
        name = own_text(self, "hybrid", "trick", policy=self._policy, search=self._search)
        super().__init__(name, (self._policy, self._search))

    def part(self, view: View) -> Agent:
        """The policy before the cardplay and in its tricks; otherwise the search."""
        if view.stage != self._cardplay:
            return self._policy
        early = len(view.plays()) < self._cards
        return self._policy if early and view.side(view.seat) in self._sides else self._search
