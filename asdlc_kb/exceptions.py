"""The exception hierarchy. Imports nothing; exceptions carry plain values.

```
KnowledgeBaseError
├── SettingsError           a setting is wrong (exit code 2)
├── OperationalError        port taken, folder missing, no access (exit code 3)
│   ├── RendererUnavailable the rendering process cannot be started
│   ├── StoreUnavailable    a database cannot be reached now: try again
│   └── StoreMisconfigured  a database cannot be used until its operator acts
├── UnreadableFile          a file must not or cannot be read
│   └── FileTooLarge        it exceeds the size limit
├── AttachmentGone          a picture or download changed since it was found
├── FrontmatterError        frontmatter cannot be parsed
├── IndexCorrupt            a search index cannot be read or written
├── ConfigNotEditable       a client's configuration file cannot be edited safely
├── InvalidToken            a bearer token is not accepted
│   └── InsufficientScope   it is valid but lacks a required scope
├── ProbeFailed             the server that a client would connect to does not work
│   └── TokenRequired       it requires a token
├── ArticleError
│   ├── ArticleNotFound     no visible article has that name
│   ├── ArticleAmbiguous    two visible articles share that name
│   └── ArticleUnreadable   the article is visible but breaks the schema
├── DocError
│   ├── DocNotFound         no visible documentation page has that name
│   ├── DocAmbiguous        several visible pages have that title
│   └── SectionNotFound     the page has no such section
├── ProjectError
│   ├── ProjectNotFound     no allowed project has that name or path
│   └── PathNotFound        a path leads out of its project
├── UnknownCategory         the category has no visible article or page
└── ProtocolError           see `asdlc_kb.mcp.protocol.errors`
```

Problems with content are not exceptions: they are values, stored with the content that
could be read (`asdlc_kb.files.problem`).
"""

_MAX_CANDIDATES = 10
"""Names in the message of an ambiguous name."""


class KnowledgeBaseError(Exception):
    """Base class of every failure that this package reports on purpose."""


class SettingsError(KnowledgeBaseError):
    """Raised when a flag, environment variable or configuration key is wrong."""


class OperationalError(KnowledgeBaseError):
    """Raised when a resource of the machine is not available: a port, a folder."""

    def __init__(self, reason: str, advice: str = "") -> None:
        # A second colon would hide where the advice begins.
        mark = "; " if ": " in reason else ": "
        super().__init__(f"{reason}{mark}{advice}" if advice else reason)
        self.reason = reason
        self.advice = advice


class RendererUnavailable(OperationalError):
    """Raised when a text was not rendered, for a reason other than the text."""


class StoreUnavailable(OperationalError):
    """Raised when a database is unreachable, too slow or full: try again later."""


class StoreMisconfigured(OperationalError):
    """Raised when a database lacks a schema or privilege, or is a standby."""


class UnreadableFile(KnowledgeBaseError):
    """Raised when a file is not read: unsafe, too large, unreadable or not text."""

    def __init__(self, reason: str, advice: str, head: str = "") -> None:
        super().__init__(f"{reason}: {advice}")
        self.reason = reason
        self.advice = advice
        self.head = head
        """The first bytes as Latin-1; empty if the file could not be opened."""


class FileTooLarge(UnreadableFile):
    """Raised when a file is not read because of its size alone."""


class PersonalFile(UnreadableFile):
    """Raised when a file belongs to one person and others are served too."""


class AttachmentGone(KnowledgeBaseError):
    """Raised when the version of a file that was found cannot be read any more."""


class FrontmatterError(KnowledgeBaseError):
    """Raised when frontmatter cannot be parsed; line and column count from 1."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column


class FrontmatterUnclosed(FrontmatterError):
    """Raised when frontmatter is not closed: the file may be half written."""


class IndexCorrupt(KnowledgeBaseError):
    """Raised when a search index cannot be read or written; it can be rebuilt."""


class ConfigNotEditable(KnowledgeBaseError):
    """Raised when a client's configuration is not edited: reason and advice."""

    def __init__(self, reason: str, advice: str, *, by_hand: bool = False) -> None:
        super().__init__(f"{reason}: {advice}")
        self.reason = reason
        self.advice = advice
        self.by_hand = by_hand
        """Whether the file is valid and is left for the user to edit."""


class ProbeFailed(KnowledgeBaseError):
    """Raised when the server that a client would use does not answer correctly."""


