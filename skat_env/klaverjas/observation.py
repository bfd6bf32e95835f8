"""The layout of Klaverjas' observation as named slices; `_observation.pyx` writes them in this order.

"Relative seat" counts from the observer, who is 0: 1 the player after it, 2 its partner, 3 the player before it.
Together, the slices hold everything in the observer's view (perfect recall) but the options of the rules.
"""

from typing import Final

from skat_env.features import Feature, SuitFeatures, slices, total_width

FEATURES: Final = (
    Feature("phase", (3,), "to decide now: choose trumps, play, over"),
    Feature("forehand", (4,), "relative seat that leads to the first trick"),
    Feature("to_act", (4,), "relative seat to act"),
    Feature("hand", (32,), "own cards"),
    Feature("passed", (4,), "by relative seat: has passed when trumps were chosen"),
    Feature("declarer", (4,), "relative seat of the declarer"),
    Feature("trump", (4,), "diamonds, hearts, spades, clubs"),
    Feature("trick", (4, 32), "cards on the table, by the relative seat that played them"),
    Feature("played", (4, 32), "all cards played so far, by relative seat"),
    Feature("trick_of_card", (8, 32), "cards played, by number of the trick"),
    Feature("leaders", (8, 4), "relative seat that led each trick begun so far"),
    Feature("excluded", (3, 32), "by relative seat 1 to 3: cards that the seat cannot hold, given its plays"),
    Feature("points", (2, 162), "thermometers of own and other team's card points in tricks"),
    Feature("roem", (2, 50), "thermometers of own and other team's roem in tens, up to 500"),
    Feature("tricks", (2, 8), "thermometers of own and other team's tricks"),
)  # fmt: skip
WIDTH: Final = total_width(FEATURES)
SLICES: Final = slices(FEATURES)
SUITS: Final = SuitFeatures(trump="trump", by_suit=("trump",), plain_jacks=None)
