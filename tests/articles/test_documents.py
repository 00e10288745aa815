"""Articles as full-text search reads them."""

from support.canary import CANARY
from support.knowledge import KnowledgeBase
from support.library import loaded, rescan

from asdlc_kb.articles.documents import ArticleSource
from asdlc_kb.search.values import IndexedSection, SearchDocument

BODY = """\
Before.

## One *more*

Text with a [link](x.md).

### Two

`code`
"""


def test_an_article_is_a_document_of_sections(knowledge: KnowledgeBase) -> None:
    """Plain text, and the lines of the file: a hit's position is there."""
    path = knowledge.write(
        "concepts/loops", title="Loops", description="About", tags="[a, b]", body=BODY
    )
    source = ArticleSource(loaded(knowledge).catalog)
    text = dict(enumerate(path.read_text().split("\n"), 1))
    assert (text[9], text[11], text[15]) == ("Before.", "## One *more*", "### Two")
    assert source.document("concepts/loops") == SearchDocument(
        key="concepts/loops",
        digest=source.digests()["concepts/loops"],
        title="Loops",
        description="About",
        tags=("a", "b"),
        category="concepts",
        sections=(
            IndexedSection("", "", 0, 9, "Before."),
            IndexedSection("One more", "one-more", 2, 11, "Text with a link."),
            IndexedSection("Two", "two", 3, 15, "code"),
        ),
    )


def test_hidden_articles_are_no_documents(knowledge: KnowledgeBase) -> None:
    """D-087: only visible articles are indexed, not even the names of others."""
    source = ArticleSource(loaded(knowledge).catalog)
    assert list(source.digests()) == ["concepts/links-to-hidden"]
    assert CANARY not in repr(source.digests())
    assert CANARY not in repr(source.document("concepts/links-to-hidden"))


def test_a_digest_is_that_of_the_file(knowledge: KnowledgeBase) -> None:
    """Another version of an article is another document, and only of that article."""
    knowledge.write("concepts/one", body="Text.\n")
    knowledge.write("concepts/same", body="Text.\n")
    library = loaded(knowledge)
    before = ArticleSource(library.catalog).digests()
    knowledge.write("concepts/one", body="Texts.\n")
    after = ArticleSource(rescan(library)).digests()
    assert before.keys() == after.keys()
    changed = {key for key, digest in after.items() if before[key] != digest}
    assert changed == {"concepts/one"}


def test_a_source_stays_as_it_was_taken(knowledge: KnowledgeBase) -> None:
    """All of it is from one snapshot, whatever the library does meanwhile."""
    path = knowledge.write("concepts/one", title="One")
    library = loaded(knowledge)
    source = ArticleSource(library.catalog)
    digests = dict(source.digests())
    path.unlink()
    assert "concepts/one" not in rescan(library).by_id
    assert source.digests() == digests
    assert source.document("concepts/one").title == "One"
