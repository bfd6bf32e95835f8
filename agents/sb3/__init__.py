"""stable-baselines3: training MaskablePPO, and its models as agents."""
