"""Gauntlets: agents against programs that others wrote, each against each."""
