"""What makes the files that ship: weights, tables, sample games, the ladder's deals."""
