"""`python -m skat_env` is the command `skat-env`."""

import sys

from skat_env.cli import main

sys.exit(main())
