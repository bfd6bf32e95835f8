"""Environments: PettingZoo, Gymnasium, stable-baselines3, and many games stepped at once."""
