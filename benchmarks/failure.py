"""The one error of the benchmarks."""


class BenchFailure(Exception):
    """A figure would not mean what it says: the run stops, and says why."""
