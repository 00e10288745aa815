"""The dialect of docsify: tips, options in titles of links, tabs, embedded files."""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import PurePosixPath
from typing import Final

from asdlc_kb.markup.blocks import FenceTracker, LineKind
from asdlc_kb.markup.dialects.constructs import Tab, trim, write_callout, write_tabs
from asdlc_kb.markup.dialects.dialect import (
    BlockRule,
    Dialect,
    InlineRule,
    Written,
    drop_mark,
)
from asdlc_kb.markup.dialects.elements import find_elements
from asdlc_kb.markup.dialects.emoji import EMOJI
from asdlc_kb.markup.dialects.includes import Include
from asdlc_kb.markup.dialects.source import Output, Source

_KINDS: Final = {"?": "tip", "!": "important"}
"""General tips, and important content."""

_TABS: Final = re.compile(
    r"<!--\s*+(?P<name>tabs):(?:start|(?P<end>end))(?P<arguments>)\s*+-->(?P<single>)"
)
_TAB: Final = re.compile(
    r"#{1,6}[ \t]+(?:\*\*(.+)\*\*|__(.+)__)[ \t#]*$|<!--\s*tab:(.+?)-->[ \t]*$"
)
_OPTIONS: Final = re.compile(r"(?<!\S):[\w-]++(?:=(?!['\"])\S*+)?+")
_TITLE: Final = re.compile(
    r"(\]\([^()\s]++)[ \t]+(?:'([^'\n]{0,300}+)'|\"([^\"\n]{0,300}+)\")[ \t]*\)"
)
_HEADING_ID: Final = re.compile(
    r"(?m)^([ \t>]*+#{1,6}[ \t][^\n]*?)(?:(?<![ \t])|(?<=#[ \t]))[ \t]++"
    r":id=([\w-]{1,100}+)[ \t]*+$"
)
_IGNORE: Final = re.compile(
    r"(?<![ \t])[ \t]*+(?:<!--[ ]*+)?+\{docsify-ignore(?:-all)?+\}(?:[ ]*+-->)?+"
)
_EMBED: Final = re.compile(
    r"!?\[[^\[\]\n]{0,300}+\]\(([^()\s]++)[ \t]+"
    r"(['\"]):include\b([^'\"\n]{0,300}+)\2[ ]*\)"
)
_MARKDOWN: Final = frozenset({".md", ".markdown"})
_SHOWN: Final = frozenset({".html", ".htm", ".mp3", ".mp4", ".ogg"})
"""Files that docsify embeds as a frame, sound or video."""


def _read_tip(first: re.Match[str], source: Source) -> Written:
    lines = [source.lines[source.at].strip()[2:].lstrip()]
    end = source.at + 1
    while end < len(source.lines) and source.lines[end].strip():
        if _TIP.match(source.lines[end].lstrip()):
            break
        lines.append(source.lines[end].strip())
        end += 1
    shown = source.translate(lines)
    return Written(write_callout(_KINDS[first[1]], "", shown), end)


def _read_tabs(first: re.Match[str], source: Source) -> Written | None:
    element = source.element
    if element is None or element.body is None:
        return None
    tabs: list[tuple[str, list[str]]] = [("", [])]
    fence = FenceTracker()
    for line in element.body:
        is_text = fence.classify(line) is LineKind.TEXT
        label = _TAB.match(line.strip()) if is_text else None
        if label is not None:
            tabs.append(((label[1] or label[2] or label[3]).strip(), []))
        else:
            tabs[-1][1].append(line)
    above = source.translate(tabs[0][1])
    shown = [Tab(label, source.translate(lines)) for label, lines in tabs[1:]]
    lines = [*trim(above), *(write_tabs(shown, source) if shown else [])]
    return Written(lines, element.end)


def _write_title(match: re.Match[str], output: Output) -> str:
    """Leave docsify's options out of a link's title."""
    given = match[2] if match[2] is not None else match[3]
    if ":" not in given:
        return match[0]
    title = " ".join(_OPTIONS.sub("", given).split())
    if title == " ".join(given.split()):
        return match[0]
    return f'{match[1]} "{title}")' if title else f"{match[1]})"


def _write_heading(match: re.Match[str], output: Output) -> str:
    return f"{match[1]} {{#{match[2]}}}"


def _find_includes(text: str) -> Iterator[Include]:
    for found in _EMBED.finditer(text):
        path, options = found[1], found[3]
        suffix = PurePosixPath(path.partition("?")[0]).suffix.lower()
        kind = _find_option(options, "type")
        if kind in ("iframe", "video", "audio") or "://" in path:
            continue
        is_code = kind == "code" or (not kind and suffix not in _MARKDOWN)
        if is_code and not kind and suffix in _SHOWN:
            continue
        language = suffix[1:] if is_code else None
        section = _find_option(options, "fragment")
        yield Include(*found.span(), path, section=section, language=language)


def _find_option(options: str, name: str) -> str:
    found = re.search(rf"(?<!\S):{name}=(\S+)", options)
    return found[1] if found else ""


_TIP: Final = re.compile(r"([?!])>(?=[ \t]|\S)")

DOCSIFY: Final = Dialect(
    "docsify",
    (
        BlockRule(_TIP, _read_tip),
        BlockRule(re.compile(r"<!--\s*tabs:start\s*-->"), _read_tabs),
    ),
    (
        InlineRule(_TITLE, _write_title, in_addresses=True),
        InlineRule(_IGNORE, drop_mark, in_addresses=True, sign="{docsify-"),
        InlineRule(_HEADING_ID, _write_heading, sign=":id="),
        EMOJI,
    ),
    find_includes=_find_includes,
    find_elements=partial(find_elements, tag=_TABS),
)
