"""Benchmarks, and what makes the files that ship; run as `python -m benchmarks.speed.environments`."""
