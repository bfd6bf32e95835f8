"""How much beliefs know of the cards, measured on recorded games."""
