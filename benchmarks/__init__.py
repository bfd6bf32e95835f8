"""Benchmarks of speed and strength; each prints a table and writes its numbers as JSON."""
