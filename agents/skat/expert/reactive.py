"""The expert rules of the reactive players by name, so that each can be switched off (`_reactive.pyx`)."""

from typing import Final

from skat_env.errors import UnknownName

RULES: Final = {
    "trump_tables": "which trump to lead and to cut with, by the tables D1 and D2",
    "suit_priorities": "which plain suit to lead, which card of it, and what to drop, by the tables D^O and D^S",
    "trump_or_suit": "whether to lead a trump, by the table of trumps in hand and hidden",
    "cut_or_drop": "whether to take a trick with a trump, by the table of its card points",
    "under_ace": "opponents lead another card than the ace where the tables say so",
    "return_suit": "opponents lead the suit that the partner has led",
    "no_third_suit": "opponents do not open a third plain suit",
    "antisuit": "in grand, opponents lead a long suit of theirs that stands, from the top",
    "pairing_discard": "opponents drop a card of the colour of their ace, and lead the colour that the partner drops",
    "red_jack": "opponents play the jack of hearts before that of diamonds",
    "secure_fulls": "tens and aces that would not stand later are played on tricks of the own side",
    "few_trumps": "the soloist of a suit game keeps the last two trumps",
    "decisive_trick": "who plays last takes a trick that decides the game",
    "draw_trumps": "the soloist leads trumps while the others have some, and at most twice as many as the soloist",
}
"""What each rule says; the order is that of the bits in `_reactive.pyx`."""
ALL_RULES: Final = (1 << len(RULES)) - 1


def rules_without(text: str) -> int:
    """The bits of all rules but those in a text: names joined by `+`, or `none`.

    Raises:
        UnknownName: if there is no such rule.
    """
    bits = ALL_RULES
    for name in () if text == "none" else text.split("+"):
        if name not in RULES:
            raise UnknownName("rule", name, [*([] if "+" in text else ["none"]), *RULES])
        bits &= ~(1 << list(RULES).index(name))
    return bits
