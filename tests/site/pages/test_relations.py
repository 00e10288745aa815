"""Relations of visible articles."""

from support.knowledge import KnowledgeBase, settled_clock

from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.site.pages.relations import Relation, RelationReader


def load(knowledge: KnowledgeBase) -> ArticleLibrary:
    """Return a loaded library."""
    library = ArticleLibrary(knowledge.root, clock=settled_clock)
    library.load()
    return library


def test_articles_name_each_other(knowledge: KnowledgeBase) -> None:
    """By `relatedIds` and by links, each pair once; no article names itself."""
    knowledge.write(
        "concepts/a",
        relatedIds="[b, concepts/a, concepts/known-draft, nowhere]",
        body="[b](../patterns/b.md) [c](../patterns/c.md) [a](a.md) [x](//x/a.md) "
        "[h](known-draft.md) `[d](../patterns/d.md)` kb://article/d <kb://article/e>\n",
    )
    for name in "bcde":
        knowledge.write(f"patterns/{name}")
    relations = RelationReader().read(load(knowledge).catalog)
    assert set(relations.all) == {
        Relation("concepts/a", "patterns/b", "related"),
        Relation("concepts/a", "patterns/c", "link"),
        Relation("concepts/a", "patterns/e", "link"),
    }
    assert relations.names == {"concepts/a": ("patterns/b",)}
    assert relations.named_by == {f"patterns/{name}": ("concepts/a",) for name in "bce"}


def test_relations_follow_the_articles(knowledge: KnowledgeBase) -> None:
    """D-002: hidden articles neither name others nor are named."""
    knowledge.write("concepts/a", body="[b](b.md)")
    knowledge.write("concepts/b")
    library, relator = load(knowledge), RelationReader()
    assert len(relator.read(library.catalog).all) == 1
    knowledge.write("concepts/b", status="Draft")
    library.publish(library.scan())
    assert relator.read(library.catalog).all == ()
    knowledge.write("concepts/b")
    knowledge.write("concepts/a", status="Draft", body="[b](b.md)")
    library.publish(library.scan())
    assert relator.read(library.catalog).all == ()
