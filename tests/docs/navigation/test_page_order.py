"""Menus in the order that generators give."""

from collections.abc import Mapping
from pathlib import Path

from support.docs import raw_file
from support.menus import menu_lines

from asdlc_kb.docs.generators.configuration import FolderLabel, TreeConfiguration
from asdlc_kb.docs.navigation.page_order import MAX_LEVELS, PageTree
from asdlc_kb.docs.pages.page import DocPage, read_page
from asdlc_kb.docs.pages.page_text import PageRules


def tree(
    dialect: str,
    files: Mapping[str, str],
    folders: Mapping[str, FolderLabel] | None = None,
) -> PageTree:
    """Return the tree of pages with frontmatter."""
    configuration = TreeConfiguration(
        root=Path(), dialect=dialect, folders=folders or {}
    )
    pages = []
    for path, frontmatter in files.items():
        raw = raw_file(f"---\n{frontmatter}\n---\nText.\n", path)
        value = read_page(raw, PageRules(dialect=dialect)).value
        assert isinstance(value, DocPage)
        pages.append(value)
    return PageTree(pages, configuration)


def test_without_positions_files_come_before_folders() -> None:
    """In the order of their names, an index page first."""
    found = tree("mkdocs", {"b/x.md": "", "b/index.md": "", "c.md": "", "index.md": ""})
    assert not found.has_order
    assert menu_lines(found.items) == [
        *("Home index.md", "C c.md", "B b/index.md", "  X b/x.md"),
    ]


def test_positions_order_pages_and_folders_together() -> None:
    """Docusaurus: labels of folders, numbers before names, capitals first."""
    found = tree(
        "docusaurus",
        {
            "z.md": "sidebar_position: 1\nsidebar_label: First",
            "a/x.md": "",
            "03-third.md": "",
            "b/x.md": "",
            "alone.md": "",
            "Zulu.md": "",
        },
        {"a": FolderLabel("The second", 2.0)},
    )
    assert found.has_order
    assert menu_lines(found.items) == [
        *("First z.md", "The second", "  X a/x.md", "Third 03-third.md"),
        *("Zulu Zulu.md", "Alone alone.md", "B", "  X b/x.md"),
    ]


def test_a_folder_of_starlight_is_where_its_first_page_is() -> None:
    """At any depth below it."""
    files = {
        "a.md": "",
        "z/deep/x.md": "sidebar: {order: 1}",
        "m.md": "sidebar: {order: 2}",
    }
    assert menu_lines(tree("starlight", files).items) == [
        *("Z", "  Deep", "    X z/deep/x.md", "M m.md", "A a.md"),
    ]


def test_hugo_orders_by_weight_date_and_title() -> None:
    """A section has the weight and the title of its own page."""
    files = {
        "old.md": "date: 2001-01-01",
        "new.md": "date: 2002-01-01",
        "b.md": "linkTitle: Alpha",
        "section/_index.md": "weight: 1\ntitle: Long\nlinkTitle: Short",
        "section/x.md": "",
    }
    assert menu_lines(tree("hugo", files).items) == [
        *("Short section/_index.md", "  X section/x.md", "New new.md", "Old old.md"),
        "Alpha b.md",
    ]


def test_just_the_docs_nests_by_titles() -> None:
    """Wherever the files are; a parent that is missing makes no page vanish."""
    files = {
        "x/parent.md": "title: Parent\nnav_order: 2",
        "y/child.md": "title: Child\nparent: Parent\nnav_order: 2",
        "child1.md": "title: Other\nparent: Parent\nnav_order: 1",
        "z.md": "title: Deep\nparent: Child\ngrand_parent: Parent",
        "first.md": "title: First\nnav_order: 1",
        "lost.md": "title: Lost\nparent: Nobody",
        "hidden.md": "title: Out\nnav_exclude: true",
    }
    assert menu_lines(tree("jekyll", files).items) == [
        *("First first.md", "Parent x/parent.md", "  Other child1.md"),
        *("  Child y/child.md", "    Deep z.md", "Lost lost.md"),
    ]


def test_pages_that_name_each_other_end() -> None:
    """A chain of parents is followed to a depth, a circle not at all."""
    files = {f"{n}.md": f"title: T{n}\nparent: T{n - 1}" for n in range(1, 40)}
    files |= {"a.md": "title: A\nparent: B", "b.md": "title: B\nparent: A"}
    files["0.md"] = "title: T0"
    lines = menu_lines(tree("jekyll", files).items)
    assert len(lines) == MAX_LEVELS


def test_a_folder_can_be_listed_alone() -> None:
    """For a navigation that names it."""
    found = tree("starlight", {"a/b/index.md": "", "a/b/c.md": "", "a/d.md": ""})
    assert menu_lines(found.list_folder("a/b")) == ["B a/b/index.md", "C a/b/c.md"]
    assert found.list_folder("missing") == ()
    assert (found.find_title("a"), found.find_title("missing")) == ("A", "")
