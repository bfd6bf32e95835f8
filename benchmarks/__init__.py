"""Benchmarks: speed and strength; each prints a table of the README and writes its numbers as JSON."""
