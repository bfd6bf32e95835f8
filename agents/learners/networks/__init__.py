"""Networks in training: layers and steps in C and in torch, Adam, and averages of weights."""
