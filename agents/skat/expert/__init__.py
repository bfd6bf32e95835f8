"""The expert system of Edelkamp 2020: knowledge of the hidden cards, and endings decided by votes of all worlds."""
