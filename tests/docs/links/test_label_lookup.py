"""Links to labels of MyST in other pages."""

from functools import partial
from pathlib import Path

import pytest
from support.canary import CANARY
from support.docs import DocsTree, rescan
from support.knowledge import settled_clock

from asdlc_kb.docs.generators import read_configuration
from asdlc_kb.docs.library import DocLibrary
from asdlc_kb.docs.linked_pages import link_page
from asdlc_kb.site.rendering.link_resolver import SiteLinks

PAGES = {
    "conf.py": "extensions = ['myst_parser']\n",
    "a.md": "(start)=\n# A\n\n## Install\n",
    "b.md": "(own)=\n# B\n\n(install)=\n\n(a)=\n\n(twin)=\n",
    "c.md": f"---\ndraft: true\n---\n(secret)=\n# C\n\n(start)=\n{CANARY}\n",
    "d.md": "(twin)=\n# D\n",
}


def configured(tmp_path: Path) -> tuple[DocsTree, DocLibrary]:
    """Return a tree of MyST with its library."""
    tree = DocsTree(tmp_path / "docs")
    for path, text in PAGES.items():
        tree.write(path, text)
    configure = partial(read_configuration, tree.root)
    return tree, DocLibrary(tree.root, configure, clock=settled_clock)


@pytest.mark.parametrize(
    ("href", "where"),
    [
        *(("#own", "b.md#own"), ("#OWN", "b.md#own"), ("own", "b.md#own")),
        *(("#start", "a.md#start"), ("start", "a.md#start")),
        ("#install", "a.md#install"),
        *(("a", "a.md#"), ("#a", "a.md#a"), ("#twin", "a.md#twin"), ("twin", None)),
        *(("#secret", "a.md#secret"), ("#none", "a.md#none")),
        *(("secret", None), ("none", None)),
    ],
)  # fmt: skip
def test_a_link_to_a_label_leads_to_its_page(
    tmp_path: Path, href: str, where: str | None
) -> None:
    """Pages and own headings win; a label of a hidden page is none, as a missing one.

    Of two pages with a label, none is meant.
    """
    _, library = configured(tmp_path)
    target = library.load().resolve(href, "a.md")
    assert where == (f"{target.path}#{target.anchor}" if target else None)


def test_another_label_of_a_page_is_found(tmp_path: Path) -> None:
    """Links of other pages lead to it from then on."""
    tree, library = configured(tmp_path)
    before = library.load()
    assert before.resolve("#own", "a.md") == ("b.md", "own")
    tree.write("b.md", "(other)=\n# B\n")
    after = rescan(library)
    assert not after.shares_structure(before)
    assert after.resolve("#other", "a.md") == ("b.md", "other")
    assert after.resolve("#own", "a.md") == ("a.md", "own")
    links = SiteLinks("", None, after, {"b.md": "/docs/b"}).of_page(after.find("a"))
    assert [links(href) for href in ("#other", "#own")] == ["/docs/b#other", "#own"]
    tree.write("d.md", "# D\n\n[x](#other) [y](#d)\n")
    after = rescan(library)
    assert "[x](b.md#other) [y](#d)" in link_page(after.find("d"), after).body
