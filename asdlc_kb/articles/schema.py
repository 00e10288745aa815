"""From a file's text to an article: the frontmatter of seed 000, checked.

Status comes first and fails closed: missing, unknown or ill-typed means hidden. Codes
(KB001 to KB003 are of `files`):

- KB010 frontmatter is missing or cannot be parsed
- KB011 a required field is missing
- KB012 a field has a value it cannot have
- KB013 the status is missing or unknown
- KB014 the description is longer than 200 characters
- KB015 the file has invisible characters
"""

import datetime
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Final, TypeAlias

from asdlc_kb.articles.article import Article, Unreadable
from asdlc_kb.articles.status import Status, hides_when_unparsable
from asdlc_kb.exceptions import FrontmatterError
from asdlc_kb.files.cache import Reading
from asdlc_kb.files.frontmatter import Mapping, Scalar, Sequence, parse, split
from asdlc_kb.files.problem import Problem
from asdlc_kb.files.reader import RawFile
from asdlc_kb.files.text import strip_invisible

Content: TypeAlias = Article | Unreadable

LONGEST_DESCRIPTION: Final = 200
"""Characters; seed 000 names the limit, seed 001 cuts lists there."""

MATURITIES: Final = ("Proposed", "Standard", "Deprecated", "Experimental")


def read_article(raw: RawFile) -> Reading[Content]:
    """Return what a file is to the knowledge base, with every problem in it."""
    text, removed = strip_invisible(raw.text)
    try:
        parts = split(text)
        fields = parse(parts.frontmatter) if parts.frontmatter is not None else None
    except FrontmatterError as error:
        problem = Problem(raw.path, error.line, error.column, "KB010", error.message)
        keeps = not hides_when_unparsable(text)
        return Reading(None, (problem,), keeps_last_good=keeps)
    if fields is None:
        message = "no frontmatter: begin the file with a line '---'"
        return Reading(None, (Problem(raw.path, 1, 1, "KB010", message),))
    form = _Form(raw.path, fields)
    if removed:
        form.complain(fields, "KB015", f"{removed} invisible characters: remove them")
    status = form.status()
    if status is None:
        return Reading(None, tuple(form.problems))
    category, slug = raw.path.removesuffix(".md").split("/")
    article = Article(
        category=category,
        slug=slug,
        title=form.text("title"),
        description=form.description(),
        tags=form.words("tags"),
        last_updated=form.date("lastUpdated", required=True) or "",
        status=status,
        body=parts.body.lstrip("\n"),
        maturity=form.maturity(),
        author=form.optional_text("author"),
        published=form.date("publishedDate"),
        related=form.words("relatedIds"),
        superseded_by=form.words("supersededBy"),
        removed=removed,
    )
    problems = tuple(form.problems)
    if form.is_broken and status.is_visible:
        return Reading(Unreadable(category, slug), problems, keeps_last_good=True)
    return Reading(article, problems)


@dataclass(slots=True)
class _Form:
    """Reads fields by name and collects what is wrong with them."""

    path: str
    fields: Mapping
    problems: list[Problem] = field(default_factory=list)
    is_broken: bool = False
    """Whether a fault keeps the article from being served."""

    def complain(
        self, where: Scalar | Sequence | Mapping, code: str, message: str
    ) -> None:
        """Note a fault that the article can be served with."""
        self.problems.append(
            Problem(self.path, where.line, where.column, code, message)
        )

    def status(self) -> Status | None:
        """Return the status; None, which hides, if it is not exactly one of them."""
        value = self.fields.items.get("status")
        if isinstance(value, Scalar) and value.text in {s.value for s in Status}:
            return Status(value.text)
        names = [status.value for status in Status]
        advice = f"write one of {', '.join(names)}"
        if isinstance(value, Scalar) and not value.is_null:
            close = get_close_matches(value.text.capitalize(), names, n=1)
            advice = f"did you mean {close[0]}?" if close else advice
            self.complain(value, "KB013", f"unknown status, so it is hidden: {advice}")
        else:
            where = value or self.fields
            self.complain(where, "KB013", f"no status, so it is hidden: {advice}")
        return None

    def text(self, name: str) -> str:
        """Return a required text."""
        value = self.fields.items.get(name)
        if isinstance(value, Scalar) and value.text.strip():
            return " ".join(value.text.split())
        if value is None or (isinstance(value, Scalar) and value.is_null):
            self._break(value, "KB011", f"{name} is missing: add a line '{name}: ...'")
        else:
            self._break(value, "KB012", f"{name} must be one text: put it in quotes")
        return ""

    def optional_text(self, name: str) -> str | None:
        """Return a text, or None if it is absent."""
        value = self.fields.items.get(name)
        if value is None or (isinstance(value, Scalar) and value.is_null):
            return None
        return self.text(name) or None

    def description(self) -> str:
        """Return the description, however long it is."""
        text = self.text("description")
        if len(text) > LONGEST_DESCRIPTION:
            message = (
                f"description has {len(text)} characters, lists cut it at "
                f"{LONGEST_DESCRIPTION}: shorten it"
            )
            self.complain(self.fields.items["description"], "KB014", message)
        return text

    def words(self, name: str) -> tuple[str, ...]:
        """Return a list of texts; `a, b` counts as a list, absent as empty."""
        value = self.fields.items.get(name)
        if value is None or (isinstance(value, Scalar) and value.is_null):
            return ()
        if isinstance(value, Scalar):
            return tuple(word.strip() for word in value.text.split(",") if word.strip())
        items = value.items if isinstance(value, Sequence) else ()
        words = tuple(item.text.strip() for item in items if isinstance(item, Scalar))
        if isinstance(value, Mapping) or len(words) != len(items):
            self._break(value, "KB012", f"{name} must be a list of texts: [a, b]")
        return tuple(word for word in words if word)

    def date(self, name: str, *, required: bool = False) -> str | None:
        """Return a date as ISO 8601, without the time of day."""
        value = self.fields.items.get(name)
        if value is None or (isinstance(value, Scalar) and value.is_null):
            if required:
                message = f"{name} is missing: add a line '{name}: 2025-01-31'"
                self._break(value, "KB011", message)
            return None
        try:
            text = value.text if isinstance(value, Scalar) else ""
            return datetime.datetime.fromisoformat(text.strip()).date().isoformat()
        except ValueError:
            message = f"{name} must be a date: write it like 2025-01-31"
            self._break(value, "KB012", message)
            return None

    def maturity(self) -> str | None:
        """Return the maturity, or None if it is absent or unknown."""
        text = self.optional_text("maturity")
        if text is None or text in MATURITIES:
            return text
        message = f"unknown maturity: write one of {', '.join(MATURITIES)}"
        self.complain(self.fields.items["maturity"], "KB012", message)
        return None

    def _break(
        self, where: Scalar | Sequence | Mapping | None, code: str, message: str
    ) -> None:
        self.is_broken = True
        self.complain(where or self.fields, code, message)
