"""Value types of search: documents, requests, hits and results."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple, Protocol, TypeAlias

AcceptsDocument: TypeAlias = Callable[[str, bytes], bool]
"""Whether a key with the content of a digest is visible; a pure function."""

ReportProgress: TypeAlias = Callable[[int, int], None]
"""Called with the number of documents done, and the total."""


def report_nothing(done: int, total: int) -> None:
    """Report no progress."""


@dataclass(frozen=True, slots=True)
class IndexedSection:
    """The plain text under one heading."""

    heading: str
    """Empty for text before the first heading."""
    anchor: str
    level: int
    line: int
    """Line of the file on which it begins, from 1."""
    text: str


@dataclass(frozen=True, slots=True)
class SearchDocument:
    """A page or an article as it is indexed."""

    key: str
    digest: bytes
    """Digest of the content: a hit is stale if the document now has another."""
    title: str
    description: str
    tags: tuple[str, ...]
    category: str
    sections: tuple[IndexedSection, ...]
    language: str = ""
    """BCP 47 tag: its words are stemmed in this language; as English if unknown."""
    folders: tuple[str, ...] = ()
    """Every folder above it, case-folded: `a` and `a/b`. Further categories."""
    path: str = ""
    """The path in its address, whose words are searched."""
    aliases: tuple[str, ...] = ()
    """Further names and keywords, which weigh as tags do."""


class DocumentSource(Protocol):
    """Documents to index, all of one immutable snapshot."""

    def digests(self) -> Mapping[str, bytes]:
        """Return the digests of all visible documents by key."""

    def changes_since(
        self, earlier: "DocumentSource"
    ) -> Mapping[str, bytes | None] | None:
        """Return the digests of all documents that may differ from an earlier source.

        By key, None for one that is not visible; None if others may differ as well.
        """
        return None

    def document(self, key: str) -> SearchDocument:
        """Return a document; called in the indexing thread."""


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A query, its paging, and the documents among which it searches."""

    query: str
    """Any text: none is invalid."""
    limit: int
    accepts: AcceptsDocument
    """Rejected documents affect no result; decisions are cached for the next request
    with an equal function."""
    offset: int = 0
    category: str | None = None
    """A category or a folder."""
    language: str | None = None
    """BCP 47 tag: the query is stemmed in this language only; None: in those of all
    documents that are searched."""
    keys: frozenset[str] | None = None
    """The only documents that are searched, and whose words are suggested; None: all.
    """
    is_secondary: Callable[[str], bool] | None = None
    """Whether an accepted document stands behind others, as one of an old version does;
    a pure function of its key, of which decisions are cached as of `accepts`."""
    read_edition: Callable[[str], tuple[Hashable, str, bool]] | None = None
    """Returns what a document and its other editions have in common, its version, and
    whether it is the default edition. Then a secondary document is no result if it is a
    translation of another one, or behind another version."""
    named: str | None = None
    """Key of the document that the query names: it comes first."""
    is_typing: bool = False
    """Whether the query is searched while it is typed: its last word may be unfinished.
    """
    passages: int = 0
    """Hits, from the first, of which the next best sections are found too."""
    finds_all: bool = False
    """Whether an empty query finds all documents, as one of filters alone does."""
    is_merged: bool = False
    """Whether the hits are merged with those of other indexes: documents of which a
    name equals the query come first, and results have the frequencies of terms."""


class NameMatch(IntEnum):
    """Which name of a document equals the query; the highest comes first."""

    NONE = 0
    HEADING = 1
    TITLE = 2
    """The title, the file name or an alias."""
    ADDRESS = 3
    """The query is a path or an address."""


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A matching document, and its best section."""

    key: str
    score: float
    heading: str
    anchor: str
    line: int
    excerpt: tuple[str, ...]
    """Plain text of that section in parts: every second one is a match."""
    next_lines: tuple[int, ...] = ()
    """Lines on which the next best sections begin, best first."""
    language: str = ""
    """Language tag of the document."""
    match: NameMatch = NameMatch.NONE
    """Of a merged search."""

    @property
    def snippet(self) -> str:
        """The excerpt with its matches marked `**so**`."""
        return "**".join(self.excerpt)


class TermFrequency(NamedTuple):
    """How much a term counts in a query, and how often an index has it."""

    weight: float
    documents: int
    """Number of those that have it."""
    sections: int


@dataclass(frozen=True, slots=True)
class IndexFrequencies:
    """The size of an index, and how much of it has each term of a query."""

    documents: int = 0
    sections: int = 0
    terms: Mapping[str, TermFrequency] = field(default_factory=dict)
    """By stem."""


class SimilarPage(NamedTuple):
    """A page, and the similarity of its most similar section to a query."""

    slot: int
    similarity: float
    """Cosine of both vectors, at most 1."""
    section: int
    """Number of that section in its page."""


@dataclass(frozen=True, slots=True)
class SearchResults:
    """The results of a query."""

    hits: tuple[SearchHit, ...] = ()
    total: int = 0
    """Number of matching documents, or of those that are ranked if more match."""
    corrected: tuple[tuple[str, str], ...] = ()
    """Pairs of a word as typed and its replacement."""
    suggestion: str | None = None
    """An alternative query, if this one has no results."""
    weights: Mapping[str, float] = field(default_factory=dict)
    """The weight of each stem that was searched for, in any language."""
    frequencies: IndexFrequencies = IndexFrequencies()
    """Of a merged search."""
    unknown: tuple[str, ...] = ()
    """Words that no document has among those that are searched."""
    excluded: tuple[str, ...] = ()
    """Words and phrases that exclude documents."""

    def describe_corrections(self, quotes: tuple[str, str] = ("'", "'")) -> str:
        """Return sentences on words that were replaced or exclude results."""
        # Words typed separately are searched for as typed, too.
        left, right = quotes
        replaced = ", ".join(
            f"{left}{searched}{right} instead of {left}{typed}{right}"
            for typed, searched in self.corrected
            if " " not in typed
        )
        excluded = " or ".join(f"{left}{text}{right}" for text in self.excluded)
        sentences = (
            replaced and f"Searched for {replaced}.",
            excluded and f"Results with {excluded} are left out.",
        )
        described = " ".join(filter(None, sentences))
        return described and f"{described} Quoted words are searched as typed."
