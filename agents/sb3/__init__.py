"""stable-baselines3: the learner of MaskablePPO, and its models as agents."""
