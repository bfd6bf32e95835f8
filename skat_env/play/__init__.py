"""Playing games: starts, many games in step, and what is kept between decisions."""
