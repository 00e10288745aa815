"""Parser of article files: frontmatter fields and their checks.

The status fails closed: missing, unknown or ill-typed means hidden. Codes (KB001 to
KB004 belong to `files`):

- KB010 frontmatter is missing, has no end or cannot be parsed; the file is empty
- KB011 a required field is missing
- KB012 a field has an invalid value
- KB013 the status is missing or unknown
- KB014 the description is longer than 200 characters
- KB015 the file or a value has invisible characters, or some that may be invisible
- KB017 a reference cannot be shown (`references`)
- KB018 a field that the format does not have is left out (`metadata`)
- KB019 an alias is not searched (`aliases`)
- KB025 a field is written almost like one of the format (`field_names`)
"""

import datetime
import re
from collections import abc
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Final, TypeAlias

from asdlc_kb.articles.aliases import FIELD as ALIASES
from asdlc_kb.articles.aliases import check_aliases
from asdlc_kb.articles.article import (
    Article,
    ArticleText,
    SourcePosition,
    SourcePositions,
    Unreadable,
)
from asdlc_kb.articles.field_names import FIELDS, REQUIRED, find_misspelt
from asdlc_kb.articles.metadata import read_metadata
from asdlc_kb.articles.references import append_references
from asdlc_kb.articles.status import ArticleStatus, hides_when_unparsable
from asdlc_kb.exceptions import FrontmatterError
from asdlc_kb.files.clean_text import FieldCleaner, clean_text
from asdlc_kb.files.lazy_value import LazyValue
from asdlc_kb.files.problem import Problem
from asdlc_kb.files.reader import RawFile
from asdlc_kb.files.snapshot import ParseResult
from asdlc_kb.frontmatter.nodes import Mapping, Scalar, Sequence, Value
from asdlc_kb.frontmatter.parser import YAML_FENCE, parse, require_complete, split
from asdlc_kb.frontmatter.status_scan import cut_frontmatter
from asdlc_kb.unicode.invisible import strip_invisible

ArticleFields: TypeAlias = Article | Unreadable

MAX_DESCRIPTION_CHARS: Final = 200
"""Characters of a description; lists cut it there."""

_DASHES: Final = frozenset("-\u2010\u2012\u2013\u2014\u2015\u2212")

_STATUSES: Final = {status.value: status for status in ArticleStatus}

_LINE_END = re.compile("[\n\u2028\u2029]")

MATURITIES: Final = ("Proposed", "Standard", "Deprecated", "Experimental")


def read_article(raw: RawFile) -> ParseResult[ArticleFields]:
    """Return the article in a file, with every problem of the file."""
    text, removed, problems, unseen = clean_text(raw.path, raw.text)
    try:
        require_complete(text)
        parts = split(text)
        fields = parse(parts.frontmatter) if parts.frontmatter is not None else None
    except FrontmatterError as error:
        problem = Problem(raw.path, error.line, error.column, "KB010", error.message)
        stated = (cut_frontmatter(text), cut_frontmatter(raw.text))
        keeps = not any(map(hides_when_unparsable, stated))
        return ParseResult(None, (problem, *problems), keeps_last_good=keeps)
    if fields is None:
        problem = Problem(raw.path, 1, 1, "KB010", _explain_missing(text))
        return ParseResult(None, (problem, *problems))
    reader = _FieldReader(
        raw.path,
        fields,
        list(problems),
        removed,
        unseen,
        misspelt=find_misspelt(fields.items),
        source=raw.text,
    )
    # Without a status: hidden from readers, complete for its author.
    status = reader.status() or ArticleStatus.DRAFT
    category, slug = raw.path.removesuffix(".md").split("/")
    body = parts.body.lstrip("\n")
    above = text[: len(text) - len(body)]
    if (references := fields.items.get("references")) is not None:
        body = append_references(body, reader, references)
    if (aliases := fields.items.get(ALIASES)) is not None:
        reader.problems += check_aliases(raw.path, aliases)
        reader.positions[ALIASES] = (SourcePosition(aliases.line, aliases.column),)
    for name, value in reader.misspelt.items():
        if name not in REQUIRED:
            reader.report(value, "KB025", f"unknown field: did you mean '{name}'?")
    positions = SourcePositions(above.count("\n") + 1, reader.positions)
    article = Article(
        category=category,
        slug=slug,
        title=reader.text("title"),
        description=reader.description(),
        tags=reader.words("tags"),
        last_updated=reader.date("lastUpdated", required=True) or "",
        status=status,
        maturity=reader.maturity(),
        author=reader.optional_text("author"),
        published=reader.date("publishedDate"),
        related=reader.words("relatedIds"),
        superseded_by=reader.words("supersededBy"),
        metadata=read_metadata(reader, FIELDS),
        removed=reader.removed,
        text=LazyValue(ArticleText(body, positions)),
    )
    problems = tuple(reader.problems)
    if reader.is_broken and status.is_visible:
        return ParseResult(Unreadable(category, slug), problems, keeps_last_good=True)
    return ParseResult(article, problems)


