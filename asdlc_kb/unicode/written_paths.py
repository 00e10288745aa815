"""Paths in names of content as models write them: URIs, web addresses, titles."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeAlias
from urllib.parse import unquote, urlsplit

MAX_TITLE_CHARS: Final = 2_000
"""Characters of a title that are compared."""

Titles: TypeAlias = Mapping[str, str | tuple[str, ...]]
"""Names by title in one case: one name, or several that share it."""

_WEB = re.compile(r"https?://", re.IGNORECASE)


def read_paths(written: str, uri_prefix: str) -> Iterator[str]:
    """Yield the paths that a name can stand for, as written first.

    A URI with the prefix or a web address is reduced to its decoded path, without
    query and fragment; a path is yielded without its fragment too.
    """
    text = written.strip()
    if text.startswith(uri_prefix):
        text = re.split(r"[?#]", text.removeprefix(uri_prefix), maxsplit=1)[0]
    elif _WEB.match(text):
        try:
            text = urlsplit(text).path
        except ValueError:
            return
    else:
        yield text
        if "#" in text:
            yield text.partition("#")[0]
        return
    yield unquote(text)


def fold_title(title: str) -> str:
    """Return the beginning of a title in one case, on one line."""
    return " ".join(title[:MAX_TITLE_CHARS].split()).casefold()


def index_titles(titled: Iterable[tuple[str, str]]) -> Titles:
    """Return the names of some pairs of a title and a name, by title."""
    names: dict[str, str | tuple[str, ...]] = {}
    several: dict[str, dict[str, None]] = {}
    for title, name in titled:
        folded = fold_title(title)
        first = names.setdefault(folded, name)
        if isinstance(first, str) and first != name:
            several.setdefault(folded, {first: None})[name] = None
    names.update((title, tuple(shared)) for title, shared in several.items())
    names.pop("", None)
    return names


def find_titled(titles: Titles, title: str) -> tuple[str, ...]:
    """Return the names with a title, in any case."""
    names = titles.get(fold_title(title), ())
    return (names,) if isinstance(names, str) else names
