"""The figure of a gauntlet: every difference with its interval."""

from pathlib import Path
from typing import Any

from skat_env.gauntlet.report import TITLES
from skat_env.gauntlet.result import Gauntlet
from skat_env.ladder.plot import COLOURS, MARKERS
from skat_env.tools.figures import saved_figure


def draw_gauntlet(gauntlet: Gauntlet, path: Path) -> None:
    """The points more than each engine, with 95% intervals: a panel per form, a row per engine."""
    forms = list(dict.fromkeys(each.form for each in gauntlet.encounters))
    engines = list(dict.fromkeys(each.engine for each in gauntlet.encounters))
    agents = list(dict.fromkeys(each.agent for each in gauntlet.encounters))
    # In the small font a character is 0.075 inches wide, and a row 0.2 high.
    columns = max(1, int(4.5 * len(forms) / (0.5 + 0.075 * max(map(len, agents)))))
    height = 1.5 + 0.3 * len(engines) * (len(agents) + 1) + 0.2 * -(-len(agents) // columns)
    size = (4.5 * len(forms), height)
    with saved_figure(path, 1, len(forms), figsize=size, sharey=True, layout="constrained") as (
        figure,
        panels,
    ):
        shown: dict[str, Any] = {}
        for form, axes in zip(forms, panels[0], strict=True):
            for each in gauntlet.encounters:
                if each.form != form:
                    continue
                number, value = agents.index(each.agent), each.comparison.difference
                place = engines.index(each.engine) + 0.8 * (number + 0.5) / len(agents) - 0.4
                reach = [[value.mean - value.low], [value.high - value.mean]] if value.pairs > 1 else None
                shown[each.agent] = axes.errorbar(
                    [value.mean],
                    [place],
                    xerr=reach,
                    fmt=MARKERS[number // len(COLOURS) % len(MARKERS)],
                    color=COLOURS[number % len(COLOURS)],
                    capsize=3,
                )
            axes.axvline(0, color="grey", linewidth=0.5)
            axes.set_yticks(range(len(engines)), engines)
            axes.set_title(f"{form}\n{TITLES[form]}", fontsize="small")
            axes.set_xlabel("points per game and seat more than the engine")
        panels[0][0].invert_yaxis()
        legend = [shown[agent] for agent in agents], agents
        figure.legend(*legend, loc="outside lower center", ncols=columns, fontsize="small", frameon=False)
