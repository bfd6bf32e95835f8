"""Tables counted in games: where cards lie, and how often hands win."""
