"""Structured data of an article for search engines: schema.org as JSON-LD."""

import json
from collections.abc import Iterator
from typing import Any, Final

from asdlc_kb.articles.article import Article
from asdlc_kb.site import urls
from asdlc_kb.site.layout.frame import SiteIdentity

_ESCAPES: Final = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}
"""Escapes, so that no text can end the enclosing script element."""


def describe_article(article: Article, identity: SiteIdentity, section: str) -> str:
    """Return an article and its breadcrumbs as JSON-LD that is safe in HTML.

    `section` is the title of its category.
    """
    graph = list(_describe(article, identity, section))
    document = {"@context": "https://schema.org", "@graph": graph}
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
        breadcrumbs = [
            (identity.title, urls.HOME),
            (section, above),
            (article.title, urls.of_article(article)),
        ]
        yield {
            "@type": "BreadcrumbList",
            "itemListElement": [
                {
                    "@type": "ListItem",
                    "position": number,
                    "name": name,
                    "item": identity.locate(where),
                }
                for number, (name, where) in enumerate(breadcrumbs, 1)
            ],
        }
