"""Path patterns as rules have them, and whether a path matches.

Decided, since no two tools agree in all of it:

- `*` is any part of one name, `?` one character of it, `[a-z]` and `[!a-z]` one of a
  class, `**` as a whole name any number of folders, `{a,b}` either; names that begin
  with a dot are names like all others; case matters.
- `src/` means all below `src`; so does `src/**`. A leading `/` or `./` means the folder
  where the pattern counts from, which is where every pattern with a slash begins.
- A pattern without a slash matches names at any depth in Cursor's rules, as people
  mean `*.ts` there, and names at the top alone in Claude's, as is documented there.
- A pattern that begins with `!` takes back what the others match.

A pattern that is too long or has too many alternatives matches nothing.
"""

import fnmatch
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from asdlc_kb.frontmatter.comma_lists import find_closings

MAX_CHARS: Final = 500
"""Characters of one pattern."""

MAX_ALTERNATIVES: Final = 256
"""Patterns that the braces of one stand for."""

MAX_PATTERNS: Final = 200
"""Of one rule; later ones do not count."""

MAX_STEPS: Final = 1_000_000
"""What one question may cost, in names compared and characters read; a project of 300
rules needs some 20,000."""

_ANYWHERE: Final = "**"


def expand_braces(pattern: str) -> tuple[str, ...]:
    """Return the patterns that one with braces stands for.

    None if it, or their number, is beyond the limits.
    """
    if len(pattern) > MAX_CHARS:
        return ()
    waiting = [pattern]
    done: list[str] = []
    while waiting:
        if len(waiting) + len(done) > MAX_ALTERNATIVES:
            return ()
        text = waiting.pop()
        braces = _find_braces(text)
        if braces is None:
            done.append(text)
            continue
        begin, *commas, end = braces
        edges = (begin, *commas, end)
        choices = [text[a + 1 : b].strip() for a, b in pairwise(edges)]
        waiting.extend(text[:begin] + c + text[end + 1 :] for c in reversed(choices))
    return tuple(done)


def _find_braces(text: str) -> list[int] | None:
    """Return where the first braces with a choice begin, have commas, and end."""
    if "{" not in text:
        return None
    closings = find_closings(text)
    for begin in sorted(closings):
        if text[begin] != "{":
            continue
        places, at = [begin], begin + 1
        while at < closings[begin]:
            if text[at] == ",":
                places.append(at)
            at = closings.get(at, at) + 1
        if places[1:]:
            return [*places, closings[begin]]
    return None


class Matcher:
    """Compares patterns with paths; answers no once it took too many steps."""

    def __init__(self, most_steps: int = MAX_STEPS) -> None:
        self._left = most_steps

    @property
    def is_exhausted(self) -> bool:
        """Whether its last answers may be wrong."""
        return self._left < 0

    def find(
        self, patterns: Sequence[str], path: str, *, bare_matches_anywhere: bool
    ) -> str | None:
        """Return the first pattern that a path matches, or None.

        None as well if it matches one that begins with `!`.
        """
        found: str | None = None
        for pattern in patterns[:MAX_PATTERNS]:
            excludes = pattern.startswith("!")
            if found is not None and not excludes:
                continue
            if self.matches(pattern.removeprefix("!"), path, bare_matches_anywhere):
                if excludes:
                    return None
                found = pattern
        return found

    def matches(self, pattern: str, path: str, bare_matches_anywhere: bool) -> bool:
        """Whether a path, relative and with slashes, matches a pattern."""
        names = path.split("/")
        for alternative in expand_braces(pattern) if self._left >= 0 else ():
            # What an alternative costs to make grows with the pattern.
            self._left -= 1 + len(pattern)
            wanted = _split_names(alternative, bare_matches_anywhere)
            if wanted and self._match(wanted, names):
                return True
        return False

    def _match(self, wanted: Sequence[str], names: Sequence[str]) -> bool:
        """Whether names match one by one."""
        places = {0}
        for number, segment in enumerate(wanted):
            self._left -= len(places)
            if not places or self._left < 0:
                return False
            if segment == _ANYWHERE:
                # At the end it asks for a name at least: `src/**` is not `src`.
                is_last = number == len(wanted) - 1
                places = set(range(min(places) + is_last, len(names) + 1))
            else:
                places = set(_step(segment, places, names))
        return len(names) in places


def _split_names(pattern: str, bare_matches_anywhere: bool) -> tuple[str, ...]:
    """Return the names that a pattern asks for, from the top."""
    is_bare = "/" not in pattern.removesuffix("/")
    names = [name for name in pattern.split("/") if name not in ("", ".")]
    if not names:
        return ()
    if pattern.endswith("/"):
        names.append(_ANYWHERE)
    if is_bare and bare_matches_anywhere:
        names.insert(0, _ANYWHERE)
    return tuple(names)


def _step(segment: str, places: set[int], names: Sequence[str]) -> Iterator[int]:
    fits = _compile(segment)
    for place in places:
        if place < len(names) and fits.fullmatch(names[place]):
            yield place + 1


@lru_cache(maxsize=1_024)
def _compile(segment: str) -> re.Pattern[str]:
    # Without backtracking: what `fnmatch` writes is atomic between two stars.
    return re.compile(fnmatch.translate(segment))
