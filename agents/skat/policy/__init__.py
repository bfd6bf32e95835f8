"""Networks that make all decisions of Skat, and what they are learnt from."""
