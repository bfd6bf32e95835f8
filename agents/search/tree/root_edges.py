"""The actions at the root of a search, merged over its trees."""

from collections.abc import Sequence

from skat_env.agents.search.tree._ismcts import Tree

RootEdge = tuple[int, int, int, float, float]
"""An action at the root: its number, visits, simulations in which it was legal, mean value for the declaring side, and
prior."""


def root_edges(trees: Sequence[Tree]) -> list[RootEdge]:
    """The actions at the root of one or more trees of the same information set, by number.

    Visits are added up, as in root parallelisation (Chaslot, Winands and van den Herik 2008), and means weighted by
    them; priors are averaged over the trees that have one.
    """
    if len(trees) == 1:
        return trees[0].root_edges()
    found: dict[int, list[RootEdge]] = {}
    for tree in trees:
        for edge in tree.root_edges():
            found.setdefault(edge[0], []).append(edge)
    merged = []
    for action, edges in sorted(found.items()):
        visits = sum(edge[1] for edge in edges)
        mean = sum(edge[1] * edge[3] for edge in edges) / visits if visits else 0.0
        prior = sum(edge[4] for edge in edges) / len(edges)
        merged.append((action, visits, sum(edge[2] for edge in edges), mean, prior))
    return merged
