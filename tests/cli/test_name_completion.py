"""Tests of completed names of articles and pages."""

from pathlib import Path

import click
from support.knowledge import KnowledgeBase

from asdlc_kb.cli.main import main
from asdlc_kb.cli.name_completion import complete_name


def complete(incomplete: str, *arguments: str) -> list[str]:
    """Return the names that `show` completes after these arguments."""
    command = main.get_command(click.Context(main), "show")
    assert command is not None
    with command.make_context("show", [*arguments], resilient_parsing=True) as context:
        items = complete_name(context, command.params[0], incomplete)
    return [item.value for item in items]


def test_pages_of_documentation_are_completed(folder: Path) -> None:
    """By their paths, of the trees that the line names."""
    (folder / "docs/guide").mkdir(parents=True)
    (folder / "docs/guide/herons.md").write_text("# Herons\n")
    assert complete("guide/", "--docs", "docs") == ["guide/herons.md"]
    assert complete("x", "--docs", "docs") == []
    assert complete("guide/") == []


def test_a_name_that_a_terminal_obeys_is_left_out(folder: Path) -> None:
    """D-083: completions are written to the terminal by the shell."""
    (folder / "docs").mkdir()
    for name in ("a\x1b[31m", "a\nb", "ab"):
        (folder / f"docs/{name}.md").write_text("# A page\n")
    assert complete("a", "--docs", "docs") == ["ab.md"]


def test_a_folder_that_is_not_there_has_no_names(folder: Path) -> None:
    """Nothing is reported while a line is typed."""
    KnowledgeBase(folder / "content")
    assert complete("links") == ["links-to-hidden"]
    assert complete("links", "--docs", "nowhere") == []
