"""Agents for Skat, and what generic agents need to know about the game."""
