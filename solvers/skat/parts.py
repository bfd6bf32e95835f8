"""The parts of Skat that its solvers give to generic code: where each is; the registry says what."""

from typing import Final

PARTS: Final = {
    "review": "skat_env.solvers.skat.review:REVIEW",
    "open_card": "skat_env.solvers.skat.open_card:OPEN_CARD",
    "endings": "skat_env.solvers.skat.endings:outcomes",
    "sure_claim": "skat_env.solvers.skat.sure_cards:sure_claim",
    "sure_cards": "skat_env.solvers.skat.sure_cards:SureCards",
    "guaranteed": "skat_env.solvers.skat.guaranteed:GUARANTEED",
}
