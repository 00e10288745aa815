"""Fields of frontmatter that state what is built of a page, and when."""

import re
from datetime import UTC, datetime
from itertools import chain
from math import inf
from typing import Final, NamedTuple

from asdlc_kb.frontmatter.nodes import Mapping, Scalar, Value

PUBLISHED_FROM: Final = ("publishdate", "pubdate")
EXPIRED_FROM: Final = ("expirydate", "unpublishdate")
_UPDATED_FROM: Final = (
    *("lastmod", "lastupdated", "last_updated", "last_update.date"),
    *("last_modified_at", "last_modified", "updated", "modified"),
    *("date.updated", "date", "date.created"),
)
"""Names of the date of the last update; then that of publication."""
_POST_DATE = re.compile(r"(?:\A|/)_posts/(?:.*/)?(\d{4}-\d{2}-\d{2})-[^/]*\Z")
_ZONE = re.compile(r"(?<!\s)\s++(?=[+-]\d\d:?\d\d\Z|Z\Z)")
_TRUE: Final = frozenset({"true", "yes", "on", "y", "t", "1"})
FALSE: Final = frozenset({"false", "no", "off", "n", "f", "0"})


class StatedFields:
    """Values by case-folded name; a name with a dot is that of a nested value."""

    def __init__(self, fields: Mapping) -> None:
        self.values = {key.strip().casefold(): v for key, v in fields.items.items()}

    def find(self, name: str) -> Value | None:
        """Return the value of a field, None if there is none."""
        outer, _, inner = name.partition(".")
        value = self.values.get(outer)
        if inner:
            return (
                StatedFields(value).find(inner) if isinstance(value, Mapping) else None
            )
        return value

    def find_text(self, names: tuple[str, ...]) -> str:
        """Return the first of the values that is a text, on one line."""
        for name in names:
            value = self.find(name)
            if isinstance(value, Scalar) and not value.is_null and value.text.strip():
                return " ".join(value.text.split())
        return ""

    def is_true(self, name: str) -> bool:
        """Whether a field states what is true."""
        return self.find_text((name,)).casefold() in _TRUE

    def is_false(self, name: str) -> bool:
        """Whether a field states what is false."""
        return self.find_text((name,)).casefold() in FALSE


class Build(NamedTuple):
    """What of a page is built."""

    is_hidden: bool = False
    is_listed: bool = True


def read_build(stated: StatedFields) -> Build | None:
    """Return what `build` states, which is `_build` in older versions of Hugo."""
    for name in ("build", "_build"):
        build = stated.find(name)
        if isinstance(build, Mapping):
            inner = StatedFields(build)
            return Build(
                is_hidden=_says_never(inner, "render"),
                is_listed=not _says_never(inner, "list"),
            )
    return None


def _says_never(stated: StatedFields, name: str) -> bool:
    return stated.find_text((name,)).casefold() == "never" or stated.is_false(name)


def read_window(path: str, stated: StatedFields, dialect: str) -> tuple[float, float]:
    """Return when the page begins and ceases to be visible; a date that is none hides.

    The date itself counts where it is that of publication.
    """
    begins, ends = -inf, inf
    if text := stated.find_text(PUBLISHED_FROM):
        begins = _or(read_date(text), inf)
    elif dialect == "hugo" and (text := stated.find_text(("date",))):
        begins = _or(read_date(text), -inf)
    elif post := _POST_DATE.search(path):
        text = stated.find_text(("date",)) or post[1]
        begins = _or(read_date(text), inf) if dialect == "jekyll" else -inf
    if text := stated.find_text(EXPIRED_FROM):
        ends = _or(read_date(text), -inf)
    return begins, ends


def read_updated(path: str, stated: StatedFields) -> str:
    """Return the date of a page's last update as ISO 8601; empty if it is unknown."""
    texts = (stated.find_text((name,)) for name in _UPDATED_FROM)
    post = _POST_DATE.search(path)
    for text in filter(None, chain(texts, post.groups() if post else ())):
        try:
            return datetime.fromisoformat(_ZONE.sub("", text)).date().isoformat()
        except ValueError:
            # As `lastUpdated: false` of VitePress.
            continue
    return ""


def _or(value: float | None, default: float) -> float:
    return default if value is None else value


def read_date(text: str) -> float | None:
    """Return a date's seconds since the epoch; without a zone it is in UTC."""
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(_ZONE.sub("", text))
        zoned = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return zoned.timestamp()
    except (ValueError, OverflowError):
        return None
