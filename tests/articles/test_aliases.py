"""Aliases of articles: read from metadata, searched like tags, checked."""

import json

import pytest
from support.knowledge import KnowledgeBase
from support.library import loaded

from asdlc_kb.articles.article import Article
from asdlc_kb.articles.documents import ArticleSource
from asdlc_kb.articles.schema import read_article
from asdlc_kb.files.reader import RawFile
from asdlc_kb.files.signature import Signature
from asdlc_kb.frontmatter.search_terms import MAX_TERM_CHARS, MAX_TERMS

HEAD = "title: T\ndescription: D\nlastUpdated: 2025-01-01\nstatus: Live\n"
LINE = HEAD.count("\n") + 2
"""The line of the file on which the field begins."""


def read(aliases: str) -> tuple[Article, list[str]]:
    """Return the article with a value of the field, and its problems."""
    text = f"---\n{HEAD}aliases: {aliases}\n---\nText.\n"
    found = read_article(RawFile("a/b.md", Signature(0, 0, 0, 0, 0), b"", text))
    assert isinstance(found.value, Article)
    return found.value, [str(problem) for problem in found.problems]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("RAG", ("RAG",)),
        ("RAG,  Retrieval  Augmentation", ("RAG", "Retrieval Augmentation")),
        ('[RAG, "a, b"]', ("RAG", "a, b")),
        ("[RAG, RAG, /old/path/]", ("RAG",)),
        ("[1.10, yes]", ("1.10", "yes")),
        ("/old/path/", ()),
        ("~", ()),
        ("[]", ()),
    ],
)
def test_a_list_or_a_text_states_aliases(
    written: str, expected: tuple[str, ...]
) -> None:
    """Former addresses are none; nothing of this is a problem."""
    article, problems = read(written)
    assert article.aliases == expected
    assert problems == []


def test_an_article_without_the_field_has_none() -> None:
    """Whatever else is in its metadata."""
    assert read("x\nother: y")[0].aliases == ("x",)
    assert read("~\nother: y")[0].aliases == ()


def test_aliases_stay_in_the_metadata_as_written() -> None:
    """D-191: what get_article answers is as it was, limits or not."""
    article, _ = read("[RAG, /old/, [x]]")
    assert article.metadata == {"aliases": ["RAG", "/old/", ["x"]]}
    assert article.aliases == ("RAG",)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("{a: b}", "aliases must be a list of strings: [a, b]"),
        ("[a, [b]]", "write each alias as a string: [a, b]"),
        ('[a, ""]', "an alias is empty: remove it"),
        ("[a, ~]", "an alias is empty: remove it"),
        ('"a,,b"', "an alias is empty: remove it"),
        (
            f"[a, {'x' * (MAX_TERM_CHARS + 1)}]",
            f"an alias has {MAX_TERM_CHARS + 1} characters and is not searched: "
            f"at most {MAX_TERM_CHARS}",
        ),
        (
            json.dumps([f"a{number}" for number in range(MAX_TERMS + 1)]),
            f"{MAX_TERMS + 1} aliases: only the first {MAX_TERMS} are searched",
        ),
    ],
)
def test_what_is_not_searched_is_reported(written: str, message: str) -> None:
    """The article is served, with its other aliases."""
    article, (problem,) = read(written)
    place, _, text = problem.partition(" KB019 ")
    assert text == message
    assert place.startswith(f"a/b.md:{LINE}:")
    assert article.aliases[:1] == (() if written.startswith("{") else ("a",)) or (
        article.aliases[0] == "a0"
    )


def test_an_alias_counts_two_points_as_a_tag(knowledge: KnowledgeBase) -> None:
    """Below a title, above a description; a tag and an alias count once."""
    knowledge.write("concepts/described", description="On RAG", title="C")
    knowledge.write("concepts/named", aliases="[RAG, Retrieval]", title="B")
    knowledge.write("concepts/titled", title="RAG")
    knowledge.write("concepts/both", aliases="rag", tags="[rag]", title="A")
    found = loaded(knowledge).catalog.search("rag", None, 9).articles
    assert [article.slug for article in found] == [
        *("titled", "both", "named", "described"),
    ]


def test_the_full_text_has_aliases(knowledge: KnowledgeBase) -> None:
    """As names of the document, not as its tags."""
    knowledge.write("concepts/named", aliases="[RAG, /old/]", tags="[x]")
    document = ArticleSource(loaded(knowledge).catalog).document("concepts/named")
    assert (document.aliases, document.tags) == (("RAG",), ("x",))


def test_aliases_of_hidden_articles_are_found_nowhere(knowledge: KnowledgeBase) -> None:
    """Nor do they count."""
    knowledge.write("concepts/hidden", aliases="[Retrievalism]", status="Draft")
    knowledge.write("concepts/seen", aliases="[Retrieval]")
    catalog = loaded(knowledge).catalog
    assert catalog.search("retrievalism", None, 9).total == 0
    assert catalog.search("retrieval", None, 9).total == 1