def _explain_missing(text: str) -> str:
    """Return the message for a file that does not begin with a line '---'."""
    begin, first = text.lstrip(), text.partition("\n")[0].strip()
    if begin.startswith(("+++", "{", ";;;")):
        return (
            "the frontmatter is not YAML: write 'field: value' lines between two "
            "lines '---'"
        )
    is_below = begin.startswith("<!--") and f"\n{YAML_FENCE}\n" in begin
    if begin.startswith(f"{YAML_FENCE}\n") or is_below:
        return "text or blanks above the line '---': begin the file with it"
    if first and _DASHES.issuperset(first):
        return "the first line is not exactly '---': write three hyphens only"
    return "no frontmatter: begin the file with a line '---'"


def keeps_last_good(head: str) -> bool:
    """Whether the head of a file that is not text states no hidden status."""
    return not hides_when_unparsable(cut_frontmatter(head))


@dataclass(slots=True)
class _FieldReader(FieldCleaner):
    """Reads fields by name and collects their problems."""

    misspelt: abc.Mapping[str, Value] = field(default_factory=dict)
    """Values by the name that their field should have."""
    source: str = ""
    """The text of the file, invisible characters included."""
    positions: dict[str, tuple[SourcePosition, ...]] = field(default_factory=dict)
    is_broken: bool = False
    """Whether a fault prevents the article from being served."""

    def report(
        self, where: Scalar | Sequence | Mapping, code: str, message: str
    ) -> None:
        """Record a fault that does not prevent serving the article."""
        self.problems.append(
            Problem(self.path, where.line, where.column, code, message)
        )

    def _get(self, name: str) -> Value | None:
        """Return a field's value, or None if it is absent or null."""
        value = self.fields.items.get(name)
        return None if isinstance(value, Scalar) and value.is_null else value

    def _is_masked(self, value: Scalar) -> bool:
        """Whether a value's line has invisible characters in the file."""
        if not self.removed:
            return False
        line = _LINE_END.split(self.source)[value.line - 1]
        return strip_invisible(line) != line

    def status(self) -> ArticleStatus | None:
        """Return the status; None, which hides, unless it matches exactly."""
        value = self.fields.items.get("status")
        is_masked = isinstance(value, Scalar) and self._is_masked(value)
        if isinstance(value, Scalar) and value.text in _STATUSES and not is_masked:
            return _STATUSES[value.text]
        advice = f"write one of {', '.join(_STATUSES)}"
        if isinstance(value, Scalar) and not value.is_null:
            close = get_close_matches(value.text.capitalize(), _STATUSES, n=1)
            advice = f"did you mean {close[0]}?" if close else advice
            self.report(value, "KB013", f"unknown status, so it is hidden: {advice}")
            return None
        if value is None and (value := self.misspelt.get("status")) is not None:
            advice = "write 'status' as the name of this field"
        elif isinstance(value, (Sequence, Mapping)):
            advice += ", without brackets"
        where = value or self.fields
        self.report(where, "KB013", f"no status, so it is hidden: {advice}")
        return None

    def text(self, name: str) -> str:
        """Return a required text field."""
        value = self._get(name)
        if value is None:
            self._report_absent(name, "...")
            return ""
        text = self.clean(value).split() if isinstance(value, Scalar) else []
        if not text:
            self._break(value, "KB012", f"{name} must be a string: put it in quotes")
        return " ".join(text)

    def optional_text(self, name: str) -> str | None:
        """Return a text field, or None if it is absent."""
        return None if self._get(name) is None else self.text(name) or None

    def description(self) -> str:
        """Return the description, uncut."""
        text = self.text("description")
        if len(text) > MAX_DESCRIPTION_CHARS:
            message = (
                f"description has {len(text)} characters, lists cut it at "
                f"{MAX_DESCRIPTION_CHARS}: shorten it"
            )
            self.report(self.fields.items["description"], "KB014", message)
        return text

    def words(self, name: str) -> tuple[str, ...]:
        """Return a list of texts; `a, b` is a list too, absent is empty."""
        value = self._get(name)
        if value is None:
            return ()
        words = self.clean_list(value)
        items = value.items if isinstance(value, Sequence) else [value]
        if not all(isinstance(item, Scalar) for item in items):
            self._break(value, "KB012", f"{name} must be a list of strings: [a, b]")
        self.positions[name] = tuple(
            [SourcePosition(w.line, w.column) for _, w in words]
        )
        return tuple([word for word, _ in words])

    def date(self, name: str, *, required: bool = False) -> str | None:
        """Return a date as ISO 8601, without the time of day."""
        value = self._get(name)
        if value is None:
            if required:
                self._report_absent(name, "2025-01-31")
            return None
        self.positions[name] = (SourcePosition(value.line, value.column),)
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
        self.report(self.fields.items["maturity"], "KB012", message)
        return None

    def _report_absent(self, name: str, example: str) -> None:
        """Record that a required field is missing, has no value or is misspelt."""
        value = self.fields.items.get(name)
        if value is not None:
            message = f"{name} has no value: write one, in quotes if it begins with '#'"
        elif (value := self.misspelt.get(name)) is not None:
            message = f"{name} is missing: write '{name}' as the name of this field"
        else:
            message = f"{name} is missing: add a line '{name}: {example}'"
        self._break(value, "KB011", message)

    def _break(
        self, where: Scalar | Sequence | Mapping | None, code: str, message: str
    ) -> None:
        self.is_broken = True
        self.report(where or self.fields, code, message)
