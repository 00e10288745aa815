"""Files of a content root that are no articles, for its operator."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from asdlc_kb.articles.catalog import ArticleCatalog
from asdlc_kb.articles.status import ArticleStatus
from asdlc_kb.exceptions import FrontmatterError, UnreadableFile
from asdlc_kb.files.problem import Problem
from asdlc_kb.files.reader import ChangedWhileRead, read_file
from asdlc_kb.frontmatter.nodes import Scalar
from asdlc_kb.frontmatter.parser import parse, split

MAX_COUNTED: Final = 10_000
"""Files counted; more are not."""

_PUBLISHED: Final = {status.value for status in ArticleStatus if status.is_visible}


def describe_unserved(root: Path, catalog: ArticleCatalog) -> str | None:
    """Return a hint if no article is served, but there are files that are none.

    It is not for clients. Blocks: it lists the folders of the root.
    """
    if catalog.articles:
        return None
    misplaced = _find_misplaced(root)
    bare = sum(
        any(problem.code == "KB010" for problem in entry.problems)
        for entry in catalog.snapshot.entries.values()
    )
    reasons = [
        *_count(len(misplaced), "not at CATEGORY/NAME.md"),
        *_count(bare, "without readable frontmatter"),
    ]
    if reasons:
        advice = "serve them with --docs DIR"
        if any(_is_published(root, path) for path in misplaced):
            advice = "name the folder of the categories, or move them into one"
        return f"no article is served, only found {' and '.join(reasons)}: {advice}"
    if catalog.snapshot.entries:
        return None
    # Imported late, as the listing.
    from asdlc_kb.files.other_formats import describe_other_formats

    other = describe_other_formats(root)
    return other and f"no article is served: {other}"


def check_places(root: Path) -> Iterator[Problem]:
    """Yield the files with the frontmatter of a visible article that are not served."""
    for path in _find_misplaced(root):
        if _is_published(root, path):
            advice = "move it to CATEGORY/NAME.md"
            if path.count("/") == 1:
                advice = "let its name end in '.md'"
            yield Problem(path, 1, 1, "KB002", f"the article is not served: {advice}")


def _find_misplaced(root: Path) -> Sequence[str]:
    # Imported late: a content folder with articles needs none of it.
    from asdlc_kb.files.tree_listing import find_markdown

    return find_markdown(root, _is_misplaced, MAX_COUNTED)


def _is_misplaced(path: str) -> bool:
    """Whether the path is not that of an article: in one folder, ending in `.md`."""
    return path.count("/") != 1 or not path.endswith(".md")


def _is_published(root: Path, path: str) -> bool:
    """Whether a file has the status and the date of a visible article."""
    from asdlc_kb.files.tree_listing import check_page_path

    try:
        text = read_file(root, path, judge=check_page_path).text
        fields = parse(split(text).frontmatter or "").items
    except (OSError, UnreadableFile, ChangedWhileRead, FrontmatterError):
        return False
    status = fields.get("status")
    is_visible = isinstance(status, Scalar) and status.text in _PUBLISHED
    return is_visible and "lastUpdated" in fields


def _count(files: int, reason: str) -> Iterator[str]:
    if files:
        least = "at least " if files == MAX_COUNTED else ""
        yield f"{least}{files:,} Markdown file{'s' if files > 1 else ''} {reason}"
