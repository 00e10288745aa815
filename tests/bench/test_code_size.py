"""Lines of code."""

from benchmarks.code_size import count_code_lines

MODULE = '''"""Docstring of
two lines."""

# A comment.
MAX = 3  # counted
"""A docstring of a constant."""


def find(
    name: str,
) -> str:
    """Docstring."""
    return """text
of two lines"""
'''


def test_blank_lines_comments_and_docstrings_do_not_count() -> None:
    """A statement counts all its lines."""
    assert count_code_lines(MODULE) == 6
