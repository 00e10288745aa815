"""Notes on a tree without a page that is served."""

import os
from pathlib import Path

import pytest
from support.generators import configured, write_files
from support.knowledge import settled_clock

from asdlc_kb.docs.library import DocLibrary
from asdlc_kb.docs.unserved import list_notes


def notes(root: Path) -> list[str]:
    """Return the notes on a tree."""
    configuration = configured(root, {})
    library = DocLibrary(configuration.root, lambda: configuration, clock=settled_clock)
    library.load()
    return list_notes(library)


def test_files_in_other_formats_are_counted_by_suffix(tmp_path: Path) -> None:
    """Without hidden ones and installed packages."""
    names = ("a.rst", "b/c.RST", "d.ipynb", "e.py", ".git/x.rst", "node_modules/y.rst")
    write_files(tmp_path, dict.fromkeys(names, "text"))
    assert notes(tmp_path) == [
        "no documentation page is served: 1 .ipynb file, 2 .rst files are not read, "
        "only Markdown is"
    ]


def test_an_empty_folder_has_a_hint_and_a_missing_one_none(tmp_path: Path) -> None:
    """A missing folder is reported elsewhere."""
    (tmp_path / "empty").mkdir()
    (hint,) = notes(tmp_path / "empty")
    assert "--docs takes a folder with Markdown files" in hint
    assert notes(tmp_path / "missing") == []


def test_a_tree_with_a_page_has_the_notes_of_its_configuration(tmp_path: Path) -> None:
    """What of it is not read."""
    write_files(tmp_path, {"a.md": "# A", "b.rst": "B"})
    assert notes(tmp_path) == []
    write_files(tmp_path, {"_config.yml": "a: ["})
    (note,) = notes(tmp_path)
    assert note.startswith("documentation: _config.yml: not used: it is not YAML")


def test_a_folder_that_cannot_be_read_is_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The Markdown is there: another folder would be no help."""
    write_files(tmp_path, {"secret/a.md": "# A"})
    real = os.scandir

    def refuse(path: str | int) -> object:
        if str(path).endswith("secret"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr("os.scandir", refuse)
    (hint,) = notes(tmp_path)
    assert hint.startswith(
        "no documentation page is served: secret cannot be listed (Permission denied)"
    )
