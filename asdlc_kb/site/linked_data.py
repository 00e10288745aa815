"""What search engines are told of an article: schema.org's words, as JSON-LD."""

import json
from typing import Any, Final

from asdlc_kb.articles.article import Article
from asdlc_kb.site import address
from asdlc_kb.site.frame import Identity

_ESCAPES: Final = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}
"""So that nothing in it ends the script element that it stands in."""


def describe(article: Article, identity: Identity) -> str:
    """Return an article as JSON-LD that may stand in HTML."""
    told: dict[str, Any] = {
        "@context": "https://schema.org",
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
        told["url"] = identity.locate(address.of_article(article))
    text = json.dumps(told, ensure_ascii=False)
    return "".join(_ESCAPES.get(character, character) for character in text)
