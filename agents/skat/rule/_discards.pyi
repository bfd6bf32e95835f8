from skat_env.agents.skat.rule.hand import Masks

def all_discards(hand: int) -> tuple[Masks, Masks, Masks]:
    """The skats that ten cards may find, uint32 [231]; and by skat and discard, both uint32 [231, 66], the ten cards
    that remain and the two that are laid away. Skats are in the order of the 22 unseen cards; discards in that of the
    ten cards, then the skat's.

    Raises:
        ValueError: if the hand has not ten cards.
    """
