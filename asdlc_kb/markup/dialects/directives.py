"""Directives: containers between colons, as `:::tip[Title]`, and those in a line.

Docusaurus and Starlight write a title in brackets, VitePress behind the kind. A
container ends at a line of at least as many colons, or else with its text. One without
a kind is a note, and one of an unknown kind, such as a translated one, is a text.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from asdlc_kb.markup.blocks import FenceTracker, LineKind
from asdlc_kb.markup.dialects.component_writers import (
    write_code_group,
    write_label,
    write_marked_tabs,
)
from asdlc_kb.markup.dialects.constructs import (
    KINDS,
    trim,
    write_callout,
    write_details,
)
from asdlc_kb.markup.dialects.dialect import BlockRule, InlineRule, Written
from asdlc_kb.markup.dialects.source import Output, Source, count_indent, dedent

_FIRST: Final = re.compile(
    r"(?P<colons>:{3,})[ \t]*+(?P<kind>[^\W\d_][\w-]*+|(?=\[))(?P<rest>[^\n]*+)"
)
_LAST: Final = re.compile(r"(:{3,})[ \t]*+\Z")
_LABEL: Final = re.compile(r"[ \t]*+\[(?P<label>.*)\][ \t]*+(?:\{[^{}]*+\})?+[ \t]*+\Z")
_ATTRIBUTES: Final = re.compile(r"\{(?P<attributes>[^{}]*+)\}[ \t]*+\Z")
_TITLE: Final = re.compile(r"(?:title|label)=(?:\"([^\"]*)\"|'([^']*)')")
_LEAF: Final = re.compile(
    r"::[A-Za-z][\w-]*+(?:\[(?P<label>[^\[\]\n]*+)\])?+(?:\{[^{}\n]*+\})?+[ \t]*+\Z"
)
_SPAN: Final = re.compile(
    r":(?<![\w:/]:)[a-zA-Z][\w-]*+\[(?P<label>[^\[\]\n]*+)\](?:\{[^{}\n]*+\})?+"
)
_TAB_GROUPS: Final = frozenset({"tabs", "code-tabs"})
_TAB: Final = re.compile(r"(?:@tab(?::active)?|==)[ \t]+(?P<label>[^\n#]{1,200})")
"""The first line of a tab, as plugins of VuePress and VitePress write it."""
_PLAIN: Final = frozenset("raw v-pre steps".split())


def find_directives(lines: Sequence[str]) -> Mapping[int, int]:
    """Return the index of the closing line of each container, by its first line's.

    A container that nothing closes has the number of lines.
    """
    fence = FenceTracker()
    opened: list[tuple[int, int]] = []
    ends: dict[int, int] = {}
    for at, line in enumerate(lines):
        if fence.classify(line) is not LineKind.TEXT:
            continue
        bare = line.strip()
        if not bare.startswith(":::"):
            continue
        if last := _LAST.match(bare):
            # A longer line than the innermost one has also ends those in it.
            while opened and opened[-1][1] < len(last[1]) and _is_outer(opened, last):
                ends[opened.pop()[0]] = at
            if opened and opened[-1][1] <= len(last[1]):
                ends[opened.pop()[0]] = at
        elif first := _FIRST.match(bare):
            opened.append((at, len(first["colons"])))
    return ends | {at: len(lines) for at, _ in opened}


def _is_outer(opened: Sequence[tuple[int, int]], last: re.Match[str]) -> bool:
    """Whether a closing line belongs to a container around the innermost one."""
    return len(opened) > 1 and opened[-2][1] <= len(last[1]) != opened[-1][1]


def _read_container(first: re.Match[str], source: Source) -> Written | None:
    end = source.once(find_directives).get(source.at)
    if end is None:
        return None
    lines = dedent(source.lines[source.at + 1 : end], source.indent)
    kind = first["kind"].lower() or "note"
    title, is_open = _read_title(first["rest"])
    return Written(_write(kind, title, lines, source, is_open=is_open), end + 1)


def _write(
    kind: str, title: str, lines: list[str], source: Source, *, is_open: bool
) -> list[str]:
    lines = dedent(lines) if _is_indented(lines) else lines
    if kind in _TAB_GROUPS and (tabs := write_marked_tabs(lines, _TAB, source)):
        return tabs
    if kind == "code-group":
        return write_code_group(lines, source)
    body = trim(source.translate(lines))
    if kind == "details":
        label = write_label(title or "Details", source)
        return write_details(label, body, source, is_open=is_open)
    if kind in _PLAIN:
        return body
    if "<" in title:
        title = " ".join(source.translate([title]))
    if kind not in KINDS:
        is_title = title and not title.startswith("#")
        return [f"**{title}**", "", *body] if is_title else body
    return write_callout(kind, title, body)


def _is_indented(lines: Sequence[str]) -> bool:
    """Whether the text of a container is indented below its first line."""
    indents = (count_indent(line) for line in lines if line.strip())
    return 0 < next(indents, 0) < 4


def _read_title(rest: str) -> tuple[str, bool]:
    """Return the title behind a kind, and whether a collapsible text is open."""
    if label := _LABEL.match(rest):
        return label["label"], "open" in rest.rpartition("]")[2]
    found = _ATTRIBUTES.search(rest)
    if found is None:
        return rest.strip(), False
    title = rest[: found.start()].strip()
    named = _TITLE.search(found["attributes"])
    if named is not None and not title:
        title = named[1] or named[2] or ""
    return title, "open" in found["attributes"].split()


def _read_end(first: re.Match[str], source: Source) -> Written:
    """Leave out a closing line that closes nothing."""
    return Written([], source.at + 1)


def _read_leaf(first: re.Match[str], source: Source) -> Written:
    label = first["label"] or ""
    return Written(source.translate([label]) if label else [], source.at + 1)


def _write_span(match: re.Match[str], output: Output) -> str:
    return match["label"]


DIRECTIVES: Final = (
    BlockRule(_FIRST, _read_container),
    BlockRule(_LAST, _read_end),
    BlockRule(_LEAF, _read_leaf),
)
"""Containers, their closing lines, and directives of one line."""

DIRECTIVE_SPAN: Final = InlineRule(_SPAN, _write_span, in_addresses=True, sign=":")
"""A directive in a paragraph, read before expressions: its label stays."""
