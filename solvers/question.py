"""What an open-card solver is asked, apart from what each game counts."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCardQuestion:
    """The part of a question that is the same in every game; each game's `Question` adds its aim.

    Raises:
        ValueError: if a limit is not positive.
    """

    actions: bool = False
    """Answer the question after every legal action, too."""
    line: bool = False
    """Give best play of both sides to the end, too."""
    node_limit: int | None = None
    """Maximum of positions to look up in the tables; None: no limit."""
    time_limit: float | None = None
    """Maximum of seconds to search; None: no limit."""

    def __post_init__(self) -> None:
        for name, limit in (("node_limit", self.node_limit), ("time_limit", self.time_limit)):
            if limit is not None and limit <= 0:
                raise ValueError(f"{name} {limit} is not positive")
