"""Skat."""
