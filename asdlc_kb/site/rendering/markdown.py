"""Articles and pages as Markdown with frontmatter."""

import json
from collections.abc import Mapping
from typing import Any

from asdlc_kb.articles.article import Article
from asdlc_kb.docs.links.written_names import page_uri
from asdlc_kb.docs.pages.page import DocPage
from asdlc_kb.markup.headings import cut_attributes
from asdlc_kb.site import urls
from asdlc_kb.site.layout.frame import SiteIdentity
from asdlc_kb.site.representation import MARKDOWN, Representation


def write_article(
    article: Article, identity: SiteIdentity, document: str = ""
) -> Representation:
    """Return an article as Markdown; `document` is its resource URI."""
    where = urls.of_article(article)
    fields = {
        "title": article.title,
        "description": article.description,
        "status": article.status.value,
        "lastUpdated": article.last_updated,
        "tags": list(article.tags),
        "canonical": identity.locate(where) if identity.base_url else "",
    }
    return _make(where, identity, fields, body_of(article), document)


def write_page(page: DocPage, where: str, identity: SiteIdentity) -> Representation:
    """Return a page of documentation as Markdown."""
    fields = {
        "title": page.title,
        "description": page.description,
        "tags": list(page.tags),
        "canonical": identity.locate(where) if identity.base_url else "",
    }
    return _make(where, identity, fields, page.text, page_uri(page.path))


def body_of(article: Article) -> str:
    """Return an article's text without a heading that repeats the title."""
    return cut_title(article.title, article.body)


def cut_title(title: str, body: str) -> str:
    """Return a text without a first heading that repeats the title."""
    first, _, rest = body.partition("\n")
    heading, _ = cut_attributes(first.strip())
    return (rest if heading == f"# {title}" else body).strip("\n")


def _make(
    where: str,
    identity: SiteIdentity,
    fields: Mapping[str, Any],
    text: str,
    document: str,
) -> Representation:
    """Return the page; frontmatter values are JSON, which is valid YAML."""
    head = "".join(
        f"{name}: {json.dumps(value, ensure_ascii=False)}\n"
        for name, value in fields.items()
        if value
    )
    body = f"---\n{head}---\n\n{text.rstrip()}\n"
    return Representation(
        urls.as_markdown(where),
        MARKDOWN,
        body.encode(),
        alternate=where,
        document=document,
        links=(*identity.index_links, f'<{identity.link(where)}>; rel="canonical"'),
    )
