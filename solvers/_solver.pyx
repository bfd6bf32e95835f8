"""What the open-card solvers of all games are to Python."""

from skat_env.solvers._followed cimport followed_by


cdef class OpenCardSolver:
    """The base of solvers, which set the crew and the question."""

    def __reduce__(self):
        return type(self), ()   # tables stay here: a copy begins with its own

    def solve(self, position, question=None):
        """Answers a question about a position."""
        return self.solve_many([position], question)[0]

    def solve_many(self, positions, question=None, threads=1):
        """Answers a question about each of many positions."""
        return self.crew.solve_many(positions, self.question if question is None else question, threads)

    def action_values(self, positions, actions, question=None, threads=1):
        """The values after some actions in many positions."""
        return self.crew.action_values(
            positions, self.question if question is None else question, actions, threads
        )

    def followed(self):
        """Worlds to be followed through a game."""
        return followed_by(self.crew.kernel)
