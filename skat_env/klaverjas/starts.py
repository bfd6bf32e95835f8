"""Where fresh deals of Klaverjas begin."""

from skat_env.cards import SUITS
from skat_env.klaverjas.rules import NUM_SEATS, KlaverjasRules


def fresh_heads(rules: KlaverjasRules) -> tuple[str, ...]:
    """The heads of the positions in which a fresh deal begins, all equally likely.

    There are 16 if declarer and trumps come with the deal, else one.
    """
    if rules.choice != "given":
        return (rules.text(),)
    return tuple(
        " ".join(filter(None, (f"declarer={seat} trump={suit}", rules.text())))
        for seat in range(NUM_SEATS)
        for suit in SUITS
    )
