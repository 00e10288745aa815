"""Texts that are too long to be formatted as a whole."""

from pathlib import Path

import pytest
from support.docs import DocsTree
from support.knowledge import KnowledgeBase
from support.publishing import find_page, open_site

from asdlc_kb.markup.html_renderer import MAX_CHARACTERS
from asdlc_kb.markup.render_process import MAX_WAIT_SECONDS, render_as_code
from asdlc_kb.site.rendering.html_cache import HtmlCache, RenderedText
from asdlc_kb.site.rendering.long_text import MAX_BEGINNING, cut_long_text

NOTICE = "This page is too long to be formatted in full."
RELEASE = "## Release {}\n\n" + f"{'x' * 999}\n\n" * 10
LONG = "".join(RELEASE.format(number) for number in range(60))


def test_a_text_within_the_limit_is_whole() -> None:
    """The limit of the renderer."""
    text = "x" * MAX_CHARACTERS
    assert cut_long_text(text) is text


def test_a_long_text_ends_before_a_heading() -> None:
    """The last one in the second half of what is shown."""
    begins = cut_long_text(LONG)
    assert LONG.startswith(begins)
    assert MAX_BEGINNING / 2 < len(begins) <= MAX_BEGINNING
    assert LONG[len(begins) :].startswith("## Release ")


def test_a_long_text_without_a_line_is_cut() -> None:
    """At the limit."""
    assert len(cut_long_text("x" * (MAX_CHARACTERS + 1))) == MAX_BEGINNING


def test_the_beginning_of_a_long_page_is_formatted(tmp_path: Path) -> None:
    """With its headings, and at its end a link to all of it."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("release-notes.md", f"# Release notes\n\n{LONG}")
    site = open_site(None, tree)
    shown = find_page(site, "/docs/release-notes")
    assert shown.awaited is not None
    shown.awaited.result(MAX_WAIT_SECONDS)
    page = find_page(site, "/docs/release-notes").body.decode()
    assert page.count("<h1") == 1
    assert page.index('id="release-0"') < page.index('id="release-20"')
    _, _, end = page.partition(NOTICE)
    assert '<a href="/docs/release-notes.md">View as Markdown</a></p>' in end
    assert "xxx" not in end


def test_a_text_that_cannot_be_rendered_has_a_heading_and_a_notice(
    tmp_path: Path, knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Above the code; a text that waits for its rendering has none."""
    knowledge.write("concepts/b", title="B", body="Text.\n")
    tree = DocsTree(tmp_path / "docs")
    tree.write("a.md", "# A\n\nText.\n")
    monkeypatch.setattr(
        HtmlCache,
        "render",
        lambda _, text, *given: RenderedText(render_as_code(text).html),
    )
    site = open_site(knowledge, tree)
    for path, title in (("/docs/a", "A"), ("/concepts/b", "B")):
        page = find_page(site, path).body.decode()
        assert page.count(f"<h1>{title}</h1>") == 1
        notice, code = page.index(NOTICE), page.index('<div class="body plain">')
        assert notice < code
        assert f'<a href="{path}.md">View as Markdown</a></p>' in page
