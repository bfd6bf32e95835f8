"""The ladder of Skat."""

from skat_env.ladder.benchmark import DATA, LadderGame

LADDER = LadderGame(
    DATA / "ladder_skat.xz",
    "ed92dfae610e33349d5d5533fdca55408257291ebe55a7889c386dfd01d813a6",
    anchors=("rule", "pimc(worlds=160)"),
    agents=(
        "random",
        "expert",
        "policy",
        "champion(quick=true)",
        "pimc(worlds=40, belief=locations)",
        "pimc(worlds=160, belief=tables)",
        "champion",
    ),
)
