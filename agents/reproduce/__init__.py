"""Reproductions of the papers' tables and figures: `skat-env reproduce`."""
