"""The ladder of Klaverjas."""

from skat_env.ladder.benchmark import DATA, LadderGame

LADDER = LadderGame(
    DATA / "ladder_klaverjas.xz",
    "a762056b2965620c1100e1c1b696562e787f5dc276209b3cc78f47bb9cc268c1",
    anchors=("rule", "ismcts(simulations=800)"),
    agents=(
        "random",
        "rule(variant=thesis)",
        "policy",
        "champion(quick=true)",
        "pimc(worlds=40)",
        "ismcts(simulations=3200)",
        "champion",
    ),
)
