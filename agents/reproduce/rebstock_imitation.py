"""Rebstock 2019, tables 3.3 and 4.2: the accuracy of imitation networks in held-out games."""

from typing import Final

from skat_env.agents.reproduce.bench import Bench
from skat_env.agents.reproduce.reproduction import Model, Reproduction, Size
from skat_env.agents.reproduce.row import Row

TABLES_3_3_AND_4_2: Final = {
    "bid_answer": ("23.2", "83.2"),
    "continue_answer": ("23.2", "80.1"),
    "hand_pickup": ("23.2", "97.3"),
    "declare": ("21.8", "85.1"),
    "discard_diamonds": ("2.47", "75.7"),
    "discard_hearts": ("3.13", "75.0"),
    "discard_spades": ("3.89", "75.5"),
    "discard_clubs": ("5.07", "75.8"),
    "discard_grand": ("6.21", "70.3"),
    "discard_null": ("1.46", "83.2"),
    "grand_soloist": ("53.7", "79.7"),
    "grand_defender": ("105.4", "83.1"),
    "suit_soloist": ("145.8", "77.2"),
    "suit_defender": ("289.1", "82.2"),
    "null_soloist": ("5.4", "86.3"),
    "null_defender": ("10.7", "71.6"),
}
"""Training rows in millions, and test accuracy in percent."""
PERCENT: Final = "test accuracy, %"


def accuracies(bench: Bench) -> list[Row]:
    """The accuracies that the checkpoint's details report."""
    from skat_env.agents.networks.checkpoint import load_checkpoint

    figures = load_checkpoint(bench.models["checkpoint"], "skat").details["figures"]
    rows = []
    for name, (millions, accuracy) in TABLES_3_3_AND_4_2.items():
        if name in figures:
            ours = figures[name]
            rows += [
                Row((name, "thousand rows"), ours["train_rows"] / 1e3, paper=f"{1e3 * float(millions):.0f}"),
                Row((name, PERCENT), 100 * ours["test_accuracy"], paper=accuracy, panel=PERCENT),
                Row((name, "of choices, %"), 100 * ours["test_choice_accuracy"]),
            ]
    return rows


SIZE: Final = Size(0, 0.1, measured=True)
REPRODUCTIONS: Final = (
    Reproduction(
        "rebstock-tables-3.3-4.2",
        "Rebstock 2019, tables 3.3 and 4.2",
        "How often the networks of a checkpoint choose what was chosen in held-out games, as its card says. Of "
        "choices: without the decisions that have one legal action, which the paper counts.",
        ("network", "quantity"),
        {"smoke": SIZE, "small": SIZE, "paper": SIZE},
        accuracies,
        models={"checkpoint": Model("checkpoint", "skat-imitation")},
        notes=(
            "The paper's networks imitate people, those that ship a search: the tasks are not equally hard.",
        ),
    ),
)
