"""The one error of the benchmarks."""


class BenchFailure(Exception):
    """A figure would be invalid: the run stops with the reason."""
