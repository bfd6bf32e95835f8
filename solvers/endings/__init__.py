"""The last tricks as a game of their own: exact best responses and the best play against players who see all cards."""
