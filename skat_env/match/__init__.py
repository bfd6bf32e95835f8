"""Matches between agents on identical deals: games, statistics, tables and files."""
