"""The target page of a name or a link."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.docs.links.link_paths import (
    follow_link,
    path_candidates,
    resolve_links,
)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        *(("guide/x.md", "guide/x.md"), ("/guide/x.md", "guide/x.md")),
        *(("./guide/x.md", "guide/x.md"), ("guide/x", "guide/x.md")),
        *(("guide/x", "guide/x.mdx"), ("guide/x.html", "guide/x.md")),
        *(("guide/x.HTM", "guide/x.markdown"), ("guide", "guide/index.md")),
        *(("guide/", "guide/README.md"), ("guide/", "guide/index.mdx")),
        *(("", "index.md"), ("/", "README.md"), ("v1.2", "v1.2.md")),
    ],
)
def test_a_page_is_found_by_what_people_call_it(name: str, path: str) -> None:
    """D-018: with or without slash and suffix, as `.html`, as a folder."""
    assert path in list(path_candidates(name))


def test_the_name_itself_comes_first() -> None:
    """A path is a name of itself before it is anything else."""
    assert next(path_candidates("guide/x.md")) == "guide/x.md"
    assert "guide/.md" not in list(path_candidates("guide/"))


@pytest.mark.parametrize(
    ("href", "source", "name"),
    [
        *(("x.md", "sidebar.md", "x.md"), ("x.md", "guide/y.md", "guide/x.md")),
        *(("/x.md", "guide/y.md", "x.md"), ("./x", "guide/y.md", "guide/x")),
        *(("../x.html", "guide/y.md", "x.html"), ("a/", "b/y.md", "b/a/")),
        *(("..", "guide/y.md", "/"), (".", "guide/y.md", "guide/")),
        *(("/", "guide/y.md", "/"), ("x.md#part", "y.md", "x.md")),
        *(("a%20b.md", "y.md", "a b.md"), ("<x y>", "y.md", "<x y>")),
        *(("x.md?v=1", "y.md", "x.md"), ("#part", "y.md", None)),
        *(("https://a.example/x.md", "y.md", None), ("//a.example/x", "y.md", None)),
        *(("mailto:a@b.example", "y.md", None), ("../../x.md", "guide/y.md", None)),
        *(("/../x.md", "y.md", None), ("%ff.md", "y.md", None)),
        *(("http://[", "y.md", None), ("a%00.md", "y.md", None), ("", "y.md", None)),
    ],
)
def test_a_link_is_followed_from_where_it_stands(
    href: str, source: str, name: str | None
) -> None:
    """Relative, from the root, encoded; never above the root or to another site."""
    assert follow_link(href, source) == name


@given(st.text())
def test_no_text_fails(text: str) -> None:
    """Any text has few spellings, and no link leads above the root."""
    assert len(list(path_candidates(text))) <= 12
    name = follow_link(text, "a/b.md")
    assert name is None or not name.startswith("../")


@pytest.mark.parametrize(
    ("path", "real"),
    [
        ("README.md", "index.md"),
        ("latest/x.md", "v2/x.md"),
        ("latest/old.md", "v2/new.md"),
        ("self/self/latest/old.md", "v2/new.md"),
        ("v2/x.md", "v2/x.md"),
        ("", ""),
    ],
)
def test_links_on_the_disk_are_resolved_folder_by_folder(path: str, real: str) -> None:
    """To files, to folders, and to the root itself."""
    links = {
        **{"README.md": "index.md", "latest": "v2", "self": ""},
        "v2/old.md": "v2/new.md",
    }
    assert resolve_links(path, links) == real
