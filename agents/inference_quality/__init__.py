"""The quality of inference: how well beliefs predict hidden cards in recorded games."""
