"""Elements between tags such as `{{< name arguments >}}` or `{% name %}`.

Found once for each container, in linear time: an element that is never closed has no
body, and tags in fenced code and in code spans are none.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain
from typing import Final, NamedTuple, TypeAlias

from asdlc_kb.markup.blocks import FenceTracker, LineKind

LIQUID_ARGUMENTS: Final = (
    r"(?:\"[^\"]{0,2000}+\"|'[^']{0,2000}+'|(?!-?%\}|\{%)[^\"'])*+"
)
"""The pattern of what stands behind the name in `{% name %}`, up to its end."""

_ARGUMENT: Final = re.compile(
    r"(?:([A-Za-z_][\w.:-]{0,100}+)\s*+=\s*+)?+"
    r"(?:\"((?:[^\"\\]|\\.)*+)\"|'([^']*+)'|`([^`]*+)`|([^\s\"'`]++))"
)

_BLANK: Final = re.compile(r"\s*+\Z")


class TagArguments(NamedTuple):
    """The arguments of a tag."""

    positional: tuple[str, ...] = ()
    named: Mapping[str, str] = {}
    """By name in lower case."""

    def get(self, *names: str, position: int | None = None) -> str:
        """Return the first argument of these names, or the one at a position, or ""."""
        for name in names:
            if value := self.named.get(name):
                return value
        if position is None or position >= len(self.positional):
            return ""
        return self.positional[position]


class Element(NamedTuple):
    """An element of whole lines."""

    name: str
    arguments: TagArguments
    body: list[str] | None
    """The dedented lines between its tags; None if it has one tag only."""
    end: int
    """Index of the line below it."""
    tag: str
    """Its first tag."""


IsWanted: TypeAlias = Callable[[re.Match[str], Iterator[str]], bool]
"""Whether a rule may take the element of a tag, before the lines behind it."""

FindElements: TypeAlias = Callable[[Sequence[str]], Mapping[int, Element]]
"""Return the elements of a container by the index of their first line."""


class _Pair(NamedTuple):
    opening: re.Match[str]
    closing: re.Match[str] | None


def find_no_elements(lines: Sequence[str]) -> Mapping[int, Element]:
    """Return no element."""
    return {}


def read_arguments(text: str) -> TagArguments:
    """Return the positional and named arguments in the text of a tag."""
    positional: list[str] = []
    named: dict[str, str] = {}
    for match in _ARGUMENT.finditer(text):
        quoted = match[2].replace('\\"', '"') if match[2] is not None else None
        values = (quoted, match[3], match[4], match[5])
        value = next((value for value in values if value is not None), "")
        if match[1]:
            named.setdefault(match[1].lower(), value)
        else:
            positional.append(value)
    return TagArguments(tuple(positional), named)


def find_elements(
    lines: Sequence[str],
    tag: re.Pattern[str],
    *others: re.Pattern[str],
    is_wanted: IsWanted | None = None,
) -> Mapping[int, Element]:
    """Return the elements with tags that a pattern matches, and that are wanted.

    The groups of a pattern are `end`, `name`, `arguments` and, for a tag without a
    body, `single`. `is_wanted` decides before the body is read: those of nested
    elements that no rule takes are together much larger than the container.
    """
    text = "\n".join(_blank_code(lines))
    found = (_pair(pattern.finditer(text)) for pattern in (tag, *others))
    return _Elements(lines, chain.from_iterable(found), is_wanted)


class _Elements(Mapping[int, Element]):
    """The elements of a container; each is read when it is asked for.

    The bodies of nested elements together are much larger than the container.
    """

    def __init__(
        self, lines: Sequence[str], pairs: Iterable[_Pair], is_wanted: IsWanted | None
    ) -> None:
        self._lines = lines
        self._starts = [0, *accumulate(len(line) + 1 for line in lines)]
        self._pairs: dict[int, _Pair] = {}
        for pair in pairs:
            first, above = self._locate(pair.opening.start())
            last, end = self._locate((pair.closing or pair.opening).end())
            is_whole = _BLANK.match(lines[first], 0, above)
            if not is_whole or not _BLANK.match(lines[last], end):
                continue
            if is_wanted is None or is_wanted(pair.opening, self._follow(pair)):
                self._pairs.setdefault(first, pair)

    def __getitem__(self, at: int) -> Element:
        opening, closing = self._pairs[at]
        last, _ = self._locate((closing or opening).end())
        body = None
        if closing is not None:
            span = opening.end(), closing.start()
            body = _cut_body(self._lines, self._starts, *span)
        arguments = read_arguments(opening["arguments"])
        name = opening["name"].lower()
        return Element(name, arguments, body, last + 1, opening[0])

    def _follow(self, pair: _Pair) -> Iterator[str]:
        """Yield the rest of the line of an opening tag, and the lines below it."""
        at, column = self._locate(pair.opening.end())
        yield self._lines[at][column:]
        for number in range(at + 1, len(self._lines)):
            yield self._lines[number]

    def __iter__(self) -> Iterator[int]:
        return iter(self._pairs)

    def __len__(self) -> int:
        return len(self._pairs)

    def _locate(self, offset: int) -> tuple[int, int]:
        """Return the index of a line, and a position in it."""
        at = bisect_right(self._starts, offset) - 1
        return at, offset - self._starts[at]


def _pair(tags: Iterator[re.Match[str]]) -> Iterator[_Pair]:
    """Yield the elements in the order in which they end."""
    opened: list[re.Match[str]] = []
    counts: dict[str, int] = {}
    for tag in tags:
        if tag.string[tag.start() - 1 : tag.start()] == "`":
            continue
        name = tag["name"].lower()
        if not tag["end"] and not tag["single"]:
            opened.append(tag)
            counts[name] = counts.get(name, 0) + 1
        elif not tag["end"]:
            yield _Pair(tag, None)
        elif counts.get(name):
            yield from _close(name, opened, counts, tag)
    for tag in opened:
        yield _Pair(tag, None)


def _close(
    name: str,
    opened: list[re.Match[str]],
    counts: dict[str, int],
    closing: re.Match[str],
) -> Iterator[_Pair]:
    """Yield the innermost open element of a name, and those in it without an end."""
    while True:
        tag = opened.pop()
        found = tag["name"].lower()
        counts[found] -= 1
        if found == name:
            yield _Pair(tag, closing)
            return
        yield _Pair(tag, None)


def _blank_code(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines, fenced code replaced by blanks."""
    fence = FenceTracker()
    for line in lines:
        is_text = fence.classify(line) is LineKind.TEXT
        yield line if is_text else " " * len(line)


def _cut_body(
    lines: Sequence[str], starts: Sequence[int], start: int, end: int
) -> list[str]:
    """Return the dedented text between two tags."""
    first = bisect_right(starts, start) - 1
    last = bisect_right(starts, end) - 1
    if first == last:
        offset = starts[first]
        return [lines[first][start - offset : end - offset].strip()]
    body = [
        lines[first][start - starts[first] :].lstrip(),
        *lines[first + 1 : last],
        lines[last][: end - starts[last]],
    ]
    indents = [len(b) - len(b.lstrip(" ")) for b in body[1:] if b.strip()]
    indent = min(indents, default=0)
    shown = [body[0], *(line[indent:] if line.strip() else "" for line in body[1:])]
    # The tags have lines of their own.
    return shown[not shown[0].strip() : len(shown) - (not shown[-1].strip())]
