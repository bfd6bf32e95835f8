"""`python -m skat_env` is the command `skat-env`."""

import sys

from skat_env.cli import main

sys.argv[0] = "skat-env"  # as help, messages and result files name it
sys.exit(main())
