"""How well an agent plays, as one number: its games at a table of `rule`, on a calibrated scale."""
