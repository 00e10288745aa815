"""Parser of documentation pages.

Frontmatter is optional, and an unusable field is ignored. Visibility fails closed: a
page is hidden by a `status` other than Live or Experimental, a `draft` that is not
false, a `published` that is false, and by any of them on any line of frontmatter that
cannot be parsed. Nothing of a hidden page is kept.
"""

import re
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, TypeAlias

from asdlc_kb.exceptions import FrontmatterError, FrontmatterUnclosed
from asdlc_kb.files.clean_text import FieldCleaner, clean_text
from asdlc_kb.files.problem import Problem
from asdlc_kb.files.reader import RawFile
from asdlc_kb.files.snapshot import ParseResult
from asdlc_kb.frontmatter.json_format import begins_with_json, read_json
from asdlc_kb.frontmatter.nodes import Mapping, Scalar, Value
from asdlc_kb.frontmatter.parser import TOML_FENCE, parse, require_complete, split
from asdlc_kb.frontmatter.status_scan import cut_frontmatter, scan_statuses
from asdlc_kb.frontmatter.toml_format import parse_toml
from asdlc_kb.markup import sections
from asdlc_kb.markup.plain_text import cut_liquid
from asdlc_kb.markup.titles import readable_title
from asdlc_kb.unicode.invisible import strip_invisible

NAVIGATION: Final = ("sidebar.md", "topbar.md")
"""Files of the root that define the navigation; they are not pages."""

VISIBLE: Final = frozenset({"live", "experimental"})
"""Statuses of a visible page, case-insensitive."""

MAX_TITLE_CHARS: Final = 300
"""Characters; a longer title is cut."""

_MAX_TITLE_OFFSET: Final = 16 * 1024
"""Characters of a body that are searched for a heading."""

_KEY = re.compile(r"(?m)^[ \t]*+\{?+[ \t]*+[\"']?+[\w.$-]++[\"']?+[ \t]*+:")
_FALSE: Final = frozenset({"false", "no", "off", "n", "f", "0"})
_DRAFT = re.compile(r"(?i)\bdraft[\"']?\s*:[ \t]*[\"']?([^\s,\"'}#]*)")
_PUBLISHED = re.compile(r"(?i)\bpublished[\"']?\s*:([^\n]*)")
_WORD = re.compile(r"[^\W_]+")
_BLANK = re.compile(r"(?:[ \t]*\n)*")
OWN_PAGES: Final = frozenset({"index", "_index", "readme"})
"""Names of a folder's index page, case-insensitive, without suffix."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocPage:
    """One visible page."""

    path: str
    """Relative to the root, with slashes and suffix, as on disk."""
    title: str
    description: str = ""
    tags: tuple[str, ...] = ()
    body: str
    """Markdown below the frontmatter, without invisible characters."""
    body_line: int = 1
    """The line of the file on which the body begins."""
    digest: bytes
    """Of the file."""
    is_titled: bool = False
    """Whether the body has a first-level heading first, or the title as heading."""
    removed: int = 0
    """Number of invisible characters removed."""

    @property
    def text(self) -> str:
        """The page as Markdown, beginning with its title."""
        return self.body if self.is_titled else f"# {self.title}\n\n{self.body}"

    @property
    def category(self) -> str:
        """The top directory; empty for a page in the root."""
        return self.path.partition("/")[0] if "/" in self.path else ""


@dataclass(frozen=True, slots=True)
class Navigation:
    """The text of a sidebar or a topbar."""

    path: str
    body: str


PageContent: TypeAlias = DocPage | Navigation


class _SplitPage(NamedTuple):
    """A file's frontmatter and body, and a problem of the frontmatter."""

    fields: Mapping
    body: str
    problem: Problem | None = None
    is_hidden: bool = False


class _Fields(FieldCleaner):
    """Frontmatter values as texts without invisible characters."""

    __slots__ = ()

    def text(self, name: str) -> str:
        """Return a value on one line; empty if it is absent, null or not a scalar."""
        value = self.fields.items.get(name)
        if not isinstance(value, Scalar) or value.is_null:
            return ""
        return " ".join(self.clean(value).split())

    def words(self, name: str) -> tuple[str, ...]:
        """Return a list of texts; `a, b` is a list too."""
        return tuple(text for text, _ in self.clean_list(self.fields.items.get(name)))


