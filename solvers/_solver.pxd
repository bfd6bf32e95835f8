"""What the open-card solvers of all games are to Python."""

from skat_env.solvers._crew cimport Crew


cdef class OpenCardSolver:
    cdef Crew crew              # the threads and their tables
    cdef object question        # what is asked if nothing else is
