"""Matches: agents on identical deals, their statistics, tables and files."""
