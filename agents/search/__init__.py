"""Agents that search: PIMC and information-set Monte Carlo tree search, and what they are made of."""
