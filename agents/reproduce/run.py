"""Runs a reproduction in its folder: played on where it was stopped, and never played over."""

import dataclasses
from collections.abc import Mapping
from math import nan
from pathlib import Path
from typing import Any

from skat_env.agents.reproduce.bench import Bench
from skat_env.agents.reproduce.report import draw, markdown
from skat_env.agents.reproduce.reproduction import SCALES, Reproduction
from skat_env.agents.reproduce.row import Row
from skat_env.errors import ParseError, UnknownName
from skat_env.tools.extras import require_figures
from skat_env.tools.files import write_text
from skat_env.tools.json_file import read_object
from skat_env.tools.provenance import provenance, write_result
from skat_env.tools.run_folder import run_folder
from skat_env.tools.workers import Workers

CONFIG, RESULT, TABLE, PLOT = "reproduction.json", "result.json", "table.md", "plot.png"


def run(
    reproduction: Reproduction,
    scale: str,
    folder: Path,
    seed: int = 0,
    workers: Workers | int = 1,
    source: str | None = None,
    deals: int | None = None,
    effort: tuple[int, ...] | None = None,
    models: Mapping[str, str] | None = None,
) -> list[Row]:
    """The rows of a reproduction, with result.json, table.md, plot.png and the matches in a folder.

    Args:
        reproduction: what is run.
        scale: one of `SCALES`.
        folder: is made, or gone on with if it holds the same; a finished one is read.
        seed: of the matches.
        workers: who plays, or the number of processes; the results do not depend on it.
        source: the file that the deals or cardplays are from; None: random deals.
        deals: in the place of the scale's.
        effort: in the place of the scale's.
        models: in the place of the reproduction's own, by name.

    Raises:
        UnknownName: if there is no such scale or model.
        ValueError: if a model is missing, a number makes no sense, or the reproduction has no use for one or for a
            source.
        FileExistsError: if the folder holds something else.
        FileNotFoundError: if there is no such source.
        ImportError: if there is nothing to draw with.
    """
    require_figures()
    if scale not in SCALES:
        raise UnknownName("scale", scale, SCALES)
    if deals is not None and deals < 1:
        raise ValueError(f"{deals} deals: expected at least 1")
    if any(amount < 1 for amount in effort or ()):
        raise ValueError(f"effort {' '.join(map(str, effort or ()))}: expected worlds or simulations from 1")
    if source is not None:
        if not reproduction.draws_deals:
            raise ValueError(f"{reproduction.name} plays no random deals: leave out --from")
        Path(source).stat()
    size = reproduction.sizes[scale]
    if deals is not None and not size.deals:
        raise ValueError(f"{reproduction.name} has no deals: leave out --deals")
    if effort is not None and not size.effort:
        raise ValueError(f"{reproduction.name} has no searches of a given effort: leave out --effort")
    chosen = reproduction.chosen_models(models or {})
    config: dict[str, Any] = {
        "name": reproduction.name,
        "scale": scale,
        "deals": size.deals if deals is None else deals,
        "effort": list(size.effort if effort is None else effort),
        "seed": seed,
        "source": source,
        "models": chosen,
    }
    with run_folder(folder, "reproduction", CONFIG, config):
        if (folder / RESULT).exists():
            return _read_rows(folder / RESULT)
        bench = Bench(
            folder,
            reproduction.game,
            config["deals"],
            tuple(config["effort"]),
            chosen,
            seed,
            workers,
            source,
        )
        rows = reproduction.rows(bench)
        made_by = provenance()
        write_text(
            folder / TABLE,
            markdown(reproduction, rows, f"`{made_by['command']}`, commit {made_by['commit']}"),
        )
        draw(reproduction, rows, folder / PLOT)
        result = {
            "config": config,
            "title": reproduction.title,
            "notes": reproduction.notes,
            "rows": [dataclasses.asdict(row) for row in rows],
        }
        # The result is what says that all is there: it comes last.
        write_result(folder / RESULT, result)
    return rows


def _read_rows(path: Path) -> list[Row]:
    """The rows of a result; a mean that is not a number is null there."""
    advice = "delete it to make it again from the matches, which are kept"
    found = read_object(path, advice).get("rows")
    try:
        rows = [_read_row(row) for row in found or ()]
    except (KeyError, TypeError, AttributeError) as error:
        raise ParseError(f"{path} is damaged: {error!r} in its rows; {advice}") from None
    if not rows:
        raise ParseError(f"{path} is damaged: it has no rows; {advice}")
    return rows


def _read_row(fields: dict[str, Any]) -> Row:
    """A row; raises a KeyError, TypeError or AttributeError if a field is missing or of another kind."""
    for name, value in fields.items():
        kind = {"label": list, "paper": str, "panel": str, "line": str}.get(name, float | int)
        if value is not None and (not isinstance(value, kind) or isinstance(value, bool)):
            raise TypeError(f"{name} is {value!r}")
    label, mean = fields["label"], fields["mean"]
    return Row(**{**fields, "label": tuple(map(str, label)), "mean": nan if mean is None else mean})
