"""Directives of MyST in the lines of a text: their options, and where they end."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from asdlc_kb.markup.blocks import FENCE_MARK, FenceTracker, LineKind
from asdlc_kb.markup.dialects.elements import TagArguments, read_arguments
from asdlc_kb.markup.dialects.source import dedent

FENCED: Final = re.compile(
    rf"(?!`{{3,}}+[^`\n]*+`)(?P<mark>{FENCE_MARK}|:{{3,}})[ ]?"
    r"\{(?P<name>[A-Za-z][\w:+.-]{0,80})(?:[ ]++(?P<inline>[^{}\n]{0,500}+))?\}"
    r"(?P<argument>[^\n]*+)\Z"
)
"""The first line of a directive."""

_PLAIN: Final = re.compile(FENCE_MARK)
_COLONS: Final = re.compile(r"(?P<mark>:{3,})(?P<rest>.*)")
_OPTION: Final = re.compile(r":(?P<key>[A-Za-z][\w-]*):(?:[ ]+(?P<value>.*))?[ ]*\Z")
_YAML: Final = re.compile(r"(?P<key>[A-Za-z][\w-]*):[ ]*(?P<value>.*)\Z")

CODE: Final = frozenset(
    "code code-block code-cell sourcecode parsed-literal prompt ipython highlight-code "
    "doctest testcode testoutput testsetup console jupyter-execute plot altair-plot "
    "graphviz digraph uml plantuml eval-rst pyscript py-editor try-examples mermaid "
    "terminal thebe-button command-output program-output embed:rst".split()
)
"""Directives with code as their text; mostly in the language of their argument."""


class Directive(NamedTuple):
    """A directive: what stands behind its name, its options and its lines."""

    name: str
    argument: str
    options: TagArguments
    body: list[str]


def find_containers(lines: Sequence[str]) -> Mapping[int, int]:
    """Return the index of the closing line of each container of colons.

    One that nothing closes ends with the text.
    """
    fence = FenceTracker()
    opened: list[tuple[int, int]] = []
    ends: dict[int, int] = {}
    for at, line in enumerate(lines):
        if fence.classify(line) is not LineKind.TEXT:
            continue
        found = _COLONS.match(line.strip())
        if found is None:
            continue
        size = len(found["mark"])
        if found["rest"].strip():
            opened.append((at, size))
            continue
        while opened and opened[-1][1] < size and len(opened) > 1:
            ends[opened.pop()[0]] = at
        if opened and opened[-1][1] <= size:
            ends[opened.pop()[0]] = at
    return ends | {at: len(lines) for at, _ in opened}


def find_text_lines(lines: Sequence[str]) -> Iterator[int]:
    """Yield the indexes of the lines that are not in code.

    The first lines of directives are among them, those of code too.
    """
    opened: list[tuple[str, bool]] = []
    for at, line in enumerate(lines):
        bare = line.strip()
        mark, is_code = opened[-1] if opened else ("", False)
        if mark and closes_fence(bare, mark):
            opened.pop()
        elif is_code:
            pass
        elif directive := FENCED.match(bare):
            opened.append((directive["mark"], directive["name"].lower() in CODE))
            yield at
        elif plain := _PLAIN.match(bare):
            opened.append((plain[0], True))
        else:
            yield at


def closes_fence(line: str, mark: str) -> bool:
    """Whether a line ends the directive that a mark begins."""
    bare = line.strip()
    return bare.startswith(mark) and not bare.strip(mark[0])


def find_fence_end(lines: Sequence[str], at: int, mark: str) -> int:
    """Return the index of the line that closes the fence at an index.

    Their number if nothing closes it.
    """
    following = range(at + 1, len(lines))
    return next(
        (end for end in following if closes_fence(lines[end], mark)), len(lines)
    )


def read_directive(first: re.Match[str], lines: list[str]) -> Directive:
    """Return a directive without the options in its first line and the next ones."""
    at = 0
    options = dict(_read_inline(first["inline"] or ""))
    is_yaml = bool(lines) and lines[0].strip() == "---"
    pattern = _YAML if is_yaml else _OPTION
    at += is_yaml
    while at < len(lines):
        bare = lines[at].strip()
        found = pattern.match(bare)
        if found is not None:
            options[found["key"].lower()] = (found["value"] or "").strip("\"' ")
        elif not is_yaml or bare == "---":
            at += is_yaml
            break
        at += 1
    name, argument = first["name"].lower(), first["argument"].strip()
    return Directive(name, argument, TagArguments(named=options), lines[at:])


def _read_inline(text: str) -> Iterator[tuple[str, str]]:
    """Yield the options in the braces of `{name #id .class key=value}`."""
    found = read_arguments(text)
    yield from found.named.items()
    classes = [each[1:] for each in found.positional if each[:1] == "."]
    if classes:
        yield "class", " ".join([*found.get("class").split(), *classes])
    yield from (("name", each[1:]) for each in found.positional if each[:1] == "#")


def list_directives(lines: list[str]) -> Iterator[Directive]:
    """Yield the directives directly in another one."""
    ends = find_containers(lines)
    at = 0
    while at < len(lines):
        first = FENCED.match(lines[at].strip())
        if first is None:
            at += 1
            continue
        if first["mark"][0] == ":":
            end = ends.get(at, len(lines))
        else:
            end = find_fence_end(lines, at, first["mark"])
        body = dedent(lines[at + 1 : end])
        yield read_directive(first, body)
        at = end + 1
