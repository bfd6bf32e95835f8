"""Datasets of games: compact files, import, generation, and rows for learning."""
