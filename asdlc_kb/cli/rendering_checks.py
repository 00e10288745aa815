"""Checks of `asdlc-kb check`: texts that the website cannot render in full.

Texts that the server renders in a process with limits are rendered in one here, so the
same limits apply.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final

from asdlc_kb.articles.article import Article
from asdlc_kb.corpus import CorpusSource
from asdlc_kb.docs.pages.page import DocPage
from asdlc_kb.docs.written_positions import WrittenPositions
from asdlc_kb.files.problem import Problem
from asdlc_kb.markup.code_info import read_language
from asdlc_kb.markup.highlight import MAX_CHARACTERS as MAX_CODE_CHARACTERS
from asdlc_kb.markup.highlight import is_cheap
from asdlc_kb.markup.html_renderer import (
    MAX_CHARACTERS,
    MAX_CHEAP_CHARACTERS,
    CodeBlock,
)
from asdlc_kb.markup.render_process import Rendered, RenderProcess

CODES: Final[Mapping[str, str]] = {
    "KB050": "a text of which the website shows the beginning only, because it is "
    f"too long ({MAX_CHARACTERS:,} characters), or which it shows as code, because it "
    "takes too long to render",
    "KB051": "code that is not highlighted, because it is too long "
    f"({MAX_CODE_CHARACTERS:,} characters) or takes too long",
}
"""Every code that is reported here, with its meaning."""

_OPENING = re.compile(r"(?<![`~])[`~]{3,}+([^\n`]{1,100})")


def check(
    source: CorpusSource,
    renderer: RenderProcess,
    report: Callable[[], None] = lambda: None,
) -> Iterator[Problem]:
    """Yield rendering problems of a source; raise OperationalError without a process.

    Hidden articles are checked too. `report` is called after each file.
    """
    for path, entry in sorted(source.catalog.snapshot.entries.items()):
        value = entry.value
        if isinstance(value, Article):
            locate = partial(_count_line, path, value.positions.body)
            yield from _check(renderer, locate, value.body)
        elif isinstance(value, DocPage):
            positions = WrittenPositions(source.root, value, entry.dependencies)
            yield from _check(renderer, positions.find_line, value.body)
        report()


def _count_line(path: str, first: int, number: int) -> tuple[str, int, int]:
    return path, first + number - 1, 1


def _check(
    renderer: RenderProcess, locate: Callable[[int], tuple[str, int, int]], text: str
) -> Iterator[Problem]:
    """Yield the problems of a text; `locate` returns the position of a line of it."""
    if len(text) > MAX_CHARACTERS:
        yield Problem(
            *locate(1),
            "KB050",
            f"the website shows only the beginning of {len(text):,} characters: split "
            f"the text into files of at most {MAX_CHARACTERS:,}",
        )
        return
    if _is_surely_cheap(text):
        return
    rendered = renderer.submit(text).result()
    if rendered is None:
        message = "rendering takes too long, so the text is shown as code: split it"
        yield Problem(*locate(1), "KB050", message)
        return
    for code in rendered.html.code:
        if reason := _judge(code, rendered):
            yield Problem(*locate(code.line), "KB051", reason)


def _is_surely_cheap(text: str) -> bool:
    """Whether a quick check shows that a text is cheap to render."""
    names = {read_language(info) for info in _OPENING.findall(text)}
    is_short = len(text) <= MAX_CHEAP_CHARACTERS
    return is_short and all(is_cheap(len(text), name) for name in names)


def _judge(code: CodeBlock, rendered: Rendered) -> str:
    """Return the problem of a block of code; empty if there is none."""
    if code.size > MAX_CODE_CHARACTERS:
        return (
            f"{code.size:,} characters of code are not highlighted: show at most "
            f"{MAX_CODE_CHARACTERS:,}, or link to the file"
        )
    if rendered.is_highlighted or is_cheap(code.size, code.language):
        return ""
    return (
        "highlighting takes too long, so no code of this text is highlighted: "
        "shorten this block, or name its language `text`"
    )
