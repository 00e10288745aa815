"""`_config.yml` of Jekyll."""

from pathlib import Path

from support.generators import configured

from asdlc_kb.docs.generators.configuration import PageDefaults
from asdlc_kb.docs.generators.ignored_files import PathPatterns


def test_what_is_no_page_is_excluded(tmp_path: Path) -> None:
    """Underscores, what it says itself, but not posts and collections."""
    text = """\
title: Site
url: https://example.org
baseurl: /docs
exclude: [README.md, bin/]
collections:
  guides: {output: true}
  data: {output: false}
"""
    found = configured(tmp_path, {"_config.yml": text, "index.md": ""})
    assert (found.generator, found.title) == ("jekyll", "Site")
    assert (found.site_url, found.prefixes) == (
        *("https://example.org/docs", ("/docs/",)),
    )
    patterns = PathPatterns(found.excluded)
    for path in ("README.md", "bin/", "_drafts/", "_data/", "a/_x.md", "#x.md"):
        assert patterns.match(path), path
    for path in ("_posts/", "_guides/", "sub/README.md", "index.md"):
        assert not patterns.match(path), path


def test_what_is_included_is_a_page(tmp_path: Path) -> None:
    """Folders that Jekyll would leave out."""
    text = "include: [_pages, .htaccess]\nexclude: [_pages/bin]\n"
    found = configured(tmp_path, {"_config.yml": text, "index.md": ""})
    patterns = PathPatterns(found.excluded)
    assert not patterns.match("_pages/")
    assert patterns.match("_pages/bin/")
    assert patterns.match("_drafts/")


def test_a_jupyter_book_is_another_generator(tmp_path: Path) -> None:
    """Its configuration has the same name."""
    found = configured(tmp_path, {"_config.yml": "title: x\n", "_toc.yml": ""})
    assert found.generator == "sphinx"


def test_a_site_states_its_language(tmp_path: Path) -> None:
    """Unknown if it is not stated."""
    for text, language in (("lang: pt_br\n", "pt-BR"), ("lang: [x]\n", "")):
        rules = configured(tmp_path, {"_config.yml": text, "a.md": ""}).editions
        assert (rules.language, rules.default_language) == (language, language)


def test_frontmatter_of_many_pages_is_read(tmp_path: Path) -> None:
    """Plain values of a scope; its type may be in the singular."""
    text = """\
defaults:
- {scope: {path: /x, type: post}, values: {published: false, nested: {a: 1}}}
- {values: {tags: [a, b]}}
- {scope: {path: ""}, values: {nested: {a: 1}}}
- other
"""
    found = configured(tmp_path, {"_config.yml": text, "index.md": ""})
    assert found.defaults == (
        PageDefaults("x", "posts", {"published": "false"}),
        PageDefaults("", "", {"tags": ["a", "b"]}),
    )


def test_values_have_their_names_in_templates(tmp_path: Path) -> None:
    """Scalars of one line at any depth; the site's own address is none."""
    config = """\
url: https://example.org
baseurl: /docs
product: " Acme "
versions: {min: 1.5, all: [1, 2]}
empty:
lines: "a\\nb"
"""
    found = configured(tmp_path, {"_config.yml": f"{config}long: {'x' * 301}\n"})
    assert found.values == {
        "site.product": "Acme",
        "site.versions.min": "1.5",
        "site.empty": "",
    }
