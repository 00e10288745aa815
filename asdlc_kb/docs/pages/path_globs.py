"""Glob patterns of paths, as in the cascades of Hugo and the defaults of Jekyll.

`*` and `?` match within one name and `**` anywhere; `[a-z]` and `[!a-z]` match one
character, `{a,b}` either text. Without backtracking; case-insensitive.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

MAX_CHARS: Final = 500
"""Characters of a pattern."""

MAX_ALTERNATIVES: Final = 64
"""Patterns that the braces of one stand for."""

MAX_RESULTS: Final = 100_000
"""Matches that are kept."""

_BRACES: Final = re.compile(r"\{([^{}]*)\}")
_TOKEN: Final = re.compile(r"\*+|\?|\[!?+[^\[\]/]++\]|\\?.", re.DOTALL)


class _Token(NamedTuple):
    character: re.Pattern[str]
    repeats: bool


@lru_cache(MAX_RESULTS)
def match_glob(pattern: str, text: str) -> bool | None:
    """Whether a pattern matches a whole text; None for one that is not evaluated."""
    alternatives = _compile(pattern.casefold())
    if alternatives is None:
        return None
    folded = text.casefold()
    return any(_match(tokens, folded) for tokens in alternatives)


def _match(tokens: tuple[_Token, ...], text: str) -> bool:
    states = set(_skip(tokens, 0))
    for character in text:
        states = {
            later
            for at in states
            if at < len(tokens) and tokens[at].character.match(character)
            for later in _skip(tokens, at + (not tokens[at].repeats))
        }
    return len(tokens) in states


def _skip(tokens: tuple[_Token, ...], at: int) -> Iterator[int]:
    """Yield the tokens at which the next character may be, from `at` on."""
    yield at
    while at < len(tokens) and tokens[at].repeats:
        at += 1
        yield at


@lru_cache(1_000)
def _compile(pattern: str) -> tuple[tuple[_Token, ...], ...] | None:
    if len(pattern) > MAX_CHARS:
        return None
    waiting, done = [pattern], list[str]()
    while waiting:
        if len(waiting) + len(done) > MAX_ALTERNATIVES:
            return None
        text = waiting.pop()
        if braces := _BRACES.search(text):
            before, after = text[: braces.start()], text[braces.end() :]
            waiting += (f"{before}{each}{after}" for each in braces[1].split(","))
        else:
            done.append(text)
    try:
        return tuple(tuple(_read(text)) for text in done)
    except re.error:
        return None


def _read(pattern: str) -> Iterator[_Token]:
    for found in _TOKEN.finditer(pattern):
        text = found[0]
        if text[0] == "*":
            yield _Token(re.compile("[^/]" if text == "*" else "(?s:.)"), True)
        elif text == "?":
            yield _Token(re.compile("[^/]"), False)
        elif len(text) > 2:
            inside = text[1:-1].replace("\\", r"\\")
            negated = f"^{inside[1:]}" if inside[0] in "!^" else inside
            yield _Token(re.compile(f"[{negated}]"), False)
        else:
            yield _Token(re.compile(re.escape(text[-1])), False)
