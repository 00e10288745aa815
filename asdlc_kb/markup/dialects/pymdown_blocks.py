"""Blocks of Python-Markdown and PyMdown Extensions.

Admonitions `!!! note "Title"`, details `??? note "Title"`, tabs `=== "Label"`, and the
generic blocks between lines of slashes, `/// note | Title`.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from asdlc_kb.markup.blocks import FenceTracker, LineKind
from asdlc_kb.markup.dialects.constructs import (
    Tab,
    trim,
    write_callout,
    write_details,
    write_tabs,
)
from asdlc_kb.markup.dialects.dialect import BlockRule, Written
from asdlc_kb.markup.dialects.source import Source, count_indent, dedent

MAX_OPTIONS: Final = 20
"""Lines of options of a generic block."""

_ADMONITION: Final = re.compile(
    r"(!!!|\?\?\?\+?)(?=[ \w\"])[ ]?([\w-]*+(?:[ ]++[\w-]++)*+)"
    r"(?:[ ]*+[\"'](.*)[\"'])?[ ]*$"
)
_TAB: Final = re.compile(r"===([+!]{0,2})[ ]++[\"'](.*)[\"'][ ]*$")
_GENERIC: Final = re.compile(r"(/{3,9})[ ]?([A-Za-z][\w-]*+)[ ]*+(?:\|(.*))?$")
_OPTION: Final = re.compile(r"([\w-]+):[ ]*(.*)")
_PLAIN: Final = re.compile(r"\*\*|__|`")
_DEFINITION: Final = re.compile(r"-[ ]+(?=\S)")
_VERSIONS: Final = {
    "version-added": ("Added in",),
    "version-changed": ("Changed in",),
    "version-deprecated": ("Deprecated in",),
    "deprecated": ("Deprecated in",),
    "deprecated-removed": ("Deprecated in", "and removed in"),
}
"""What the versions after the name of a block mean."""
_CAPTIONS: Final = ("caption", "figure-caption", "table-caption")


def _read_admonition(first: re.Match[str], source: Source) -> Written | None:
    kind = first[2].partition(" ")[0]
    if not kind and first[3] is None:
        return None
    lines, end = source.take_indented(source.at + 1)
    body = source.translate(lines)
    title = _translate_line(first[3] or "", source)
    fold = {"!!!": "", "???": "-"}.get(first[1], "+")
    return Written(write_callout(kind or "note", title, body, fold=fold), end)


def _read_tabs(first: re.Match[str], source: Source) -> Written | None:
    tabs: list[Tab] = []
    tab: re.Match[str] | None = first
    at = end = source.at
    while tab is not None and not (tabs and "!" in tab[1]):
        lines, end = source.take_indented(at + 1)
        tabs.append(Tab(_read_label(tab[2], source), source.translate(lines)))
        at = _skip_blank(source, end)
        tab = _match_at(_TAB, source, at)
    return Written(write_tabs(tabs, source), end)


def _read_generic(first: re.Match[str], source: Source) -> Written | None:
    if first[2] == "tab":
        return _read_generic_tabs(source)
    block = _read_slashes(first, source, source.at)
    if block is None:
        return None
    options, lines, end = block
    title = (first[3] or "").strip()
    return Written(_write_generic(first[2].lower(), title, options, lines, source), end)


def _write_generic(
    name: str, title: str, options: dict[str, str], lines: list[str], source: Source
) -> list[str]:
    if name == "define":
        return trim(source.translate(_write_definitions(lines)))
    body = source.translate(lines)
    if name == "html" or name in _CAPTIONS:
        return trim(body)
    if name == "details" and "type" not in options:
        is_open = options.get("open", "").lower() == "true"
        summary = _read_label(title, source) or "Details"
        return write_details(summary, body, source, is_open=is_open)
    if name in _VERSIONS:
        return _write_version(name, title, body)
    fold = ""
    if name == "details":
        fold = "+" if options.get("open", "").lower() == "true" else "-"
    kind = options.get("type", name) if name in ("admonition", "details") else name
    shown = _translate_line(title, source)
    return write_callout(kind.replace("-", " "), shown, body, fold=fold)


def _write_version(name: str, versions: str, body: list[str]) -> list[str]:
    words = " ".join(
        f"{word} {version}"
        for word, version in zip(_VERSIONS[name], versions.split(), strict=False)
    )
    words = words or _VERSIONS[name][0].removesuffix(" in")
    kind = "warning" if name.startswith("deprecated") else "note"
    return write_callout(kind, words, body) if trim(body) else [f"*{words}*"]


def _read_generic_tabs(source: Source) -> Written | None:
    tabs: list[Tab] = []
    at = end = source.at
    while (first := _match_at(_GENERIC, source, at)) is not None and first[2] == "tab":
        block = _read_slashes(first, source, at)
        if block is None or (tabs and block[0].get("new", "").lower() == "true"):
            break
        label = _read_label((first[3] or "").strip(), source)
        tabs.append(Tab(label or "Tab", source.translate(block[1])))
        end = block[2]
        at = _skip_blank(source, end)
    return Written(write_tabs(tabs, source), end) if tabs else None


def _read_slashes(
    first: re.Match[str], source: Source, at: int
) -> tuple[dict[str, str], list[str], int] | None:
    """Return the options, the lines and the end of a generic block at a line."""
    options: dict[str, str] = {}
    start = at + 1
    while start < min(len(source.lines), at + 1 + MAX_OPTIONS):
        line = source.lines[start]
        option = _OPTION.fullmatch(line.strip())
        if option is None or count_indent(line) < source.indent + 4:
            break
        options[option[1]] = option[2].strip().strip("\"'")
        start += 1
    end = source.once(_find_ends).get(at)
    if end is None:
        return None
    return options, dedent(source.lines[start:end], source.indent), end + 1


def _find_ends(lines: Sequence[str]) -> Mapping[int, int]:
    """Return the lines that end generic blocks, by those that begin them."""
    fence = FenceTracker()
    opened: dict[int, list[int]] = {}
    ends: dict[int, int] = {}
    for at, line in enumerate(lines):
        if fence.classify(line) is not LineKind.TEXT or "///" not in line:
            continue
        bare = line.strip()
        count = len(bare) - len(bare.lstrip("/"))
        if count == len(bare) and opened.get(count):
            ends[opened[count].pop()] = at
        elif _GENERIC.match(bare):
            opened.setdefault(count, []).append(at)
    return ends


def _write_definitions(lines: list[str]) -> list[str]:
    """Return terms and items as a definition list."""
    written: list[str] = []
    for line in lines:
        mark = _DEFINITION.match(line)
        if mark:
            written.append(f":   {line[mark.end() :]}")
        else:
            written.append(f"  {line}" if line.startswith("  ") else line)
    return written


def _match_at(
    pattern: re.Pattern[str], source: Source, at: int
) -> re.Match[str] | None:
    """Return the match of a line with the construct's indent."""
    if at >= len(source.lines) or count_indent(source.lines[at]) != source.indent:
        return None
    return pattern.match(source.lines[at].strip())


def _skip_blank(source: Source, at: int) -> int:
    while at < len(source.lines) and not source.lines[at].strip():
        at += 1
    return at


def _translate_line(title: str, source: Source) -> str:
    return " ".join(source.translate([title.strip()])) if title.strip() else ""


def _read_label(label: str, source: Source) -> str:
    """Return a label without marks of Markdown, which are not read in a tag."""
    return _PLAIN.sub("", _translate_line(label, source)).strip()


ADMONITION: Final = BlockRule(_ADMONITION, _read_admonition)
"""`!!! note "Title"` and `??? note "Title"`."""

TABS: Final = BlockRule(_TAB, _read_tabs)
"""`=== "Label"`, and those that follow."""

GENERIC_BLOCK: Final = BlockRule(_GENERIC, _read_generic)
"""`/// name | Title`, options, and a text up to a line of as many slashes."""

PYMDOWN_BLOCKS: Final = (ADMONITION, TABS, GENERIC_BLOCK)
"""All of them."""
