"""Frontmatter of a documentation page, and whether it hides the page.

Visibility fails closed: a page is hidden by a `status` other than Live or Experimental,
a `draft` that is not false, a `published` or `publish` that is false, and by any of
them on any line of frontmatter that cannot be parsed.

- KB013 a status that hides and is not a known one
"""

import re
import time
from collections.abc import Iterator
from collections.abc import Mapping as FieldNames
from collections.abc import Set as AbstractSet
from math import inf
from typing import Final, NamedTuple

import msgspec

from asdlc_kb.docs.pages.placement import UNREADABLE, read_placement
from asdlc_kb.docs.pages.stated_fields import FALSE
from asdlc_kb.exceptions import FrontmatterError, FrontmatterUnclosed
from asdlc_kb.files.problem import Problem
from asdlc_kb.frontmatter.json_format import begins_with_json, read_json
from asdlc_kb.frontmatter.nodes import Mapping, Scalar, Value
from asdlc_kb.frontmatter.parser import TOML_FENCE, parse, split
from asdlc_kb.frontmatter.status_scan import cut_frontmatter, scan_statuses
from asdlc_kb.frontmatter.toml_format import parse_toml
from asdlc_kb.unicode.invisible import strip_invisible

VISIBLE: Final = frozenset({"live", "experimental"})
"""Statuses of a visible page, case-insensitive."""

_HIDING: Final = frozenset({"draft", "proposed", "deprecated"})
"""The other statuses of this product."""

_LABELS: Final[FieldNames[str, frozenset[str]]] = {
    "mkdocs": frozenset({"new", "deprecated"})
}
"""Statuses that a dialect's generator shows next to the titles of pages."""

_KEY = re.compile(r"(?m)^[ \t]*+\{?+[ \t]*+[\"']?+[\w.$-]++[\"']?+[ \t]*+:")
_DRAFT = re.compile(r"(?i)\bdraft[\"']?\s*:[ \t]*[\"']?([^\s,\"'}#]*)")
_PUBLISHED = re.compile(r"(?i)\bpublish(?:ed)?[\"']?\s*:([^\n]*)")
_WORD = re.compile(r"[^\W_]+")
_BLANK = re.compile(r"(?:[ \t]*\n)*")


class SplitPage(NamedTuple):
    """A file's frontmatter and body, and a problem of the frontmatter."""

    fields: Mapping
    body: str
    problem: Problem | None = None
    is_hidden: bool = False
    lines_above: int = 0
    """Lines of the file that the lines of `fields` do not count."""


class Fragment(NamedTuple):
    """A Markdown file that is included."""

    body: str | None
    """None if it is hidden now."""
    is_dated: bool = False
    """Whether it is hidden at other times."""


def read_fragment(path: str, text: str) -> Fragment:
    """Return the body of a Markdown file that is included.

    What is not built as a page may be included.
    """
    try:
        cut = split_page(path, text)
    except FrontmatterUnclosed:
        return Fragment(None)
    placement = read_placement(path, cut.fields, "github")
    is_dated = (placement.visible_from, placement.visible_until) != (-inf, inf)
    is_timely = placement.visible_from <= time.time() < placement.visible_until
    if cut.is_hidden or is_hidden(cut.fields) or not is_timely:
        return Fragment(None, is_dated)
    return Fragment(cut.body.lstrip("\n"), is_dated)


def keeps_last_good(head: str) -> bool:
    """Whether the head of a file that is not text states nothing that hides it."""
    return not may_hide(cut_frontmatter(head))


def split_page(path: str, text: str) -> SplitPage:
    """Split off frontmatter, if there is any; blank lines above it are allowed."""
    blank = _BLANK.match(text)
    assert blank is not None
    above = text.count("\n", 0, blank.end())
    cut = _cut_top(path, text[blank.end() :])
    if cut.problem is None:
        return cut._replace(lines_above=above)
    line = cut.problem.line + above
    return cut._replace(problem=msgspec.structs.replace(cut.problem, line=line))


