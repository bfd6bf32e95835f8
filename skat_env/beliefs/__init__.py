"""Beliefs about the hidden cards of a view: exact counts, probabilities and samples."""
