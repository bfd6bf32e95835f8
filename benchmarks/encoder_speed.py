"""Training rows a second on one core, by encoder: games of a dataset replayed to decisions drawn at random, encoded.

python benchmarks/encoder_speed.py [--games 5000] [--seconds 1] [--out results/encoder_speed.json]

The games are the real auctions and deals of a source of Skat, or random ones, played on at random. Every figure is the
median of five runs, by the process's own CPU time, as the core may have other work.
"""

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import tyro
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from benchmarks.env_speed import Work, rate, timed
from skat_env._encoder import Encoder
from skat_env.dataset import Dataset, DatasetWriter
from skat_env.decisions import Decisions
from skat_env.encoders import encoders_of
from skat_env.progress import progress_bar
from skat_env.provenance import provenance
from skat_env.records import GameRecord
from skat_env.registry import GAME_NAMES, get_game, make_agent

FLOOR = 300_000
"""Rows a second that the project asks for at least."""
