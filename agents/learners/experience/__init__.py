"""What learners learn from: games that they play in step, games that others recorded, and rows of both."""
