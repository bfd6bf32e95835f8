"""Benchmarks of speed; each prints a table, and keeps its figures as JSON if asked."""
