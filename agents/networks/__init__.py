"""PyTorch networks and their checkpoints."""
