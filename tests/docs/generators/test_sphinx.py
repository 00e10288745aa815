"""`conf.py`, `_toc.yml` and `myst.yml`."""

from pathlib import Path

import pytest
from support.generators import configured, list_pages, outline

CONF = """\
from datetime import date
project = "Site"
copyright = f"{date.today()}"
extensions = ["myst_parser"]
exclude_patterns = ["_build", "drafts/*.md"]
exclude_patterns += ["**/old"]
language = "fr"
html_baseurl = "https://e.org/"
myst_substitutions = {"key": "*value*", "date": date.today()}
"""


def test_the_order_is_that_of_the_toctrees(tmp_path: Path) -> None:
    """From the first page on, also in reStructuredText; each page counts once."""
    files = {
        "pyproject.toml": "",
        "docs/conf.py": CONF,
        "docs/index.md": "```{toctree}\n:hidden:\n:caption: First\n\na\n"
        "Two <b/index>\nhttps://e.org\nself\n```\n"
        "```{toctree}\n:glob:\n\nc/*\n```\n",
        "docs/a.md": "# A\n",
        "docs/b/index.rst": "\n.. toctree::\n   :maxdepth: 1\n\n   one\n   /a\n\nx",
        "docs/b/one.md": "```{toctree}\n../index\nnone\n```",
        "docs/c/2.md": "",
        "docs/c/1.md": "",
        "docs/drafts/x.md": "",
        "docs/e/old/y.md": "",
        "docs/_build/z.md": "",
    }
    found = configured(tmp_path, files, "docs")
    assert (found.generator, found.dialect) == ("sphinx", "myst")
    assert (found.title, found.site_url) == ("Site", "https://e.org/")
    assert found.editions.language == "fr"
    assert found.include_folders == (tmp_path,)
    assert found.values == {"myst.key": "*value*"}
    assert list_pages(found) == ["a.md", "b/one.md", "c/1.md", "c/2.md", "index.md"]
    assert outline(found.navigation) == [
        *("- index.md", "First", "  - a.md", "  Two b/index.rst", "    - b/one.md"),
        *("      - b/none", "  - https://e.org", "  - index.md"),
        *("- c/1.md", "- c/2.md"),
    ]


def test_a_configuration_without_markdown_is_none(tmp_path: Path) -> None:
    """That of another program, or of reStructuredText only."""
    files = {"conf.py": "extensions = ['sphinx.ext.autodoc']", "a.md": ""}
    assert configured(tmp_path, files).generator == ""


@pytest.mark.parametrize(
    "line", ["exclude_patterns = find()", "exclude_patterns.append(x)", "x = = 1"]
)
def test_a_computed_exclusion_hides_all_pages(tmp_path: Path, line: str) -> None:
    """Nothing is run."""
    files = {"conf.py": f"extensions = ['myst_nb']\n{line}\n", "a.md": ""}
    found = configured(tmp_path, files)
    assert found.fault is not None
    assert list_pages(found) == []


def test_jupyter_book_has_a_table_of_contents(tmp_path: Path) -> None:
    """Its configuration has the name of Jekyll's."""
    files = {
        "_config.yml": "title: Book\nexclude_patterns: [x.md]\n"
        "only_build_toc_files: true\n",
        "_toc.yml": "format: jb-book\nroot: intro\nparts:\n- caption: P\n  chapters:\n"
        "  - file: a\n    title: T\n    sections:\n    - file: b.md\n"
        "  - url: https://e.org\n    title: E\n",
        **dict.fromkeys(("intro.md", "a.md", "b.md", "c.md", "x.md"), ""),
    }
    found = configured(tmp_path, files)
    assert (found.generator, found.title) == ("sphinx", "Book")
    assert list_pages(found) == ["a.md", "b.md", "intro.md"]
    assert outline(found.navigation) == [
        *("- intro", "  P", "    T a", "      - b.md", "    E https://e.org"),
    ]
    files["_toc.yml"] = "- file: intro\n- file: a\n"
    files["_config.yml"] = "{}"
    found = configured(tmp_path, files)
    assert outline(found.navigation) == ["- intro", "- a"]
    assert "c.md" in list_pages(found)


def test_pages_of_mystmd_are_those_of_its_table(tmp_path: Path) -> None:
    """All, without a table; a file for another program is none."""
    table = "  toc:\n  - file: index.md\n  - title: G\n    children: [{file: a.md}]\n"
    files = dict.fromkeys(("index.md", "a.md", "b.md", "c/d.md"), "")
    files["myst.yml"] = f"project:\n  title: T\n{table}"
    found = configured(tmp_path, files)
    assert (found.dialect, found.title) == ("myst", "T")
    assert list_pages(found) == ["a.md", "index.md"]
    assert outline(found.navigation) == ["- index.md", "G", "  - a.md"]
    files["myst.yml"] = "project: {exclude: [c/**]}\n"
    assert list_pages(configured(tmp_path, files)) == ["a.md", "b.md", "index.md"]
    files["myst.yml"] = "other: 1\n"
    assert configured(tmp_path, files).generator == ""
