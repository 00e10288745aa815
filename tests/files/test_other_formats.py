"""Count of files in formats that are not read."""

from pathlib import Path

import pytest
from support.generators import write_files

from asdlc_kb.files import other_formats
from asdlc_kb.files.other_formats import describe_other_formats


def test_files_are_counted_by_suffix(tmp_path: Path) -> None:
    """Texts, in any case; Markdown, code and the files of other programs are not."""
    names = ("a.rst", "b/c.RST", "d.txt", "e.py", "f.md", ".git/x.rst", ".g.txt")
    write_files(tmp_path, dict.fromkeys(names, "text"))
    assert describe_other_formats(tmp_path) == (
        "2 .rst files, 1 .txt file are not read, only Markdown is"
    )
    assert describe_other_formats(tmp_path / "b") == (
        "1 .rst file is not read, only Markdown is"
    )
    assert describe_other_formats(tmp_path / ".git" / "none") is None


def test_the_count_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A whole disk that is named by mistake does not delay the start."""
    assert other_formats.MAX_SEEN == 20_000
    monkeypatch.setattr(other_formats, "MAX_SEEN", 2)
    write_files(tmp_path, dict.fromkeys(("a.rst", "b.rst", "c.rst"), "text"))
    assert describe_other_formats(tmp_path) == (
        "2 .rst files are not read, only Markdown is"
    )
