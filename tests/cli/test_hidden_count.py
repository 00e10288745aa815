"""The number of hidden files of a source."""

from pathlib import Path

import pytest

from asdlc_kb.cli.hidden_count import describe_hidden
from asdlc_kb.docs.library import DocLibrary


@pytest.mark.parametrize(
    ("statuses", "count"),
    [
        (("Live", "Draft"), "1 hidden"),
        (("Draft", "accepted", "beta"), "3 hidden, 2 of them without a known status"),
    ],
)
def test_files_that_are_hidden_by_mistake_are_counted(
    tmp_path: Path, statuses: tuple[str, ...], count: str
) -> None:
    """D-295: an author learns of them where the server starts."""
    for number, status in enumerate(statuses):
        page = tmp_path / f"{number}.md"
        page.write_text(f"---\nstatus: {status}\n---\n# Page\n")
    library = DocLibrary(tmp_path)
    library.load()
    assert describe_hidden(library) == count
