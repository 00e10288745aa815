"""Navigation of Sphinx in its pages."""

from pathlib import Path

from support.generators import outline, write_files

from asdlc_kb.docs.generators.configuration_files import ConfigurationFiles
from asdlc_kb.docs.generators.toctrees import Toctrees


def test_entries_are_relative_to_their_page(tmp_path: Path) -> None:
    """A wildcard without its option is a name; folders have none."""
    pages = {
        "a/index.md": ":::{toctree}\n---\ncaption: x\n---\nb\n./c.md\n../d\n*\n:::",
        "a/b.md": "~~~{toctree}\n:glob:\n*/x\nz*\n/e/*\n~~~",
        "a/c.md": "",
        "d.md": "toctree",
        "e/f.rst": "",
        "e/g.txt": "",
    }
    files = ConfigurationFiles(write_files(tmp_path, pages))
    found = Toctrees(tmp_path, files).read("a/index")
    assert outline(found) == [
        *("- a/index.md", "x", "  - a/b.md", "    - e/f.rst", "  - a/c.md"),
        *("  - d.md", "  - a/*"),
    ]


def test_a_missing_first_page_has_no_entries(tmp_path: Path) -> None:
    """Nor does one outside the repository."""
    assert Toctrees(tmp_path, ConfigurationFiles(tmp_path)).read("index") == ()
