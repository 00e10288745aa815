"""JSON-LD in a page, for search engines."""

import json

import pytest
from support.articles import make_article
from support.publication import HOSTILE

from asdlc_kb.site.layout.frame import SiteIdentity
from asdlc_kb.site.pages.json_ld import describe_article


@pytest.mark.parametrize("said", HOSTILE)
def test_hostile_words_stay_in_the_script(said: str) -> None:
    """D-091: nothing ends the element, and everything is read back unchanged."""
    article = make_article(
        "concepts/a",
        title=said,
        description=said,
        tags=(said,),
        author=said,
        published="2024-12-24",
    )
    text = describe_article(
        article, SiteIdentity(said, base_url="https://example.com/kb"), said
    )
    assert not {"<", ">", "&"} & set(text)
    told = json.loads(text)
    assert told.keys() == {"@context", "@graph"}
    shown, way = told["@graph"]
    assert shown == {
        "@type": "TechArticle",
        "headline": said,
        "description": said,
        "dateModified": "2025-01-01",
        "datePublished": "2024-12-24",
        "keywords": [said],
        "articleSection": "concepts",
        "isPartOf": {"@type": "WebSite", "name": said},
        "author": {"@type": "Person", "name": said},
        "url": "https://example.com/kb/concepts/a",
    }
    steps = [(e["position"], e["name"], e["item"]) for e in way["itemListElement"]]
    assert steps == [
        (1, said, "https://example.com/kb/"),
        (2, said, "https://example.com/kb/concepts/"),
        (3, said, "https://example.com/kb/concepts/a"),
    ]


def test_what_is_not_known_is_not_said() -> None:
    """No author, no date of publication, no public address."""
    text = describe_article(
        make_article("concepts/a"), SiteIdentity("Title"), "Concepts"
    )
    (told,) = json.loads(text)["@graph"]
    assert not {"author", "datePublished", "url"} & told.keys()
