"""Commands on a ray cluster, which is the fixture `cluster`."""

import os
import subprocess
import sys
from typing import Final

from tests.conftest import PATIENCE, ROOT

CODE: Final = "import sys; from skat_env.cli import main; sys.exit(main(sys.argv[1:]))"


def command(*words: str, timeout: float = 4 * PATIENCE) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", CODE, *words],
        capture_output=True,
        text=True,
        timeout=timeout,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
