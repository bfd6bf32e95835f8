"""Recorded games of the International Skat Server."""
