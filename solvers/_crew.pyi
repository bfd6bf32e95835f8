"""Solving many positions on several threads, each with memory of its own."""

class Crew:
    """The memory of the threads of a solver, which is one; Python sees nothing in it."""

def run_worker(
    kernel: int, memory: int, problems: int, answers: int, count: int, counter: int, watch: int
) -> None:
    """The body of a thread of `Crew.solve_batch`; takes addresses."""

def end_workers(watch: int) -> None:
    """Ends the threads that have a watch; takes its address."""
