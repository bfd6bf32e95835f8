"""Search agents: PIMC, information-set Monte Carlo tree search, and their components."""
