"""Output for people by rich, for readers who may stop reading."""

import rich.console


class Console(rich.console.Console):
    """As rich's, but a reader who has gone, as `head` does, is an error that the program handles, and not its end."""

    def on_broken_pipe(self) -> None:
        """Raises the error that rich would end the process for."""
        raise BrokenPipeError
