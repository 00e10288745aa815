"""Glob matching for the path patterns of rules.

No two tools agree on the syntax; this one is:

- `*` matches any part of one name, `?` one character of it, `[a-z]` and `[!a-z]` one of
  a class, `**` as a whole name any number of folders, `{a,b}` either; a leading dot is
  not special; matching is case-sensitive.
- `src/` matches all below `src`; so does `src/**`. A leading `/` or `./` anchors the
  pattern at its base folder, as does any other slash.
- A pattern without a slash matches names at any depth in Cursor's rules, the usual
  meaning of `*.ts` there, and only names at the top in Claude's, as documented there.
- A pattern that begins with `!` excludes matches of the others.

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
"""Patterns that the braces of one expand to."""

MAX_PATTERNS: Final = 200
"""Patterns per rule; later ones are ignored."""

MAX_STEPS: Final = 1_000_000
"""Cost limit of one request, in names compared and characters read; a project of 300
rules needs some 20,000."""

_ANYWHERE: Final = "**"


def expand_braces(pattern: str) -> tuple[str, ...]:
    """Return the patterns that the braces of one expand to.

    Return none if its length, or their number, exceeds the limits.
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
    """Return the offsets of the first braces with a choice, and of their commas."""
    if "{" not in text:
        return None
    closings = find_closings(text)
    for begin in sorted(closings):
        if text[begin] != "{":
            continue
        offsets, at = [begin], begin + 1
        while at < closings[begin]:
            if text[at] == ",":
                offsets.append(at)
            at = closings.get(at, at) + 1
        if offsets[1:]:
            return [*offsets, closings[begin]]
    return None


class Matcher:
    """Matches paths against patterns; matches nothing once out of steps."""

    def __init__(self, max_steps: int = MAX_STEPS) -> None:
        self._left = max_steps

    @property
    def is_exhausted(self) -> bool:
        """Whether it ran out of steps, so that its last results may be wrong."""
        return self._left < 0

    def find(
        self, patterns: Sequence[str], path: str, *, bare_matches_anywhere: bool
    ) -> str | None:
        """Return the first matching pattern, or None.

        None as well if an excluding pattern (`!`) matches.
        """
        match: str | None = None
        for pattern in patterns[:MAX_PATTERNS]:
            excludes = pattern.startswith("!")
            if match is not None and not excludes:
                continue
            if self.matches(pattern.removeprefix("!"), path, bare_matches_anywhere):
                if excludes:
                    return None
                match = pattern
        return match

    def matches(self, pattern: str, path: str, bare_matches_anywhere: bool) -> bool:
        """Whether a path, relative and with slashes, matches a pattern."""
        names = path.split("/")
        for alternative in expand_braces(pattern) if self._left >= 0 else ():
            # The cost of building an alternative grows with the pattern.
            self._left -= 1 + len(pattern)
            wanted = _split_names(alternative, bare_matches_anywhere)
            if wanted and self._match(wanted, names):
                return True
        return False

    def _match(self, wanted: Sequence[str], names: Sequence[str]) -> bool:
        """Whether names match segments one by one."""
        states = {0}
        for number, segment in enumerate(wanted):
            self._left -= len(states)
            if not states or self._left < 0:
                return False
            if segment == _ANYWHERE:
                # At the end it needs one name at least: `src/**` is not `src`.
                is_last = number == len(wanted) - 1
                states = set(range(min(states) + is_last, len(names) + 1))
            else:
                states = set(_step(segment, states, names))
        return len(names) in states


def _split_names(pattern: str, bare_matches_anywhere: bool) -> tuple[str, ...]:
    """Split a pattern into name segments, from its base folder."""
    is_bare = "/" not in pattern.removesuffix("/")
    names = [name for name in pattern.split("/") if name not in ("", ".")]
    if not names:
        return ()
    if pattern.endswith("/"):
        names.append(_ANYWHERE)
    if is_bare and bare_matches_anywhere:
        names.insert(0, _ANYWHERE)
    return tuple(names)


def _step(segment: str, states: set[int], names: Sequence[str]) -> Iterator[int]:
    regex = _compile(segment)
    for state in states:
        if state < len(names) and regex.fullmatch(names[state]):
            yield state + 1


@lru_cache(maxsize=1_024)
def _compile(segment: str) -> re.Pattern[str]:
    # Without backtracking: the output of `fnmatch` is atomic between two stars.
    return re.compile(fnmatch.translate(segment))