def read_page(raw: RawFile) -> ParseResult[PageContent]:
    """Return the page in a file, with every problem of the file."""
    text, removed, invisible, unseen = clean_text(raw.path, raw.text)
    try:
        require_complete(text)
        cut = _cut(raw.path, text)
    except FrontmatterUnclosed as error:
        problem = Problem(raw.path, error.line, error.column, "KB010", error.message)
        stated = text.replace("=", ":") if text.lstrip().startswith("+++") else text
        return ParseResult(None, (problem,), keeps_last_good=not _may_hide(stated))
    problems = [cut.problem, *invisible] if cut.problem else [*invisible]
    if cut.is_hidden or _is_hidden(cut.fields):
        return ParseResult(None, tuple(problems))
    body = cut.body.lstrip("\n")
    if raw.path in NAVIGATION:
        return ParseResult(Navigation(raw.path, body), tuple(problems))
    above = text[: len(text) - len(body)]
    level, heading = sections.find_first_heading(body[:_MAX_TITLE_OFFSET])
    fields = _Fields(raw.path, cut.fields, problems, removed, unseen)
    title = fields.text("title") or heading or make_page_title(raw.path)
    page = DocPage(
        path=raw.path,
        title=title[:MAX_TITLE_CHARS],
        description=cut_liquid(fields.text("description")).strip(),
        tags=fields.words("tags"),
        body=body,
        body_line=above.count("\n") + 1,
        digest=raw.digest,
        is_titled=level == 1 or heading == title,
        removed=fields.removed,
    )
    return ParseResult(page, tuple(problems))


def keeps_last_good(head: str) -> bool:
    """Whether the head of a file that is not text states nothing that hides it."""
    return not _may_hide(cut_frontmatter(head))


def _cut(path: str, text: str) -> _SplitPage:
    """Split off frontmatter, if there is any; blank lines above it are allowed."""
    blank = _BLANK.match(text)
    assert blank is not None
    cut = _cut_top(path, text[blank.end() :])
    if cut.problem is None:
        return cut
    line = cut.problem.line + text.count("\n", 0, blank.end())
    return cut._replace(problem=replace(cut.problem, line=line))


def _cut_top(path: str, text: str) -> _SplitPage:
    if begins_with_json(text):
        try:
            return _SplitPage(*read_json(text))
        except FrontmatterUnclosed:
            raise
        except FrontmatterError as error:
            return _recover(path, error, text, text)
    toml = split(text, TOML_FENCE)
    if toml.frontmatter is not None:
        stated = toml.frontmatter.replace("=", ":")
        try:
            return _SplitPage(parse_toml(toml.frontmatter), toml.body)
        except FrontmatterError as error:
            return _recover(path, error, stated, toml.body)
    body = text
    try:
        parts = split(text)
        body = parts.body
        return _SplitPage(parse(parts.frontmatter or ""), body)
    except FrontmatterError as error:
        if _is_rule(text):
            return _SplitPage(parse(""), text)
        if isinstance(error, FrontmatterUnclosed):
            raise
        return _recover(path, error, cut_frontmatter(text), body)


def _is_rule(text: str) -> bool:
    """Whether the first line is a thematic break, followed by prose."""
    stated = cut_frontmatter(text)
    if stated is text:
        return text.partition("\n")[2].startswith("\n")
    return not (_KEY.search(stated) or _may_hide(stated))


def _recover(path: str, error: FrontmatterError, stated: str, body: str) -> _SplitPage:
    """Return the body of a page with invalid frontmatter, hidden if in doubt."""
    problem = Problem(path, error.line, error.column, "KB010", error.message)
    return _SplitPage(parse(""), body, problem, _may_hide(stated))


def _is_hidden(fields: Mapping) -> bool:
    for key, value in fields.items.items():
        name = key.strip().casefold()
        if _is_null(value):
            continue
        text = _plain(value).casefold() if isinstance(value, Scalar) else None
        if _hides(name, text):
            return True
    return False


def _hides(name: str, text: str | None) -> bool:
    """Whether a field hides its page; `text` is None for lists and mappings."""
    match name:
        case "status":
            return text not in VISIBLE
        case "draft":
            return text not in _FALSE
        case "published":
            # Other generators write a date here.
            return text in _FALSE
        case _:
            return False


def _may_hide(stated: str) -> bool:
    """Whether text that cannot be parsed has a line that would hide its page."""
    statuses = {status.casefold() for status in scan_statuses(stated)}
    drafts = {match[1].casefold() for match in _DRAFT.finditer(stated)}
    published = (_WORD.findall(m[1].casefold()) for m in _PUBLISHED.finditer(stated))
    is_withheld = any(not _FALSE.isdisjoint(words) for words in published)
    return is_withheld or not (statuses <= VISIBLE and drafts <= _FALSE)


def _is_null(value: Value) -> bool:
    return isinstance(value, Scalar) and value.is_null


def _plain(value: Scalar) -> str:
    """Return a value on one line, without invisible characters."""
    return " ".join(strip_invisible(value.text).split())


def make_page_title(path: str) -> str:
    """Return a title for a path: the file's name, or its folder's for an index page.

    A leading ordering number is dropped.
    """
    *folders, name = path.split("/")
    stem = name.rpartition(".")[0]
    if stem.lower() in OWN_PAGES:
        stem = folders[-1] if folders else "Home"
    return readable_title(stem, drops_order=True)
