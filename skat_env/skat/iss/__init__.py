"""Game records of the International Skat Server (ISS)."""
