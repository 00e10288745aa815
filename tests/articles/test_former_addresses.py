"""Former addresses of articles (D-220): the last names that are tried."""

import json

import pytest
from support.knowledge import KnowledgeBase
from support.library import loaded, rescan
from support.peers import open_app, serving
from support.publishing import find_page, open_site
from support.site import message

from asdlc_kb.articles.catalog import ArticleCatalog
from asdlc_kb.exceptions import ArticleAmbiguous, ArticleNotFound
from asdlc_kb.site.representation import Moved

RENAMED = "[/concepts/rag, old/first-name.html, /loop/]"


@pytest.fixture
def catalog(knowledge: KnowledgeBase) -> ArticleCatalog:
    """An article that was renamed and moved, and one that has one of its names."""
    knowledge.write("patterns/retrieval", title="Retrieval", aliases=RENAMED)
    knowledge.write("concepts/loop", title="Loop")
    return loaded(knowledge).catalog


@pytest.mark.parametrize(
    "written",
    [
        *("concepts/rag", "/concepts/rag", "/concepts/rag/", "concepts/rag.md"),
        *("kb://article/rag", "rag", "RAG", "Concepts/RAG", "first-name"),
        *("https://kb.example.com/concepts/rag?a=b#signs", "old/first-name"),
    ],
)
def test_a_former_name_finds_the_article(catalog: ArticleCatalog, written: str) -> None:
    """In every form in which a name may be written."""
    assert catalog.look_up(written).id == "patterns/retrieval"
    former = catalog.find_former(written)
    assert former is not None and former.id == "patterns/retrieval"


def test_a_name_that_an_article_has_is_not_a_former_one(
    catalog: ArticleCatalog,
) -> None:
    """Its owner today gets the requests, also in another case."""
    for written in ("loop", "LOOP", "concepts/loop"):
        assert catalog.look_up(written).id == "concepts/loop"
        assert catalog.find_former(written) is None


def test_a_former_name_of_two_articles_stands_for_neither(
    knowledge: KnowledgeBase,
) -> None:
    """The error names both, as for a slug in two categories."""
    knowledge.write("concepts/a", aliases="/concepts/both")
    knowledge.write("concepts/b", aliases="/patterns/both")
    catalog = loaded(knowledge).catalog
    with pytest.raises(ArticleAmbiguous) as caught:
        catalog.look_up("both")
    assert set(caught.value.candidates) == {"concepts/a", "concepts/b"}
    assert catalog.find_former("both") is None
    assert catalog.look_up("concepts/both").id == "concepts/a"


def test_former_names_of_hidden_articles_do_not_exist(
    knowledge: KnowledgeBase,
) -> None:
    """D-002; and the name of a hidden article may be a visible one's former name."""
    knowledge.write("concepts/draft", status="Draft", aliases="/concepts/was-draft")
    knowledge.write("concepts/shown", aliases="/concepts/draft")
    catalog = loaded(knowledge).catalog
    with pytest.raises(ArticleNotFound):
        catalog.look_up("concepts/was-draft")
    assert catalog.find_former("concepts/was-draft") is None
    assert catalog.look_up("concepts/draft").id == "concepts/shown"


def test_a_changed_alias_counts_at_once(knowledge: KnowledgeBase) -> None:
    """The names of a catalog are those of its files, also after an edit."""
    knowledge.write("concepts/a", aliases="/concepts/one")
    library = loaded(knowledge)
    assert library.catalog.look_up("concepts/one").id == "concepts/a"
    knowledge.write("concepts/a", aliases="/concepts/two")
    assert rescan(library).look_up("concepts/two").id == "concepts/a"
    with pytest.raises(ArticleNotFound):
        library.catalog.look_up("concepts/one")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/concepts/rag", "/patterns/retrieval"),
        ("/concepts/rag.html", "/patterns/retrieval"),
        ("/concepts/rag.md", "/patterns/retrieval.md"),
        ("/articles/rag", "/patterns/retrieval"),
        ("/old/first-name.html", "/patterns/retrieval"),
    ],
)
def test_the_website_redirects_a_former_address(
    knowledge: KnowledgeBase, path: str, expected: str
) -> None:
    """To the page of today, as Markdown too."""
    knowledge.write("patterns/retrieval", aliases=RENAMED)
    knowledge.write("concepts/draft", status="Draft", aliases="/concepts/was-draft")
    site = open_site(knowledge)
    assert site.find(site.snapshot, path) == Moved(expected)
    assert find_page(site, expected).path == expected
    assert site.find(site.snapshot, "/concepts/was-draft") is None
    assert site.find(site.snapshot, "/rag") is None


async def test_an_agent_gets_the_article_by_its_former_name(
    knowledge: KnowledgeBase,
) -> None:
    """An old citation works; the answer has the name of today."""
    knowledge.write("patterns/retrieval", aliases=RENAMED)
    async with serving(open_app(knowledge)) as served:
        params = {"name": "get_article", "arguments": {"slug": "concepts/rag"}}
        called = await served.post(message("tools/call", params))
        moved = await served.fetch("/concepts/rag")
    (text,) = json.loads(called.body)["result"]["content"]
    assert json.loads(text["text"])["slug"] == "retrieval"
    assert moved.code == 301
    assert moved.headers["Location"] == "/patterns/retrieval"
