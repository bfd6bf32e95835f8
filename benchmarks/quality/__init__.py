"""How strong agents are, and how well what predicts is calibrated."""
