"""Frontmatter fields that the format does not have."""

import json

from asdlc_kb.articles.article import Article
from asdlc_kb.articles.metadata import MAX_FIELDS, MAX_JSON_CHARS
from asdlc_kb.articles.schema import read_article
from asdlc_kb.files.reader import RawFile
from asdlc_kb.files.signature import Signature

KNOWN = """title: T
description: D
lastUpdated: 2025-01-01
status: Live
tags: [a]
maturity: Standard
author: A
publishedDate: 2025-01-01
relatedIds: [x]
supersededBy: [y]
references: [z]
"""


def read(fields: str) -> tuple[Article, list[str]]:
    """Return the article with further fields, and its problems."""
    text = f"---\n{KNOWN}{fields}---\nText.\n"
    found = read_article(RawFile("a/b.md", Signature(0, 0, 0, 0, 0), b"", text))
    assert isinstance(found.value, Article)
    return found.value, [str(problem) for problem in found.problems]


def test_known_fields_are_no_metadata() -> None:
    """An article of the format alone has none."""
    assert read("")[0].metadata == {}


def test_other_fields_are_kept_as_written() -> None:
    """D-144: texts, lists, mappings and null, in the order of the file."""
    article, problems = read(
        "order: 1.10\nlevel: ~\nnested:\n  a: [yes, {b: 2025-01-01}]\n"
    )
    assert list(article.metadata.items()) == [
        ("order", "1.10"),
        ("level", None),
        ("nested", {"a": ["yes", {"b": "2025-01-01"}]}),
    ]
    assert problems == []
    assert article != read("x: y\n")[0]
    assert len({article, article}) == 1


def test_invisible_characters_are_removed() -> None:
    """D-082: from names and values; those of values are reported."""
    article, problems = read('"a\\u200bb": "c\\u202ed"\nlist: ["\\u2066e"]\n')
    assert article.metadata == {"ab": "cd", "list": ["e"]}
    assert article.removed == 2
    assert [problem.split()[1] for problem in problems] == ["KB015", "KB015"]


def test_the_number_of_fields_is_limited() -> None:
    """D-144: the first fifty; each other one is reported."""
    article, problems = read("".join(f"f{n}: x\n" for n in range(MAX_FIELDS + 2)))
    assert list(article.metadata) == [f"f{n}" for n in range(MAX_FIELDS)]
    assert problems == [
        f"a/b.md:{line}:6: KB018 a field is left out: at most 50 fields that are not "
        "in the format, 4,000 characters and 4 levels are kept"
        for line in (63, 64)
    ]


def test_the_size_of_all_fields_is_limited() -> None:
    """D-144: a field that fits is kept, whatever comes before it."""
    article, problems = read(f"a: {'x' * 3000}\nb: {'x' * 1000}\nc: {'x' * 500}\n")
    assert list(article.metadata) == ["a", "c"]
    assert len(json.dumps(article.metadata, ensure_ascii=False)) <= MAX_JSON_CHARS
    assert [problem.split(" ")[:2] for problem in problems] == [
        ["a/b.md:14:4:", "KB018"]
    ]


def test_the_depth_of_a_field_is_limited() -> None:
    """D-144: four levels of lists and mappings."""
    article, problems = read("a: [[[[x]]]]\nb: [[[[[x]]]]]\nc: {a: {b: {c: {d: e}}}}\n")
    assert list(article.metadata) == ["a", "c"]
    assert len(problems) == 1
