"""Solving many positions on several threads, each with memory of its own."""

def run_worker(kernel: int, memory: int, problems: int, answers: int, count: int, counter: int) -> None:
    """The body of a thread of `Crew.solve_batch`; takes addresses."""
