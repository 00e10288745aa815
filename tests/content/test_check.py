"""`asdlc-kb check` has nothing to report about the articles of this repository."""

from support.own_articles import run_command


def test_the_articles_have_no_problem() -> None:
    """With every code, as an author and CI run it."""
    result = run_command("check")
    assert (result.returncode, result.stdout) == (0, "All checks passed\n")
