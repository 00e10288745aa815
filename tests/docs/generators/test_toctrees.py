"""Navigation of Sphinx in its pages."""

from pathlib import Path

import pytest
from support.cpu_time import bounded_cpu_time
from support.generators import outline, write_files

from asdlc_kb.docs.generators import toctrees
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


def test_paths_stay_in_the_tree(tmp_path: Path) -> None:
    """A page above it is none, however its path is written."""
    pages = {"docs/index.md": ":::{toctree}\n/../a\n../../a\n:::", "a.md": ""}
    root = write_files(tmp_path, pages) / "docs"
    found = Toctrees(root, ConfigurationFiles(tmp_path)).read("index")
    assert outline(found) == ["- index.md", "- a"]


def test_a_directive_ends_at_its_mark_or_with_its_indentation(tmp_path: Path) -> None:
    """Another one may follow at once; one without an end has all lines."""
    text = (
        ".. toctree::\n   :caption: A\n\n   a\n.. toctree::\n\n   b\nText\n"
        "```{toctree}\nc\n```\n:::{toctree}\nd\n```{toctree}\ne\n"
    )
    root = write_files(tmp_path, {"index.md": text})
    found = Toctrees(root, ConfigurationFiles(root)).read("index")
    assert outline(found) == [
        *("- index.md", "A", "  - a", "- b", "- c", "- d", "- ```{toctree}", "- e")
    ]


@pytest.mark.parametrize(
    "directive", ["```{toctree}\n```\n", ":::{toctree}\n", ".. toctree::\n\n   a\n"]
)
def test_many_directives_take_linear_time(tmp_path: Path, directive: str) -> None:
    """Each line is read once."""
    root = write_files(tmp_path, {"index.md": directive * (200_000 // len(directive))})
    reader = Toctrees(root, ConfigurationFiles(root))
    with bounded_cpu_time():
        assert reader.read("index")


def test_the_number_of_comparisons_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of many patterns may match each of many files."""
    monkeypatch.setattr(toctrees, "MAX_COMPARED", 4)
    text = ":::{toctree}\n:glob:\na*\nb*\nc*\n:::"
    root = write_files(tmp_path, {"index.md": text, "a1.md": "", "c1.md": ""})
    found = Toctrees(root, ConfigurationFiles(root)).read("index")
    assert outline(found) == ["- index.md", "- a1.md"]
