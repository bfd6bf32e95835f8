"""What the build scripts of the adapters share: the sources that are needed, the programs, and what fails."""

import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NoReturn


class Building:
    """The building of an engine from a program's own sources, whose folder the command line names.

    Args:
        name: the program's name, for messages.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        if len(sys.argv) != 2:
            self.fail("expected one argument, the folder of its sources")
        self.sources = Path(sys.argv[1])

    def fail(self, sentence: str) -> NoReturn:
        """Ends with one sentence."""
        raise SystemExit(f"{self.name}: {sentence}")

    def require_files(self, *names: str) -> None:
        """Ends if the sources lack a file."""
        for name in names:
            if not (self.sources / name).is_file():
                self.fail(f"'{self.sources}' has no {name}: expected the folder of its sources")

    def require_text(self, name: str, text: str) -> str:
        """The text of a file of the sources; ends if it lacks a part."""
        found = (self.sources / name).read_text(errors="replace")
        if text not in found:
            self.fail(f"'{self.sources}' is of another version: {name} does not say '{text}'")
        return found

    def require_programs(self, programs: Iterable[str], source: str) -> None:
        """Ends if a program is not on the path.

        Args:
            programs: what is run.
            source: what they come with.
        """
        for program in programs:
            if shutil.which(program) is None:
                self.fail(f"{program} is missing: it comes with {source}")

    def run(
        self, *words: str | Path, folder: Path | None = None, settings: Mapping[str, str] | None = None
    ) -> str:
        """The output of a command that has to succeed.

        Args:
            words: the command.
            folder: where it runs; None: here.
            settings: its environment; None: that of this process.
        """
        command = [str(word) for word in words]
        done = subprocess.run(command, cwd=folder, env=settings, capture_output=True, text=True, check=False)
        if done.returncode:
            lines = (done.stderr or done.stdout).strip().splitlines() or ["no message"]
            told = next((line for line in lines if "error" in line), lines[0])
            self.fail(f"'{command[0]}' failed, so these may be sources of another version: {told}")
        return done.stdout
