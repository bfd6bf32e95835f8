"""The file formats of recorded Klaverjas games and of starts."""

from typing import Final

from skat_env.datasets.formats import LineFormat
from skat_env.klaverjas import live_table, playouts, start_table
from skat_env.play.starts import StartTable

FORMATS: Final = (
    LineFormat("playouts", ("klaverjas",), '{"trump"', playouts.read),
    LineFormat("klaver.live", ("klaverjas",), live_table.HEADER, live_table.read, reader=live_table.reader),
)
START_TABLE: Final = StartTable("klaverjas", start_table.reader)
