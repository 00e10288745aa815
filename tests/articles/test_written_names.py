"""Names of articles as models write them, and near names."""

import pytest
from support.knowledge import KnowledgeBase

from asdlc_kb.articles.catalog import ArticleCatalog
from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.articles.written_names import ArticleNames, list_exact_names
from asdlc_kb.exceptions import ArticleAmbiguous, ArticleNotFound, ArticleUnreadable


@pytest.fixture
def catalog(knowledge: KnowledgeBase) -> ArticleCatalog:
    """Articles that differ in case, category and title."""
    knowledge.write("concepts/context-rot", title="Context Rot")
    knowledge.write("concepts/twice", title="First of two")
    knowledge.write("patterns/twice", title="Second of two")
    knowledge.write("patterns/Case", title="Alike")
    knowledge.write("practices/case", title="Alike")
    knowledge.write("patterns/c-sharp", title="C# & .NET")
    knowledge.write("patterns/broken", title=None)
    return load(knowledge)


def load(knowledge: KnowledgeBase) -> ArticleCatalog:
    """Return the catalog of a base."""
    return ArticleLibrary(knowledge.root).load()


@pytest.mark.parametrize(
    ("written", "id"),
    [
        ("context-rot", "concepts/context-rot"),
        ("concepts/context-rot", "concepts/context-rot"),
        ("kb://article/context-rot", "concepts/context-rot"),
        ("kb://article/concepts%2Fcontext-rot", "concepts/context-rot"),
        ("kb://article/context-rot#signs", "concepts/context-rot"),
        ("context-rot.md", "concepts/context-rot"),
        ("concepts/context-rot.md", "concepts/context-rot"),
        ("./content/concepts/context-rot.md", "concepts/context-rot"),
        ("/concepts/context-rot", "concepts/context-rot"),
        ("/concepts/context-rot/", "concepts/context-rot"),
        ("/concepts/context-rot#signs", "concepts/context-rot"),
        ("https://kb.example.org/concepts/context-rot", "concepts/context-rot"),
        ("https://example.org/kb/concepts/context-rot/?a=b", "concepts/context-rot"),
        ("http://127.0.0.1:8420/concepts/context-rot.html", "concepts/context-rot"),
        ("Context Rot", "concepts/context-rot"),
        ("context  ROT ", "concepts/context-rot"),
        ("Context-Rot", "concepts/context-rot"),
        ("Concepts/Context-Rot.MD", "concepts/context-rot"),
        ("C# & .NET", "patterns/c-sharp"),
        ("Second of two", "patterns/twice"),
        ("Case", "patterns/Case"),
        ("case.md", "practices/case"),
        ("Patterns/twice", "patterns/twice"),
    ],
)
def test_the_article_that_is_meant_is_found(
    catalog: ArticleCatalog, written: str, id: str
) -> None:
    """Exact names win over names in another case."""
    assert catalog.look_up(written).id == id


def test_an_alias_is_the_name_of_its_article(knowledge: KnowledgeBase) -> None:
    """D-191: after slugs and titles, and never that of a hidden article."""
    aliases = "[gooney bird, gull, Known draft]"
    knowledge.write("concepts/albatross", aliases=aliases)
    knowledge.write("concepts/gull", aliases="[Gooney Birds, mew]")
    knowledge.write("concepts/tern", aliases="[mew]")
    knowledge.write("concepts/hidden", aliases="[mollymawk]", status="Draft")
    catalog = load(knowledge)
    assert catalog.look_up("Gooney  bird").id == "concepts/albatross"
    assert catalog.look_up("Gull").id == "concepts/gull"
    with pytest.raises(ArticleAmbiguous):
        catalog.look_up("mew")
    with pytest.raises(ArticleNotFound):
        catalog.look_up("mollymawk")


@pytest.mark.parametrize(
    "written",
    [
        *("", " ", "/", "concepts/", "kb://article/", "kb://doc/context-rot"),
        *("x/context-rot", "../concepts/context-rot", "concepts/../concepts/twice"),
        *("context", "context-rot/x", "kb://article/known-draft", "https://x"),
        *("concepts/known-draft.md", "Known-Draft", "%63ontext-rot", "http://["),
    ],
)
def test_nothing_else_is_found(catalog: ArticleCatalog, written: str) -> None:
    """A name is never guessed: the near ones are suggested. The error repeats it."""
    with pytest.raises(ArticleNotFound) as caught:
        catalog.look_up(written)
    assert str(caught.value) == f"Article '{written}' not found"


@pytest.mark.parametrize(
    ("written", "candidates"),
    [
        ("TWICE", ("concepts/twice", "patterns/twice")),
        ("kb://article/twice", ("concepts/twice", "patterns/twice")),
        ("CASE", ("patterns/Case", "practices/case")),
        ("alike", ("patterns/Case", "practices/case")),
    ],
)
def test_a_name_of_several_articles_is_ambiguous(
    catalog: ArticleCatalog, written: str, candidates: tuple[str, ...]
) -> None:
    """D-003: the error names them, visible ones only."""
    with pytest.raises(ArticleAmbiguous) as caught:
        catalog.look_up(written)
    assert sorted(caught.value.candidates) == sorted(candidates)


def test_a_hidden_twin_does_not_count(knowledge: KnowledgeBase) -> None:
    """D-002: neither as a candidate nor as a near name."""
    knowledge.write("concepts/one", title="The Same")
    knowledge.write("patterns/one", title="The Same", status="Draft")
    knowledge.write("patterns/ONE", title="The Same", status="Draft")
    catalog = load(knowledge)
    for written in ("One", "the same", "kb://article/one", "one.md"):
        assert catalog.look_up(written).id == "concepts/one"
    assert catalog.find_near("ones") == ("one",)
    assert catalog.find_near("known-drafts") == ()


def test_an_article_that_breaks_the_schema_is_found_as_such(
    catalog: ArticleCatalog,
) -> None:
    """D-005: under the names of its file."""
    for written in ("broken", "patterns/broken.md", "kb://article/broken"):
        with pytest.raises(ArticleUnreadable):
            catalog.look_up(written)


def test_near_names_are_those_that_tools_take(catalog: ArticleCatalog) -> None:
    """By slug and title; `category/slug` where a slug repeats."""
    assert catalog.find_near("contxt rot") == ("context-rot",)
    assert catalog.find_near("kb://article/concepts/contextrot") == ("context-rot",)
    assert catalog.find_near("twic") == ("concepts/twice", "patterns/twice")
    assert catalog.find_near("frist of two")[0] == "concepts/twice"
    assert catalog.find_near("kubernetes") == ()
    assert not ArticleNames(()).find_near("x")
    assert not ArticleNames(()).find("x")


@pytest.mark.parametrize("written", ["", "x", "a/b.md", "https://e.org/a/b", "../a"])
def test_the_first_exact_name_is_the_one_given(written: str) -> None:
    """So an exact name is found first."""
    assert next(list_exact_names(written)) == written
