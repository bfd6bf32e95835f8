"""What a view tells about the hidden cards: exact counts, probabilities and samples."""
