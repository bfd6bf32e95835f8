"""Reinforcement-learning environments for Skat and Klaverjas."""
