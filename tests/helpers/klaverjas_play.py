"""Play of Klaverjas in which nobody can follow."""

from skat_env.cards import parse_mask
from skat_env.deal import Deal
from skat_env.klaverjas import KlaverjasRules, KlaverjasState

STRONG = "HJ.H9.HA.HT.HK.HQ.H8.H7"


def played_down(hands: list[str], **rules) -> KlaverjasState:
    """Everybody plays his lowest legal card; hearts are trumps, seat 0 leads and declares unless told otherwise."""
    declarer = rules.pop("declarer", 0)
    state = KlaverjasState.new(
        Deal(tuple(map(parse_mask, hands))), KlaverjasRules(**rules), declarer=declarer, trump=1
    )
    while not state.is_over:
        state.apply(state.legal_actions()[0])
    return state


SUITS_APART = [STRONG, "D7.D8.D9.DT.DJ.DQ.DK.DA", "S7.S8.S9.ST.SJ.SQ.SK.SA", "C7.C8.C9.CT.CJ.CQ.CK.CA"]