class TokenRequired(ProbeFailed):
    """Raised when a server requires a bearer token, or rejects the one sent."""


class InvalidToken(KnowledgeBaseError):
    """Raised for a rejected bearer token; names the kind of fault only."""


class InsufficientScope(InvalidToken):
    """Raised for a valid bearer token without a required scope (RFC 6750, 3.1)."""


class ArticleError(KnowledgeBaseError):
    """Base class: an article cannot be returned."""

    def __init__(self, message: str, slug: str) -> None:
        super().__init__(message)
        self.slug = slug


class ArticleNotFound(ArticleError):
    """Raised when no visible article has a name; hidden articles count as absent."""

    def __init__(self, slug: str) -> None:
        super().__init__(f"Article '{slug}' not found", slug)


class ArticleAmbiguous(ArticleError):
    """Raised for a bare slug, or a title, that several visible articles share."""

    def __init__(self, slug: str, candidates: tuple[str, ...]) -> None:
        names = _list_candidates(candidates)
        super().__init__(f"Article '{slug}' is ambiguous: use one of {names}", slug)
        self.candidates = candidates


class ArticleUnreadable(ArticleError):
    """Raised for an article with a visible status that breaks the schema."""

    def __init__(self, slug: str) -> None:
        super().__init__("Failed to parse article metadata", slug)


class DocError(KnowledgeBaseError):
    """Base class: a documentation page, or a part of it, cannot be returned."""

    def __init__(self, message: str, path: str) -> None:
        super().__init__(message)
        self.path = path


class DocNotFound(DocError):
    """Raised when no visible page has a name; hidden pages count as absent."""

    def __init__(self, path: str) -> None:
        super().__init__(f"Documentation page '{path}' not found", path)


class DocAmbiguous(DocError):
    """Raised for a title that several visible pages share."""

    def __init__(self, path: str, candidates: tuple[str, ...]) -> None:
        names = _list_candidates(candidates)
        message = f"Documentation page '{path}' is ambiguous: use one of {names}"
        super().__init__(message, path)
        self.candidates = candidates


class SectionNotFound(DocError):
    """Raised when a page has no such section; `near` are similar headings."""

    def __init__(
        self,
        section: str,
        path: str,
        known: tuple[str, ...],
        near: tuple[str, ...] = (),
    ) -> None:
        names = "\n".join(f"- {name}" for name in known) or "none"
        message = f"No section '{section}' in '{path}'. Sections of this page:\n{names}"
        super().__init__(message, path)
        self.section = section
        self.known = known
        self.near = near


class UnknownCategory(KnowledgeBaseError):
    """Raised for a category without visible entries."""

    def __init__(self, category: str, known: tuple[str, ...]) -> None:
        names = ", ".join(known) or "none yet"
        super().__init__(f"Unknown category '{category}'. Categories: {names}")
        self.category = category
        self.known = known


class UnknownEdition(KnowledgeBaseError):
    """Raised for a documentation tree, version or language without visible pages."""

    def __init__(self, field: str, value: str, known: tuple[str, ...]) -> None:
        names = ", ".join(known) or "none"
        super().__init__(f"Unknown {field} '{value}'. Known: {names}")
        self.field = field


def _list_candidates(names: tuple[str, ...]) -> str:
    """Return the first names, and how many more there are."""
    rest = len(names) - _MAX_CANDIDATES
    more = (f"{rest:,} more",) if rest > 0 else ()
    return ", ".join((*names[:_MAX_CANDIDATES], *more))


class ProjectError(KnowledgeBaseError):
    """Base class: a project, or a part of it, cannot be returned."""


class ProjectNotFound(ProjectError):
    """Raised when no allowed project has a name or path."""

    def __init__(self, project: str) -> None:
        super().__init__(f"Project '{project}' not found")
        self.project = project


class ArgumentsTooLong(ProjectError):
    """Raised when arguments make the text of a command too long."""

    def __init__(self, max_chars: int) -> None:
        super().__init__(
            f"the arguments are too long: in all places of the command they add more "
            f"than {max_chars:,} characters; give shorter ones"
        )


class PathNotFound(ProjectError):
    """Raised for a path that is not that of a file in its project."""

    def __init__(self, path: str) -> None:
        super().__init__(f"Path '{path}' not found")
        self.path = path
