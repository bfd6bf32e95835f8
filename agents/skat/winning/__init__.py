"""Winning probabilities of hands, counted in games, and what is decided by them (Edelkamp 2020, section 3)."""
