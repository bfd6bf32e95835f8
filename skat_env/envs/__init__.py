"""Environments for PettingZoo, Gymnasium and stable-baselines3, and vectors of games stepped at once."""
