"""Tables as CSV: a header, and the cells of its rows, by whatever separates them."""

import csv
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, Self

from skat_env.errors import ParseError

_SEPARATORS: Final = (",", ";", "\t")


@dataclass(frozen=True, slots=True)
class CsvHeader:
    """The header of a table."""

    columns: tuple[str, ...]
    separator: str = ","

    @classmethod
    def parse(cls, line: str, needed: Collection[str]) -> Self | None:
        """The header in a line, separated by commas, semicolons or tabs; None if it lacks a needed column."""
        for separator in _SEPARATORS:
            try:
                columns = _cells(line, separator)
            except ParseError:
                continue
            if set(needed) <= set(columns):
                return cls(tuple(columns), separator)
        return None

    def row(self, line: str) -> dict[str, str]:
        """The cells of a row, by column, without blanks around them.

        Raises:
            ParseError: if it is malformed, or has more or fewer columns.
        """
        cells = _cells(line, self.separator)
        if self.separator == "\t" and len(cells) == len(self.columns) + 1:
            # The tab of a first column without a name, the number of the row, is stripped from the header.
            del cells[0]
        if len(cells) != len(self.columns):
            raise ParseError(f"the row has {len(cells)} columns, its header has {len(self.columns)}")
        return dict(zip(self.columns, cells, strict=True))


def _cells(line: str, separator: str) -> list[str]:
    try:
        (cells,) = csv.reader([line], strict=True, delimiter=separator)
    except (csv.Error, ValueError) as error:
        raise ParseError(
            f"expected a row of a CSV table on one line, without line breaks in its quotes: {error}"
        ) from None
    return [cell.strip() for cell in cells]
