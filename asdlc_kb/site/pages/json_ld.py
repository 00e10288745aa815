"""Structured data of a page for search engines: schema.org as JSON-LD."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from asdlc_kb.articles.article import Article
from asdlc_kb.site import urls
from asdlc_kb.site.layout.frame import Link, SiteIdentity

_ESCAPES: Final = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}
"""Escapes, so that no text can end the enclosing script element."""


def describe_article(article: Article, identity: SiteIdentity, section: str) -> str:
    """Return an article and its breadcrumbs as JSON-LD that is safe in HTML.

    `section` is the title of its category.
    """
    return _write(_describe(article, identity, section))


def describe_page(
    identity: SiteIdentity,
    page: Link,
    description: str,
    date: str,
    above: Iterable[Link],
) -> str:
    """Return a page of documentation as JSON-LD that is safe in HTML.

    `above` are the entries above it in the sidebar, some of them without an address.
    """
    node = {
        "@type": "TechArticle",
        "headline": page.title,
        "description": description,
        "isPartOf": {"@type": "WebSite", "name": identity.title},
    }
    if date:
        node["dateModified"] = date
    if not identity.base_url:
        return _write((node,))
    node["url"] = identity.locate(page.address)
    home = Link(urls.HOME, identity.title)
    linked = (link for link in (home, *above, page) if link.address)
    return _write((node, _list_breadcrumbs(identity, linked)))


def _write(nodes: Iterable[Mapping[str, Any]]) -> str:
    document = {"@context": "https://schema.org", "@graph": list(nodes)}
    text = json.dumps(document, ensure_ascii=False)
    return "".join(_ESCAPES.get(character, character) for character in text)


def _describe(
    article: Article, identity: SiteIdentity, section: str
) -> Iterator[dict[str, Any]]:
    """Yield the article, and its breadcrumbs if the public address is known."""
    node: dict[str, Any] = {
        "@type": "TechArticle",
        "headline": article.title,
        "description": article.description,
        "dateModified": article.last_updated,
        "keywords": list(article.tags),
        "articleSection": article.category,
        "isPartOf": {"@type": "WebSite", "name": identity.title},
    }
    if article.published:
        node["datePublished"] = article.published
    if article.author:
        node["author"] = {"@type": "Person", "name": article.author}
    if identity.base_url:
        node["url"] = identity.locate(urls.of_article(article))
    yield node
    if identity.base_url:
        above = urls.of_category(article.category)
        breadcrumbs = (
            Link(urls.HOME, identity.title),
            Link(above, section),
            Link(urls.of_article(article), article.title),
        )
        yield _list_breadcrumbs(identity, breadcrumbs)


def _list_breadcrumbs(identity: SiteIdentity, links: Iterable[Link]) -> dict[str, Any]:
    return {
        "@type": "BreadcrumbList",
        "itemListElement": [
            {
                "@type": "ListItem",
                "position": number,
                "name": link.title,
                "item": identity.locate(link.address),
            }
            for number, link in enumerate(links, 1)
        ],
    }
