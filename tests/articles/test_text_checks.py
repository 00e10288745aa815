"""What an author did not mean to publish."""

import re
from pathlib import Path

import pytest
from support.files import save_over
from support.knowledge import article_text, settled_clock

from asdlc_kb.articles.article import Article
from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.articles.text_checks import TEMPLATE_DESCRIPTION, check_text

_END = re.compile(":| is shown")
CONFLICT = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> branch\n"


def check(root: Path, body: str, **fields: object) -> list[tuple[int, str]]:
    """Return the mistakes of an article with a body: line, and begin of the message."""
    save_over(root / "a" / "b.md", article_text("a/b", body=body, **fields))
    catalog = ArticleLibrary(root, clock=settled_clock).load()
    article = catalog.snapshot.entries["a/b.md"].value
    assert isinstance(article, Article)
    return [(line, _END.split(message)[0]) for line, message in check_text(article)]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("", (0, "a visible article has no text")),
        (f"x\n{CONFLICT}", (2, "a merge conflict")),
        ("x\n\n```sh\nls\n\n## Next\n", (3, "a code block is not closed")),
        ("x\n[a](my page.md#b)\n", (2, "a link with a blank")),
        ("![a](../img/my pic.png)\n", (1, "a link with a blank")),
        ("```\nx\n```\n~~~\ny", (4, "a code block is not closed")),
        (
            "x\n##Next\n",
            (2, "a heading without a space after its '#'"),
        ),
    ],
)
def test_a_mistake_has_its_line(
    tmp_path: Path, body: str, found: tuple[int, str]
) -> None:
    """Of the body; the text that readers see differs from the author's."""
    assert check(tmp_path, body) == [found]


@pytest.mark.parametrize(
    "body",
    [
        f"```\n{CONFLICT}```\n",
        f"    {CONFLICT}",
        "Title\n=======\n",
        ">>>>>>> deep quote\n",
        "```\n##x\n```",
        "```\nx\n```",
        "#hashtag and ## not at the beginning\n",
        "1. Step\n\n   ```sh\n   ls\n   ```\n",
        "###\n",
        "`[a](my page.md)` and ``[a](my page.md)``\n",
        "[a](<my page.md>) [b](my%20page.md) [c](a.md 'my title.md') [d](a.md)\n",
    ],
)
def test_what_only_looks_like_a_mistake_is_none(tmp_path: Path, body: str) -> None:
    """Code, headings, quotes and tags."""
    assert check(tmp_path, body) == []


def test_only_a_visible_article_has_to_be_finished(tmp_path: Path) -> None:
    """A new draft is no problem; published as it is, it has no text."""
    template = {"description": f'"{TEMPLATE_DESCRIPTION}"'}
    assert check(tmp_path, "", status="Draft", **template) == []
    assert check(tmp_path, "", status="Live", **template) == [
        (0, "a visible article has no text"),
        (0, "the description is that of the template"),
    ]
    assert check(tmp_path, CONFLICT, status="Draft") == [(1, "a merge conflict")]
