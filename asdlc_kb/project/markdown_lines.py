"""Line scanner for Markdown prose: skips code and comments.

Only fenced code is recognized: in agents' files, text indented by four spaces is more
often a list than code.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from asdlc_kb.markup.blocks import LIST_MARK, BlockScanner, LineKind, read_heading
from asdlc_kb.unicode.truncation import truncate

MAX_CHARS: Final = 256 * 1024
"""Characters scanned per text."""

MAX_SUMMARY_CHARS: Final = 200
"""Characters of a description extracted from a text."""

ITEM: Final = re.compile(rf"([ \t]*+){LIST_MARK}[ \t]++(.*)")


def read_prose(text: str) -> Iterator[tuple[int, str]]:
    """Yield each line outside code and comments with its number, counted from 0.

    Stop after `MAX_CHARS` characters.
    """
    blocks = BlockScanner()
    for number, line in enumerate(text[:MAX_CHARS].split("\n")):
        if blocks.classify(line) is LineKind.TEXT:
            yield number, line


def find_title(text: str) -> str | None:
    """Return the text of the first level-1 heading, or None."""
    for _, line in read_prose(text):
        heading = read_heading(line)
        if heading and heading[0] == 1 and heading[1]:
            return heading[1]
    return None


def first_sentence(text: str) -> str:
    """Return the first sentence-like line: under `## Overview`, or of the text.

    Skip headings, items, quotes, tables and images. Empty if there is none.
    """
    first = ""
    is_overview = False
    for _, line in read_prose(text):
        heading = read_heading(line)
        if heading is not None:
            is_overview = heading[0] == 2 and heading[1].lower() == "overview"
        elif _is_sentence(line):
            if is_overview:
                return cut_short(line)
            first = first or cut_short(line)
    return first


def _is_sentence(line: str) -> bool:
    stripped = line.strip()
    return bool(stripped) and not (
        ITEM.match(line) or stripped.startswith((">", "|", "![", "---", "***", "==="))
    )


def cut_short(text: str) -> str:
    """Collapse a text to one line of at most `MAX_SUMMARY_CHARS` characters."""
    return truncate(" ".join(text.split()), MAX_SUMMARY_CHARS)


def read_items(lines: Iterable[str]) -> Iterator[str]:
    """Yield the items of a list, of any depth, each as one line."""
    item: str | None = None
    for line in lines:
        matched = ITEM.match(line)
        is_continuation = line.startswith((" ", "\t")) and line.strip()
        if item is not None and (matched or not is_continuation):
            yield item
            item = None
        if matched:
            item = matched[2].strip()
        elif item is not None:
            item = f"{item} {line.strip()}"
    if item is not None:
        yield item
