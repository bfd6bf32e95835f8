"""The parts of Klaverjas that its solvers give to generic code: where each is; the registry says what."""

from typing import Final

PARTS: Final = {
    "review": "skat_env.solvers.klaverjas.review:REVIEW",
    "open_card": "skat_env.solvers.klaverjas.open_card:OPEN_CARD",
    "endings": "skat_env.solvers.klaverjas.endings:outcomes",
}
