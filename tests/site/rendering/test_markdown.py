"""An article or page as Markdown, with its metadata in front."""

import pytest
from support.articles import make_article
from support.docs import raw_file
from support.publication import HOSTILE

from asdlc_kb.articles.status import ArticleStatus
from asdlc_kb.docs.pages.page import DocPage, read_page
from asdlc_kb.frontmatter.nodes import Scalar, Sequence
from asdlc_kb.frontmatter.parser import parse, split
from asdlc_kb.site.layout.frame import SiteIdentity
from asdlc_kb.site.rendering.markdown import body_of, write_article, write_page

PUBLIC = SiteIdentity("Title", base_url="https://example.com/kb")


def read(text: bytes) -> tuple[dict[str, object], str]:
    """Return fields and text, as our own reader of frontmatter reads them."""
    parts = split(text.decode())
    fields = parse(parts.frontmatter or "").items
    return {name: _plain(value) for name, value in fields.items()}, parts.body


def _plain(value: object) -> object:
    if isinstance(value, Sequence):
        return [_plain(item) for item in value.items]
    return value.text if isinstance(value, Scalar) else value


@pytest.mark.parametrize("title", HOSTILE)
def test_an_article_can_be_read_again(title: str) -> None:
    """Any fields are read back unchanged."""
    article = make_article(
        "concepts/a",
        title=title,
        description=title,
        tags=(title, "two"),
        status=ArticleStatus.EXPERIMENTAL,
        body=f"# {title}\n\nText.\n\n---\n\nmore: text\n",
    )
    page = write_article(article, PUBLIC)
    fields, text = read(page.body)
    assert fields == {
        "title": title,
        "description": title,
        "status": "Experimental",
        "lastUpdated": "2025-01-01",
        "tags": [title, "two"],
        "canonical": "https://example.com/kb/concepts/a",
    }
    assert text == "\nText.\n\n---\n\nmore: text\n"
    assert (page.path, page.alternate) == ("/concepts/a.md", "/concepts/a")


def test_what_is_not_known_is_not_said() -> None:
    """No public address, no canonical one; no tags, no list of them."""
    page = write_article(make_article("concepts/a"), SiteIdentity("Title"))
    assert read(page.body)[0].keys() == {
        *("title", "description", "status", "lastUpdated")
    }


@pytest.mark.parametrize("title", HOSTILE)
def test_a_page_can_be_read_again(title: str) -> None:
    """With its title on top of its text."""
    raw = raw_file(f"Text.\n\n{title}\n", "guide/x.md")
    page = read_page(raw).value
    assert isinstance(page, DocPage)
    shown = write_page(page, "/docs/guide/x", SiteIdentity("Title"))
    fields, text = read(shown.body)
    assert fields == {"title": "X"}
    assert text == f"\n# X\n\nText.\n\n{title}\n"
    assert shown.path == "/docs/guide/x.md"


def test_a_title_above_a_text_is_not_doubled() -> None:
    """Only if it is exactly the title."""
    assert body_of(make_article("a/b", title="T", body="# T\n\nText.\n")) == "Text."
    assert body_of(make_article("a/b", title="T", body="# U\n\nx\n")) == "# U\n\nx"
    assert body_of(make_article("a/b", title="T", body="# T")) == ""
