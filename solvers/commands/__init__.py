"""The commands of the solvers."""
