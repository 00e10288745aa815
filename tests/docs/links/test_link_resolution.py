"""Links in pages: as files, and as addresses of the published site."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.docs.generators import TreeConfiguration
from asdlc_kb.docs.links.link_resolution import (
    MAX_LINK_CHARS,
    LinkRules,
    localize,
    read_rules,
    resolve_file,
    resolve_link,
)
from asdlc_kb.docs.links.path_lookup import PathLookup

LOOKUP = PathLookup(
    (
        *("index.md", "x.md", "guide/index.md", "guide/a.md", "guide/b.mdx"),
        *("guide/x.md", "guide/deep/c.md", "only.md", "api/lone.md"),
    )
)
SITE = LinkRules("https://docs.example/kb/", ("/en/",), has_folder_urls=True)

FILE_RULES = LinkRules()
"""Of a tree without a generator."""


def lead(href: str, rules: LinkRules = FILE_RULES, source: str = "guide/a.md") -> str:
    """Return where a link in a page leads to; empty if nowhere."""
    target = resolve_link(href, source, LOOKUP, rules)
    return "#".join(filter(None, target)) if target else ""


@pytest.mark.parametrize(
    ("href", "path"),
    [
        *(
            ("b.mdx", "guide/b.mdx"),
            ("b", "guide/b.mdx"),
            ("./b.html#p", "guide/b.mdx#p"),
        ),
        *(("../b/", "guide/b.mdx"), ("../b", "guide/b.mdx"), ("../x", "x.md")),
        *(("/guide/b/", "guide/b.mdx"), ("/xx/guide/b/", "guide/b.mdx")),
        *(("../../only/", "only.md"), ("../only.md", "only.md"), ("../../only.md", "")),
        *(("lone.md", "api/lone.md"), ("../lone.md", ""), ("LONE", "api/lone.md")),
        *(("guide/deep/c", "guide/deep/c.md"), ("deep/c/", "guide/deep/c.md")),
        *(("kb://doc/guide/b.mdx#p", "guide/b.mdx#p"), ("kb://doc/", "index.md")),
        *(("#p", "guide/a.md#p"), ("#", ""), ("", ""), ("?q=1", ""), ("none.md", "")),
        *(("b?v=1#p", "guide/b.mdx#p"), ("/", "index.md"), ("..", "index.md")),
        *(
            ("https://docs.example/kb/x", ""),
            ("mailto:a@b.example", ""),
            ("http://[", ""),
        ),
        ("x" * MAX_LINK_CHARS + "/../only", ""),
    ],
)
def test_a_link_leads_to_a_page(href: str, path: str) -> None:
    """D-151: as a path of files, else as an address of a page's folder."""
    assert lead(href) == path


@pytest.mark.parametrize(
    ("href", "path"),
    [
        *(("../x/", "guide/x.md"), ("../x.md", "x.md"), ("../../x/", "x.md")),
        *(("/en/guide/b/", "guide/b.mdx"), ("/en/", "index.md"), ("/en", "index.md")),
        *(
            ("https://docs.example/kb/guide/b/#p", "guide/b.mdx#p"),
            ("b", "guide/b.mdx"),
        ),
        *(
            ("https://docs.example/kb/", "index.md"),
            ("http://docs.example/kb", "index.md"),
        ),
        *(("https://docs.example/kb/en/x/?q#p", "x.md#p"), ("https://[", "")),
        *(("https://docs.example/other/x", ""), ("https://other.example/kb/x", "")),
    ],
)
def test_a_link_of_a_published_site_leads_to_a_page(href: str, path: str) -> None:
    """By its rules: full addresses, prefixes, folders."""
    assert lead(href, SITE) == path


@pytest.mark.parametrize(
    ("generator", "has_folder_urls"),
    [("hugo", True), ("vitepress", False), ("", False)],
)
def test_the_rules_are_those_of_the_generator(
    tmp_path: Path, generator: str, has_folder_urls: bool
) -> None:
    """As its configuration states them."""
    configuration = TreeConfiguration(
        root=tmp_path,
        generator=generator,
        site_url="https://a.example",
        prefixes=("/x/",),
        default_language="x",
    )
    assert read_rules(configuration) == LinkRules(
        "https://a.example", ("/x/",), "x", has_folder_urls=has_folder_urls
    )


@pytest.mark.parametrize(
    ("href", "source", "path"),
    [
        *(("/fr/a/", "fr/b.md", "fr/a.md"), ("/fr/c/#p", "fr/b.md", "en/c.md#p")),
        *(("../c/", "fr/b.md", "en/c.md"), ("/fr/", "fr/b.md", "en/index.md")),
        *(("/fr/none/", "fr/b.md", ""), ("/de/c/", "fr/b.md", "")),
        *(("/fr/c/", "en/c.md", ""), ("/fr/c/", "index.md", "")),
    ],
)
def test_a_page_in_the_default_language_stands_for_a_missing_translation(
    href: str, source: str, path: str
) -> None:
    """For links within one language."""
    names = ("en/index.md", "en/c.md", "fr/a.md", "fr/b.md", "index.md")
    rules = LinkRules(default_language="en", has_folder_urls=True)
    target = resolve_link(href, source, PathLookup(names), rules)
    assert "#".join(filter(None, target or ())) == path


def test_an_alias_of_docusaurus_is_the_root(tmp_path: Path) -> None:
    """Its `@site` is the folder of the configuration."""
    configuration = TreeConfiguration(
        root=tmp_path / "docs",
        generator="docusaurus",
        files=(tmp_path / "docusaurus.config.js",),
    )
    rules = read_rules(configuration)
    assert lead("@site/docs/api/lone.md#p", rules) == "api/lone.md#p"
    assert lead("@site/blog/lone.md", rules) == ""
    assert lead("@site/docs/api/lone.md") == ""


def test_an_index_page_is_its_folder() -> None:
    """Both readings are the same."""
    assert lead("a", SITE, "guide/index.md") == "guide/a.md"
    assert lead("../x", SITE, "guide/index.md") == "x.md"


def test_a_file_that_is_no_page_has_a_path_too() -> None:
    """In both readings; none for other sites and above the root."""
    assert resolve_file("../img/x.png", "guide/a.md", FILE_RULES) == (
        "img/x.png",
        "guide/img/x.png",
    )
    assert resolve_file("/img/x%20y.png", "guide/a.md", FILE_RULES) == ("img/x y.png",)
    for href in ("../../../x.png", "https://a.example/x.png", "#x", ""):
        assert resolve_file(href, "guide/a.md", FILE_RULES) == ()


@given(st.text("./:#?%ahtpsdockb[]e", max_size=40))
def test_any_link_leads_to_a_page_or_nowhere(href: str) -> None:
    """No text fails."""
    for rules in (FILE_RULES, SITE):
        assert isinstance(localize(href, rules), str)
        target = resolve_link(href, "guide/a.md", LOOKUP, rules)
        assert target is None or LOOKUP.find_exact(target.path) == target.path
