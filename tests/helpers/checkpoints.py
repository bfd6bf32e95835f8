"""Checkpoints to test with."""

import json
from pathlib import Path

from skat_env.agents.networks.checkpoint_folder import MANIFEST


def forget_checksums(folder: Path) -> None:
    """Makes a checkpoint as those are that were written before files had checksums, so that files may be changed."""
    manifest = json.loads((folder / MANIFEST).read_text())
    del manifest["files"]
    (folder / MANIFEST).write_text(json.dumps(manifest))
