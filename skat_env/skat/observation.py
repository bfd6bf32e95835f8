"""The layout of Skat's observation as named slices; `_observation.pyx` writes them in this order.

"Relative seat" counts from the observer, who is 0: 1 the player after it, 2 the player before it. Together, the
slices hold everything in the observer's view (perfect recall) but the options of the rules; neither has the order of
the bidding in an auction that was given.
"""

from typing import Final

from skat_env.features import Feature, SuitFeatures, slices, total_width

FEATURES: Final = (
    Feature("phase", (8,), "to decide now: bid, answer, pick up, contract, announce, discard, play, over"),
    Feature("seat", (3,), "the observer is forehand, middlehand, rearhand"),
    Feature("to_act", (3,), "relative seat to act"),
    Feature("hand", (32,), "own cards"),
    Feature("picked_up", (32,), "the two cards that the observer found in the skat"),
    Feature("discards", (32,), "the cards that the observer has laid into the skat"),
    Feature("bids", (3, 63), "by relative seat, thermometer of the highest value that the seat has bid or held"),
    Feature("passed", (3,), "by relative seat: has passed in the auction"),
    Feature("soloist", (3,), "relative seat of the soloist"),
    Feature("skat_decision", (2,), "the soloist has picked up; the soloist plays hand"),
    Feature("discarded", (2,), "thermometer of the cards that the soloist has laid into the skat"),
    Feature("contract", (6,), "diamonds, hearts, spades, clubs, grand, null"),
    Feature("announced", (3,), "schneider, schwarz, ouvert; each level of suit and grand includes those before it"),
    Feature("open_hand", (32,), "cards left in the soloist's hand of an ouvert game"),
    Feature("trick", (3, 32), "cards on the table, by the relative seat that played them"),
    Feature("played", (3, 32), "all cards played so far, by relative seat"),
    Feature("trick_of_card", (10, 32), "cards played, by number of the trick"),
    Feature("leaders", (10, 3), "relative seat that led each trick begun so far"),
    Feature("void", (2, 5), "by relative seat 1 and 2: has failed to follow D, H, S, C, trumps"),
    Feature("soloist_points", (120,), "thermometer of the soloist's card points in tricks"),
    Feature("defender_points", (120,), "thermometer of the defenders' card points in tricks"),
)  # fmt: skip
WIDTH: Final = total_width(FEATURES)
SLICES: Final = slices(FEATURES)
SUITS: Final = SuitFeatures(trump="contract", by_suit=("contract", "void"), plain_jacks=5)
