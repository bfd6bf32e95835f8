"""Vectors of outcomes over sampled worlds: their fronts, their trees, and the search that backs them up."""
