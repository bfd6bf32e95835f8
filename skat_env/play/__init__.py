"""Playing games: many in step, from where they start, with what agents keep between decisions."""