def _cut_top(path: str, text: str) -> SplitPage:
    if begins_with_json(text):
        try:
            return SplitPage(*read_json(text))
        except FrontmatterUnclosed:
            raise
        except FrontmatterError as error:
            return _recover(path, error, text, text)
    toml = split(text, TOML_FENCE)
    if toml.frontmatter is not None:
        stated = toml.frontmatter.replace("=", ":")
        try:
            return SplitPage(parse_toml(toml.frontmatter), toml.body)
        except FrontmatterError as error:
            return _recover(path, error, stated, toml.body)
    body = text
    try:
        parts = split(text)
        body = parts.body
        return SplitPage(parse(parts.frontmatter or ""), body)
    except FrontmatterError as error:
        if _is_rule(text):
            return SplitPage(parse(""), text)
        if isinstance(error, FrontmatterUnclosed):
            raise
        return _recover(path, error, cut_frontmatter(text), body)


def _is_rule(text: str) -> bool:
    """Whether the first line is a thematic break, followed by prose."""
    stated = cut_frontmatter(text)
    if stated is text:
        return text.partition("\n")[2].startswith("\n")
    return not (_KEY.search(stated) or may_hide(stated))


def _recover(path: str, error: FrontmatterError, stated: str, body: str) -> SplitPage:
    """Return the body of a page with invalid frontmatter, hidden if in doubt."""
    problem = Problem(path, error.line, error.column, "KB010", error.message)
    return SplitPage(parse(""), body, problem, may_hide(stated))


def is_hidden(
    fields: Mapping, dialect: str = "github", labels: AbstractSet[str] = frozenset()
) -> bool:
    """Whether the frontmatter of a page hides it; `labels` are statuses that do not."""
    return any(_list_hiding(fields, dialect, labels))


def find_unknown_status(
    path: str, cut: SplitPage, dialect: str, labels: AbstractSet[str]
) -> Problem | None:
    """Return a problem if the only field that hides a page is an unknown status."""
    hiding = [*_list_hiding(cut.fields, dialect, labels)]
    if not hiding or any(n != "status" or t in _HIDING for n, t, _ in hiding):
        return None
    value = hiding[0][2]
    message = "unknown status, so the page is hidden: write Live, or remove the status"
    line = cut.lines_above + value.line
    return Problem(path, line, value.column, "KB013", message)


def _list_hiding(
    fields: Mapping, dialect: str, labels: AbstractSet[str]
) -> Iterator[tuple[str, str | None, Value]]:
    """Yield the fields that hide their page: name, text and value."""
    shown = _LABELS.get(dialect, frozenset()) | labels
    for key, value in fields.items.items():
        name = key.strip().casefold()
        if _is_null(value):
            continue
        text = _plain(value).casefold() if isinstance(value, Scalar) else None
        if _hides(name, text) and not (name == "status" and text in shown):
            yield name, text, value


def _hides(name: str, text: str | None) -> bool:
    """Whether a field hides its page; `text` is None for lists and mappings."""
    match name:
        case "status":
            return text not in VISIBLE
        case "draft":
            return text not in FALSE
        case "publish" | "published":
            # Other generators write a date in the second one.
            return text in FALSE
        case _:
            return False


def may_hide(stated: str) -> bool:
    """Whether text that cannot be parsed has a line that would hide its page."""
    if UNREADABLE.search(stated):
        return True
    statuses = {status.casefold() for status in scan_statuses(stated)}
    drafts = {match[1].casefold() for match in _DRAFT.finditer(stated)}
    published = (_WORD.findall(m[1].casefold()) for m in _PUBLISHED.finditer(stated))
    is_withheld = any(not FALSE.isdisjoint(words) for words in published)
    return is_withheld or not (statuses <= VISIBLE and drafts <= FALSE)


def _is_null(value: Value) -> bool:
    return isinstance(value, Scalar) and value.is_null


def _plain(value: Scalar) -> str:
    """Return a value on one line, without invisible characters."""
    return " ".join(strip_invisible(value.text).split())
