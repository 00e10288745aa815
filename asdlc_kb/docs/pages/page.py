"""Parser of documentation pages.

Frontmatter is optional, and an unusable field is ignored. Nothing of a hidden page, or
of one that its generator does not build, is kept. A page that is visible between dates
is kept; see `docs.pages.publication`.
"""

import re
from collections.abc import Iterator
from hashlib import blake2b
from itertools import chain
from sys import intern
from typing import Final, TypeAlias

import msgspec
from msgspec.structs import force_setattr

from asdlc_kb.attachments.referenced_files import ReferringText
from asdlc_kb.attachments.references import INDEX_STEMS, find_references, may_refer
from asdlc_kb.docs.edition import DEFAULT, Edition
from asdlc_kb.docs.pages.aliases import read_aliases
from asdlc_kb.docs.pages.cascades import Cascade
from asdlc_kb.docs.pages.page_defaults import add_defaults
from asdlc_kb.docs.pages.page_frontmatter import (
    find_unknown_status,
    is_hidden,
    may_hide,
    split_page,
)
from asdlc_kb.docs.pages.page_text import (
    PageRules,
    PageText,
    make_html_text,
    make_page_text,
)
from asdlc_kb.docs.pages.placement import UNPLACED, Placement, read_placement
from asdlc_kb.docs.pages.stated_fields import StatedFields, read_updated
from asdlc_kb.exceptions import FrontmatterUnclosed
from asdlc_kb.files.clean_text import FieldCleaner, clean_text
from asdlc_kb.files.lazy_value import LazyValue
from asdlc_kb.files.problem import Problem
from asdlc_kb.files.reader import RawFile
from asdlc_kb.files.snapshot import ParseResult
from asdlc_kb.frontmatter.nodes import Scalar
from asdlc_kb.frontmatter.parser import require_complete
from asdlc_kb.frontmatter.search_terms import select_terms
from asdlc_kb.markup import sections
from asdlc_kb.markup.plain_text import cut_liquid
from asdlc_kb.markup.titles import find_html_title, readable_title

_TITLED: Final = re.compile(
    r"(?s)(?:\s++|<!--(?:(?!-->).)*+-->|<a\s[^<>]*+>\s*+</a>)*+#"
)
"""A text that begins with a heading, below comments and anchors of former ones."""

MAX_TITLE_CHARS: Final = 300
"""Characters; a longer title is cut."""

_MAX_TITLE_OFFSET: Final = 16 * 1024
"""Characters of a body that are searched for a heading."""


_EDITIONS: Final[dict[Edition, Edition]] = {}
"""The editions of all pages, each as the same object."""


