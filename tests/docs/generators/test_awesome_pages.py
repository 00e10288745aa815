"""`.pages` files."""

from pathlib import Path

from support.generators import configured, outline


def test_the_files_of_all_folders_make_one_navigation(tmp_path: Path) -> None:
    """Titles, sections, the rest, and what is hidden."""
    found = configured(
        tmp_path,
        {
            "mkdocs.yml": "site_name: A\n",
            "docs/.pages": "nav:\n- intro.md\n- Guides: guides\n- ...\n- hidden\n"
            "- Links:\n  - Site: https://example.org\n  - other\n",
            "docs/guides/.pages": "title: Not used\nnav: [b.md, a.md]\n",
            "docs/hidden/.pages": "hide: true\n",
            "docs/other/.pages": "title: The others\n",
        },
        "docs",
    )
    assert outline(found.navigation) == [
        *("- intro.md", "Guides guides/", "  - guides/b.md", "  - guides/a.md"),
        *("- /**", "Links", "  Site https://example.org"),
        *("  The others other/", "    - other/**"),
    ]


def test_folders_that_name_each_other_end(tmp_path: Path) -> None:
    """A link to the folder above is a folder too."""
    files = {"mkdocs.yml": "site_name: A\n", "docs/.pages": "nav: [loop]\n"}
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/loop").symlink_to(".")
    assert len(outline(configured(tmp_path, files, "docs").navigation)) < 100
