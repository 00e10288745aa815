"""The table of what was measured, as Markdown."""

from collections.abc import Sequence
from typing import Final

from benchmarks.documentation.measurement import MeasuredTree, Share

COLUMNS: Final = (
    *("repository", "generator", "pages", "marks, Markdown", "marks, HTML", "links"),
    *("anchors", "pictures", "includes refused", "order", "next page"),
)


def show_trees(trees: Sequence[MeasuredTree]) -> str:
    """Return the lines of a table with a row for each tree."""
    lines = [
        f"| {' | '.join(COLUMNS)} |",
        "|---|---|" + "---:|" * (len(COLUMNS) - 2),
        *(f"| {' | '.join(_show(tree))} |" for tree in trees),
    ]
    return "\n".join(lines) + "\n"


def show_share(share: Share) -> str:
    """Return a share in percent, never rounded up to all, with its whole."""
    if not share.of_all:
        return "-"
    percent = share.right * 1000 // share.of_all / 10
    return f"{percent:g} % of {share.of_all:,}"


def _show(tree: MeasuredTree) -> Sequence[str]:
    shares = (tree.links, tree.anchors, tree.pictures)
    return (
        tree.name,
        tree.generator or "-",
        f"{tree.pages:,}",
        f"{tree.marked_texts:,}",
        f"{tree.marked_pages:,}",
        *map(show_share, shares),
        f"{tree.refused:,}",
        show_share(tree.order),
        show_share(tree.neighbours),
    )