class DocPageText(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The part of a page that stays on disk until it is needed."""

    body: str
    source: str = ""
    """The body in its dialect, with includes; empty in GitHub's Markdown."""


class DocPage(
    msgspec.Struct, frozen=True, kw_only=True, array_like=True, tag=True, gc=False
):
    """One visible page."""

    path: str
    """Relative to the root, with slashes and suffix, as on disk."""
    title: str
    description: str = ""
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    """Further names, from the root; see `docs.pages.aliases`."""
    search_terms: tuple[str, ...] = ()
    """Names and keywords by which the page is found as by its tags."""
    stored_text: LazyValue[DocPageText]
    body_line: int = 1
    """The line of the file on which the body begins."""
    digest: bytes
    """Of the file, of those that it includes, of the dialect and the language."""
    placement: Placement = UNPLACED
    edition: Edition = DEFAULT
    is_titled: bool = False
    """Whether the body has a first-level heading first, or the title as heading."""
    removed: int = 0
    """Number of invisible characters removed."""
    updated: str = ""
    """The date of the last update (ISO 8601); empty if the page states none."""
    file_date: str = ""
    """The date of the last change of its file; empty in a git work tree (D-201)."""
    dialect: str = "github"
    may_refer: bool = False
    """Whether its text may refer to attachments; False spares reading it."""
    labels: tuple[str, ...] = ()
    """Names, in lower case, by which other pages link to places in it."""

    def __post_init__(self) -> None:
        """Share the values that many pages have: a third of their memory (D-301)."""
        force_setattr(self, "dialect", intern(self.dialect))
        force_setattr(self, "edition", _EDITIONS.setdefault(self.edition, self.edition))
        if self.file_date:
            force_setattr(self, "file_date", intern(self.file_date))
        if self.tags:
            force_setattr(self, "tags", tuple(map(intern, self.tags)))
        if self.placement == UNPLACED:
            force_setattr(self, "placement", UNPLACED)

    @property
    def body(self) -> str:
        """GitHub's Markdown below the frontmatter, without invisible characters.

        May read the disk.
        """
        return self.stored_text.get().body

    @property
    def source(self) -> str:
        """The body in its dialect, with includes; empty in GitHub's Markdown.

        May read the disk.
        """
        return self.stored_text.get().source

    def with_text(self, text: str) -> "DocPage":
        """Return the page with another text."""
        return msgspec.structs.replace(self.with_body(text), is_titled=True)

    def with_body(self, body: str) -> "DocPage":
        """Return the page with another text below its title."""
        text = msgspec.structs.replace(self.stored_text.get(), body=body)
        return msgspec.structs.replace(self, stored_text=LazyValue(text))

    def of_edition(self, edition: Edition) -> "DocPage":
        """Return the page as one of an edition."""
        if edition == self.edition:
            return self
        digest = self.digest
        if edition.language != self.edition.language:
            # Words are stemmed by language: the page is indexed again.
            text = digest + edition.language.encode()
            digest = blake2b(text, digest_size=len(digest)).digest()
        return msgspec.structs.replace(self, edition=edition, digest=digest)

    @property
    def html_text(self) -> str:
        """The page as Markdown for the website, beginning with its title."""
        source = self.source
        if not source:
            return self.text
        body = make_html_text(self.path, source, self.dialect)
        return body if self.is_titled else f"# {self.title}\n\n{body}"

    @property
    def text(self) -> str:
        """The page as Markdown, beginning with its title."""
        return self.body if self.is_titled else f"# {self.title}\n\n{self.body}"

    @property
    def menu_title(self) -> str:
        """The title in menus that state none."""
        return self.placement.menu_title or self.title

    @property
    def is_index(self) -> bool:
        """Whether it is the page of its folder."""
        return is_index(self.path)

    @property
    def referring_text(self) -> ReferringText:
        """The page as a text that refers to attachments: for agents and as HTML.

        It is read from the disk if its references are not cached.
        """
        read = self._read_forms if self.may_refer else tuple
        return ReferringText(self.path, self.digest, read)

    def _read_forms(self) -> Iterator[str]:
        """Yield the body, and the text for the website if it may show other files."""
        text = self.stored_text.get()
        yield text.body
        if text.source and any(find_references(text.source)):
            yield self.html_text

    @property
    def category(self) -> str:
        """The top directory; empty for a page in the root."""
        return self.path.partition("/")[0] if "/" in self.path else ""


class Navigation(msgspec.Struct, frozen=True, array_like=True, tag=True, gc=False):
    """The text of a sidebar or a topbar."""

    path: str
    body: str


class FolderRule(msgspec.Struct, frozen=True, array_like=True, tag=True, gc=False):
    """What a hidden index page states about all pages below its folder."""

    folder: str
    cascades: tuple[Cascade, ...]


PageContent: TypeAlias = DocPage | Navigation | FolderRule


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


_GITHUB: Final = PageRules()
_TERMS: Final = ("aliases", "keywords")
"""Fields with search terms."""


def read_page(raw: RawFile, rules: PageRules = _GITHUB) -> ParseResult[PageContent]:
    """Return the page in a file, with every problem of the file."""
    text, removed, invisible, unseen = clean_text(raw.path, raw.text)
    try:
        require_complete(text)
        cut = split_page(raw.path, text)
    except FrontmatterUnclosed as error:
        problem = Problem(raw.path, error.line, error.column, "KB010", error.message)
        stated = text.replace("=", ":") if text.lstrip().startswith("+++") else text
        return ParseResult(None, (problem,), keeps_last_good=not may_hide(stated))
    problems = [cut.problem, *invisible] if cut.problem else [*invisible]
    own = add_defaults(cut.fields, raw.path, rules.defaults, rules.base)
    cut = cut._replace(fields=own)
    placement = read_placement(raw.path, cut.fields, rules.dialect, rules.base)
    if rules.cascades:
        placement = msgspec.structs.replace(placement, site_cascades=rules.cascades)
    is_withheld = cut.is_hidden or placement.is_hidden
    if is_withheld or is_hidden(cut.fields, rules.dialect, rules.labels):
        rule = _read_rule(raw.path, placement)
        unknown = find_unknown_status(raw.path, cut, rules.dialect, rules.labels)
        if unknown is not None and not is_withheld:
            problems.append(unknown)
        return ParseResult(rule, tuple(problems))
    body = cut.body.lstrip("\n")
    if raw.path in rules.bars:
        return ParseResult(Navigation(raw.path, body), tuple(problems))
    above = text[: len(text) - len(body)]
    line = above.count("\n") + 1
    made = make_page_text(raw.path, body, line, rules, cut.fields)
    problems += made.problems
    level, heading = 0, ""
    if rules.dialect != "obsidian" or body.startswith("# "):
        # A note has the name of its file; another heading may be that of an embed.
        level, heading = _find_heading(made.body[:_MAX_TITLE_OFFSET], rules.dialect)
    fields = _Fields(raw.path, cut.fields, problems, removed, unseen)
    title = fields.text("title") or heading or make_page_title(raw.path)
    page = DocPage(
        path=raw.path,
        title=title[:MAX_TITLE_CHARS],
        description=cut_liquid(fields.text("description")).strip(),
        tags=fields.words("tags"),
        stored_text=LazyValue(DocPageText(made.body, made.source)),
        body_line=line,
        digest=_digest(raw, body, made),
        placement=placement,
        aliases=read_aliases(raw.path, fields.words),
        search_terms=select_terms(chain.from_iterable(map(fields.words, _TERMS))),
        updated=read_updated(raw.path, StatedFields(cut.fields)),
        is_titled=level == 1 or heading == title,
        removed=fields.removed,
        dialect=rules.dialect,
        may_refer=may_refer(made.body) or may_refer(made.source),
        labels=made.labels,
    )
    return ParseResult(
        page,
        tuple(problems),
        dependencies=made.dependencies,
        is_storable=not made.is_dated,
    )


def _find_heading(text: str, dialect: str) -> tuple[int, str]:
    """Return level and text of the heading that is the title; 0 and "" without one.

    For generators, a deeper heading below a text is that of a section only.
    """
    if title := find_html_title(text):
        return 1, title
    level, heading = sections.find_first_heading(text)
    # What separates it from badges, which are pictures.
    heading = heading.rstrip(" ·•|") or heading
    is_title = level == 1 or dialect == "github" or _TITLED.match(text) is not None
    return (level, heading) if is_title else (0, "")


def _digest(raw: RawFile, written: str, made: PageText) -> bytes:
    """Return the digest of a page: of its file, and of its text if it differs."""
    if made.body == written:
        return raw.digest
    text = made.body.encode("utf-8", "surrogatepass")
    return blake2b(raw.digest + text, digest_size=len(raw.digest)).digest()


def _read_rule(path: str, placement: Placement) -> FolderRule | None:
    if not placement.cascades or not is_index(path):
        return None
    return FolderRule(path.rpartition("/")[0], placement.cascades)


def is_index(path: str) -> bool:
    """Whether a path is that of a folder's own page."""
    return path.rpartition("/")[2].rpartition(".")[0].lower() in INDEX_STEMS


def make_page_title(path: str) -> str:
    """Return a title for a path: the file's name, or its folder's for an index page.

    A leading ordering number is dropped.
    """
    *folders, name = path.split("/")
    stem = name.rpartition(".")[0]
    if stem.lower() in INDEX_STEMS:
        stem = folders[-1] if folders else "Home"
    return readable_title(stem, drops_order=True)
