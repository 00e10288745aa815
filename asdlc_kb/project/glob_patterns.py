"""Glob matching for the path patterns of rules.

No two tools agree on the syntax; this one is:

- `*` matches any part of one name, `?` one character of it, `[a-z]` and `[!a-z]` one of
  a class, `**` as a whole name any number of folders, `{a,b}` either; a leading dot is
  not special; matching is case-sensitive.
- `src/` matches all below `src`; so does `src/**`. A leading `/` or `./` anchors the
  pattern at its base folder, as does any other slash.
- A pattern without a slash matches names at the top, or at any depth: each tool
  documents one of these (D-226).
- A pattern that begins with `!` excludes matches of the others.

Claude Code matches as Git does with the patterns of a `.gitignore` (D-276).

A pattern that is too long or has too many alternatives matches nothing.
"""

import fnmatch
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

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
_ESCAPED: Final = re.compile(r"\\([\[\]])")
_CLASS: Final = re.compile(r"\[!([^\]]+)\]")


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


def find_ending(pattern: str) -> str:
    """Return the ending of a pattern that has no wildcards."""
    return re.split(r"[*?\]}/]", pattern)[-1]


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


class _IgnoreRule(NamedTuple):
    """A pattern of a `.gitignore`."""

    pattern: str
    names: tuple[str, ...]
    """Its name segments, in lower case."""
    is_folder: bool
    """Whether it matches folders alone."""
    excludes: bool


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

    def find_as_gitignore(self, patterns: Sequence[str], path: str) -> str | None:
        """Return the pattern with which a `.gitignore` would ignore a path, or None.

        A pattern that matches a folder matches all below it, whatever a later one that
        begins with `!` excludes there.
        """
        rules = [*self._read_gitignore(patterns[:MAX_PATTERNS])]
        names = path.lower().split("/")
        for end in range(1, len(names) + 1):
            match: str | None = None
            for rule in rules:
                if rule.excludes == (match is None):
                    continue
                is_kind = end < len(names) or not rule.is_folder
                if is_kind and self._match(rule.names, names[:end]):
                    match = None if rule.excludes else rule.pattern
            if match is not None:
                return match
        return None

    def _read_gitignore(self, patterns: Sequence[str]) -> Iterator["_IgnoreRule"]:
        """Yield what patterns mean in a `.gitignore`; some mean nothing."""
        for pattern in patterns:
            for one in expand_braces(pattern) if self._left >= 0 else ():
                self._left -= 1 + len(pattern)
                # Claude Code removes this ending, so such a folder is a name anywhere.
                text = one.removeprefix("!").removesuffix("/**")
                inner = text.removesuffix("/")
                names = inner.removeprefix("/").lower().split("/")
                if text.startswith("#") or not {"", ".", ".."}.isdisjoint(names):
                    continue
                if "/" not in inner:
                    names.insert(0, _ANYWHERE)
                # In a class, it reads a sign of negation as one more character.
                literal = (_CLASS.sub(r"[\1!]", name) for name in names)
                segments = tuple(_ESCAPED.sub(r"[\1]", name) for name in literal)
                is_folder = text.endswith("/")
                yield _IgnoreRule(pattern, segments, is_folder, one.startswith("!"))

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
