"""What search engines are told of an article: schema.org's words, as JSON-LD."""

import json
from collections.abc import Iterator
from typing import Any, Final

from asdlc_kb.articles.article import Article
from asdlc_kb.site import urls
from asdlc_kb.site.layout.frame import SiteIdentity

_ESCAPES: Final = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}
"""So that nothing in it ends the script element that it stands in."""


def describe_article(article: Article, identity: SiteIdentity, section: str) -> str:
    """Return an article, and the way to it, as JSON-LD that may stand in HTML.

    `section` is what its category is called.
    """
    graph = list(_describe(article, identity, section))
    told = {"@context": "https://schema.org", "@graph": graph}
    text = json.dumps(told, ensure_ascii=False)
    return "".join(_ESCAPES.get(character, character) for character in text)


def _describe(
    article: Article, identity: SiteIdentity, section: str
) -> Iterator[dict[str, Any]]:
    """Yield the article, and where it is if the public address is known."""
    told: dict[str, Any] = {
        "@type": "TechArticle",
        "headline": article.title,
        "description": article.description,
        "dateModified": article.last_updated,
        "keywords": list(article.tags),
        "articleSection": article.category,
        "isPartOf": {"@type": "WebSite", "name": identity.title},
    }
    if article.published:
        told["datePublished"] = article.published
    if article.author:
        told["author"] = {"@type": "Person", "name": article.author}
    if identity.base_url:
        told["url"] = identity.locate(urls.of_article(article))
    yield told
    if identity.base_url:
        above = urls.of_category(article.category)
        way = [
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
                for number, (name, where) in enumerate(way, 1)
            ],
        }
