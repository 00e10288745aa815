"""The number of hidden files of a source, as the banner and `doctor` show it."""

from typing import Final

from asdlc_kb.corpus import CorpusSource

_UNKNOWN_STATUS: Final = "KB013"


def describe_hidden(source: CorpusSource) -> str:
    """Return how many files are hidden, and how many of them have no known status."""
    problems = source.catalog.snapshot.iterate_problems()
    unknown = sum(problem.code == _UNKNOWN_STATUS for problem in problems)
    note = f", {unknown} of them without a known status" if unknown else ""
    return f"{source.catalog.hidden_count} hidden{note}"
