"""Structured data of a page for search engines: schema.org as JSON-LD."""

import json
from collections.abc import Iterable, Mapping
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
    fields: dict[str, Any] = {
        "dateModified": article.last_updated,
        "keywords": list(article.tags),
        "articleSection": article.category,
    }
    if article.published:
        fields["datePublished"] = article.published
    if article.author:
        fields["author"] = {"@type": "Person", "name": article.author}
    page = Link(urls.of_article(article), article.title)
    category = Link(urls.of_category(article.category), section)
    return _write(identity, page, article.description, (category,), fields)


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
    fields = {"dateModified": date} if date else {}
    return _write(identity, page, description, above, fields)


def _write(
    identity: SiteIdentity,
    page: Link,
    description: str,
    above: Iterable[Link],
    fields: Mapping[str, Any],
) -> str:
    """Return a page, and its breadcrumbs if the public address is known."""
    node = {
        "@type": "TechArticle",
        "headline": page.title,
        "description": description,
        "isPartOf": {"@type": "WebSite", "name": identity.title},
        **fields,
    }
    nodes = [node]
    if identity.base_url:
        node["url"] = identity.locate(page.address)
        home = Link(urls.HOME, identity.title)
        linked = (link for link in (home, *above, page) if link.address)
        nodes.append(_list_breadcrumbs(identity, linked))
    document = {"@context": "https://schema.org", "@graph": nodes}
    text = json.dumps(document, ensure_ascii=False)
    return "".join(_ESCAPES.get(character, character) for character in text)


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
