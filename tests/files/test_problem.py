"""Problems are values that sort by position and print like a compiler's messages."""

from asdlc_kb.files.problem import Problem


def test_a_problem_reads_like_a_compiler_message() -> None:
    """D-051: a problem names path, line, column, code and what to do."""
    problem = Problem("concepts/x.md", 3, 7, "KB012", "tags must be a list")
    assert str(problem) == "concepts/x.md:3:7: KB012 tags must be a list"


def test_problems_sort_by_place() -> None:
    """Problems are shown in path order, then by line and column."""
    first = Problem("a.md", 2, 9, "KB015", "z")
    second = Problem("a.md", 10, 1, "KB001", "a")
    third = Problem("b.md", 1, 1, "KB001", "a")
    assert sorted([third, second, first]) == [first, second, third]
