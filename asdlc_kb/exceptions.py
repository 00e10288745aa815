"""The error tree. Imports nothing and carries plain values.

```
KnowledgeBaseError
├── SettingsError           a setting is wrong (exit code 2)
├── OperationalError        port taken, folder missing, no access (exit code 3)
│   └── RendererUnavailable the rendering process cannot be started
├── UnreadableFile          a file must not or cannot be read
│   └── FileTooLarge        it exceeds the size limit
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
│   └── SectionNotFound     the page has no such section
├── ProjectError
│   ├── ProjectNotFound     no allowed project has that name or path
│   └── PathNotFound        a path leads out of its project
├── UnknownCategory         the category has no visible article or page
└── ProtocolError           see `asdlc_kb.mcp.protocol.errors`
```

Problems with content are not exceptions: they are values, kept beside what could be
read (`asdlc_kb.files.problem`).
"""


class KnowledgeBaseError(Exception):
    """The root: every failure this package reports on purpose."""


class SettingsError(KnowledgeBaseError):
    """Raised when a flag, environment variable or configuration key is wrong."""


class OperationalError(KnowledgeBaseError):
    """Raised when the machine cannot give what was asked: a port, a folder."""


class RendererUnavailable(OperationalError):
    """Raised for a text that was not rendered, for no reason that lies in the text."""


class UnreadableFile(KnowledgeBaseError):
    """Raised when a file is not read: unsafe, too large, unreadable or not text."""

    def __init__(self, reason: str, advice: str, head: str = "") -> None:
        super().__init__(f"{reason}: {advice}")
        self.reason = reason
        self.advice = advice
        self.head = head
        """How the file begins, read as Latin-1, where it was opened at all."""


class FileTooLarge(UnreadableFile):
    """Raised when a file is not read for its size alone."""


class FrontmatterError(KnowledgeBaseError):
    """Raised when frontmatter cannot be understood; line and column count from 1."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column


class FrontmatterUnclosed(FrontmatterError):
    """Raised when frontmatter is opened and not closed: it may be half written."""


class IndexCorrupt(KnowledgeBaseError):
    """Raised when a search index cannot be read or written; it can be made anew."""


class ConfigNotEditable(KnowledgeBaseError):
    """Raised when a client's configuration is not edited: why, and what to do."""

    def __init__(self, reason: str, advice: str, *, by_hand: bool = False) -> None:
        super().__init__(f"{reason}: {advice}")
        self.reason = reason
        self.advice = advice
        self.by_hand = by_hand
        """Whether nothing is wrong with the file: it is only not ours to rewrite."""


class ProbeFailed(KnowledgeBaseError):
    """Raised when a server that a client is to use does not answer as it should."""


class TokenRequired(ProbeFailed):
    """Raised when a server answers only who sends a token, or another one."""


class InvalidToken(KnowledgeBaseError):
    """Raised for a bearer token that is not accepted, with the kind of fault alone."""


class InsufficientScope(InvalidToken):
    """Raised for a valid bearer token without a required scope (RFC 6750, 3.1)."""


class ArticleError(KnowledgeBaseError):
    """An article cannot be given."""

    def __init__(self, message: str, slug: str) -> None:
        super().__init__(message)
        self.slug = slug


class ArticleNotFound(ArticleError):
    """Raised for a name without a visible article; hidden ones count as absent."""

    def __init__(self, slug: str) -> None:
        super().__init__(f"Article '{slug}' not found", slug)


class ArticleAmbiguous(ArticleError):
    """Raised for a bare slug that visible articles of several categories share."""

    def __init__(self, slug: str, candidates: tuple[str, ...]) -> None:
        names = ", ".join(candidates)
        super().__init__(f"Article '{slug}' is ambiguous: use one of {names}", slug)
        self.candidates = candidates


class ArticleUnreadable(ArticleError):
    """Raised for an article that says it is visible but breaks the schema."""

    def __init__(self, slug: str) -> None:
        super().__init__("Failed to parse article metadata", slug)


class DocError(KnowledgeBaseError):
    """A page of documentation, or a part of it, cannot be given."""

    def __init__(self, message: str, path: str) -> None:
        super().__init__(message)
        self.path = path


class DocNotFound(DocError):
    """Raised for a name without a visible page; hidden ones count as absent."""

    def __init__(self, path: str) -> None:
        super().__init__(f"Documentation page '{path}' not found", path)


class SectionNotFound(DocError):
    """Raised for a section that a page does not have."""

    def __init__(self, section: str, path: str, known: tuple[str, ...]) -> None:
        names = "\n".join(f"- {name}" for name in known) or "none"
        message = f"No section '{section}' in '{path}'. Sections of this page:\n{names}"
        super().__init__(message, path)
        self.section = section
        self.known = known


class UnknownCategory(KnowledgeBaseError):
    """Raised for a category in which nothing can be seen."""

    def __init__(self, category: str, known: tuple[str, ...]) -> None:
        names = ", ".join(known) or "none yet"
        super().__init__(f"Unknown category '{category}'. Categories: {names}")
        self.category = category
        self.known = known


class ProjectError(KnowledgeBaseError):
    """A project, or a part of it, cannot be given."""


class ProjectNotFound(ProjectError):
    """Raised for a name or path of no project; forbidden ones count as absent."""

    def __init__(self, project: str) -> None:
        super().__init__(f"Project '{project}' not found")
        self.project = project


class ArgumentsTooLong(ProjectError):
    """Raised for arguments that add too much to the text of a command."""

    def __init__(self, most: int) -> None:
        super().__init__(
            f"the arguments are too long: in all places of the command they add more "
            f"than {most:,} characters; give shorter ones"
        )


class PathNotFound(ProjectError):
    """Raised for a path that is not one of a file in its project."""

    def __init__(self, path: str) -> None:
        super().__init__(f"Path '{path}' not found")
        self.path = path
