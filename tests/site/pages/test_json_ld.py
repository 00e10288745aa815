"""JSON-LD in a page, for search engines."""

import json

import pytest
from support.articles import make_article
from support.publication import HOSTILE

from asdlc_kb.site.layout.frame import Link, SiteIdentity
from asdlc_kb.site.pages.json_ld import describe_article, describe_page


@pytest.mark.parametrize("phrase", HOSTILE)
def test_hostile_words_stay_in_the_script(phrase: str) -> None:
    """D-091: nothing ends the element, and everything is read back unchanged."""
    article = make_article(
        "concepts/a",
        title=phrase,
        description=phrase,
        tags=(phrase,),
        author=phrase,
        published="2024-12-24",
    )
    text = describe_article(
        article, SiteIdentity(phrase, base_url="https://example.com/kb"), phrase
    )
    assert not {"<", ">", "&"} & set(text)
    entity = json.loads(text)
    assert entity.keys() == {"@context", "@graph"}
    shown, way = entity["@graph"]
    assert shown == {
        "@type": "TechArticle",
        "headline": phrase,
        "description": phrase,
        "dateModified": "2025-01-01",
        "datePublished": "2024-12-24",
        "keywords": [phrase],
        "articleSection": "concepts",
        "isPartOf": {"@type": "WebSite", "name": phrase},
        "author": {"@type": "Person", "name": phrase},
        "url": "https://example.com/kb/concepts/a",
    }
    steps = [(e["position"], e["name"], e["item"]) for e in way["itemListElement"]]
    assert steps == [
        (1, phrase, "https://example.com/kb/"),
        (2, phrase, "https://example.com/kb/concepts/"),
        (3, phrase, "https://example.com/kb/concepts/a"),
    ]


def test_what_is_not_known_is_not_said() -> None:
    """No author, no date of publication, no public address."""
    text = describe_article(
        make_article("concepts/a"), SiteIdentity("Title"), "Concepts"
    )
    (entity,) = json.loads(text)["@graph"]
    assert not {"author", "datePublished", "url"} & entity.keys()


def test_a_page_is_described_with_the_pages_above_it() -> None:
    """Groups have no page, so search engines cannot be led there."""
    identity = SiteIdentity("Title", base_url="https://example.com/kb")
    page = Link("/docs/a/b", "</script>")
    above = (Link("", "Group"), Link("/docs/a/", "A"))
    text = describe_page(identity, page, "What it is", "2026-01-02", above)
    assert "<" not in text
    shown, way = json.loads(text)["@graph"]
    assert shown["headline"] == "</script>"
    assert shown["dateModified"] == "2026-01-02"
    assert shown["url"] == "https://example.com/kb/docs/a/b"
    assert [step["item"] for step in way["itemListElement"]] == [
        "https://example.com/kb/",
        "https://example.com/kb/docs/a/",
        "https://example.com/kb/docs/a/b",
    ]
    bare = describe_page(SiteIdentity("Title"), page, "What it is", "", above)
    (node,) = json.loads(bare)["@graph"]
    assert not {"dateModified", "url"} & node.keys()
