"""Agents for Klaverjas, and what generic agents need to know about the game."""
