"""Markdown files of a content root that are no articles, for its operator."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from asdlc_kb.articles.catalog import ArticleCatalog

MAX_COUNTED: Final = 10_000
"""Files counted; more are not."""


def describe_unserved(root: Path, catalog: ArticleCatalog) -> str | None:
    """Return a hint if no article is served, but there are files that are none.

    It is not for clients. Blocks: it lists the folders of the root.
    """
    if catalog.articles:
        return None
    # Imported late: a content folder with articles needs none of it.
    from asdlc_kb.files.tree_listing import count_markdown

    misplaced = count_markdown(root, _is_misplaced, MAX_COUNTED)
    bare = sum(
        any(problem.code == "KB010" for problem in entry.problems)
        for entry in catalog.snapshot.entries.values()
    )
    reasons = [
        *_count(misplaced, "not at CATEGORY/NAME.md"),
        *_count(bare, "without readable frontmatter"),
    ]
    if not reasons:
        return None
    found = " and ".join(reasons)
    return f"no article is served, only found {found}: serve them with --docs DIR"


def _is_misplaced(path: str) -> bool:
    """Whether the path is not that of an article: in one folder, ending in `.md`."""
    return path.count("/") != 1 or not path.endswith(".md")


def _count(files: int, reason: str) -> Iterator[str]:
    if files:
        least = "at least " if files == MAX_COUNTED else ""
        yield f"{least}{files:,} Markdown file{'s' if files > 1 else ''} {reason}"
