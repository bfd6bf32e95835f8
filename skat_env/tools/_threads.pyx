"""Threads that have all ended when a call ends, so that what they work on may be freed."""

from _thread import allocate_lock, start_new_thread


def run_threads(work, arguments, halt):
    """Calls `work` with each of some arguments, on a thread each, and waits until all have ended."""
    # Compiled, and without `threading`: handlers of signals run between any two lines of Python, and `Thread.join`
    # takes a thread that works on for one that has ended if one of them raises while it waits.
    ends = []
    failures = []
    error = None
    for each in arguments:
        end = allocate_lock()
        end.acquire()
        try:
            start_new_thread(_run, (work, each, end, failures))
        except BaseException as caught:
            error = caught
            break
        ends.append(end)
    for end in ends:
        while True:
            try:
                if error is not None:
                    halt()
                end.acquire()
                break
            except BaseException as caught:
                error = caught
    if error is not None or failures:
        raise failures[0] if error is None else error


def _run(work, arguments, end, failures):
    """The body of a thread."""
    try:
        work(*arguments)
    except BaseException as error:
        failures.append(error)
    finally:
        end.release()
