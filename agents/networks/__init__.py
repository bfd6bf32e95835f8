"""Networks in torch, and the checkpoints that hold them."""
