"""The papers' tables and figures again: `skat-env reproduce`."""
