"""The dialect of mdBook: includes, hidden lines of code, formulas, admonitions."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Final

from asdlc_kb.markup.blocks import FENCE_MARK, FenceTracker, LineKind
from asdlc_kb.markup.code_info import CodeInfo
from asdlc_kb.markup.dialects.attribute_lists import ATTRIBUTE_LISTS
from asdlc_kb.markup.dialects.constructs import trim, write_callout
from asdlc_kb.markup.dialects.definition_lists import DEFINITION_LIST
from asdlc_kb.markup.dialects.dialect import (
    BlockRule,
    Dialect,
    InlineRule,
    Written,
    drop_mark,
)
from asdlc_kb.markup.dialects.elements import find_elements, read_arguments
from asdlc_kb.markup.dialects.includes import Include
from asdlc_kb.markup.dialects.source import Output, Source, dedent

_INCLUDE: Final = re.compile(
    r"(?<!\\)\{\{\s*+#(?P<name>include|rustdoc_include|playground|playpen|template)"
    r"\s++(?P<arguments>[^{}]{1,500}+)\}\}"
)
_TITLE: Final = re.compile(r"(?<!\\)\{\{\s*+#title\b[^{}\n]{0,500}+\}\}")
_ESCAPED: Final = re.compile(r"\\(\{\{\s*+#)")
_RANGE: Final = re.compile(r"(\d{0,7})(?::(\d{0,7}))?")
_HIDDEN: Final = re.compile(r"(\s*)#(.?)(.*)")
_PREFIX: Final = re.compile(r"(?:^|,)\s*hidelines=([^,\s]{1,20})")
_ADMONISH: Final = re.compile(rf"({FENCE_MARK})[ ]*admonish\b[ ]*([^`\n]{{0,500}})$")
_FORMULA: Final = re.compile(
    r"(?<!`)(?P<run>`++)(?:(?!(?P=run)(?!`)).){0,1000}+(?P=run)|\\\\([()\[\]])"
)
_LISTING: Final = re.compile(
    r"<(?P<end>/)?(?P<name>Listing)\b"
    r"(?P<arguments>(?:\"[^\"]{0,1000}+\"|'[^']{0,1000}+'|[^<>\"'])*+)>(?P<single>)"
)
_ICON: Final = re.compile(
    r"<i class=\"?[^<>\"]{0,100}\bfa-([a-z0-9-]{1,60}+)[^<>]{0,200}>\s*</i>"
)


def _find_includes(text: str) -> Iterator[Include]:
    for found in _INCLUDE.finditer(text):
        words = found["arguments"].split(None, 1)
        path, _, part = words[0].partition(":")
        values = {}
        language = None
        if found["name"] == "template" and len(words) > 1:
            values = dict(read_arguments(words[1]).named)
        elif found["name"] in ("playground", "playpen"):
            language = "rust"
        ranges, section = _read_part(part)
        yield Include(
            *found.span(), path, ranges, section, language=language, values=values
        )


def _read_part(part: str) -> tuple[tuple[tuple[int, int | None], ...], str]:
    """Return the ranges of lines, or the name, behind the path of an include."""
    lines = _RANGE.fullmatch(part)
    if not part or lines is None:
        return (), part
    first = max(1, int(lines[1] or 1))
    if lines[2] is None:
        return ((first, first),), ""
    return ((first, int(lines[2]) if lines[2] else None),), ""


def _rewrite_code(info: CodeInfo, lines: list[str], output: Output) -> list[str]:
    """Leave out the lines that mdBook hides until a reader asks for them."""
    prefix = _PREFIX.search(info.raw)
    if prefix is not None:
        return [line for line in lines if not line.lstrip().startswith(prefix[1])]
    if info.language.lower() != "rust":
        return lines
    return [shown for line in lines if (shown := _show_rust(line)) is not None]


def _show_rust(line: str) -> str | None:
    """Return a line of Rust as mdBook shows it; None for a hidden one."""
    found = _HIDDEN.fullmatch(line)
    if found is None or found[2] in ("!", "["):
        return line
    return f"{found[1]}#{found[3]}" if found[2] == "#" else None


def _read_admonition(first: re.Match[str], source: Source) -> Written | None:
    mark, info = first[1], first[2]
    end = source.at + 1
    while end < len(source.lines):
        bare = source.lines[end].strip()
        if bare.startswith(mark) and not bare.strip(mark[0]):
            break
        end += 1
    else:
        return None
    arguments = read_arguments(info)
    words = [*arguments.positional]
    is_kind = bool(words) and not info.lstrip().startswith(("'", '"'))
    kind = words.pop(0).partition(".")[0] if is_kind else ""
    kind = arguments.get("type") or kind or "note"
    title = arguments.get("title") or (words[0] if words else "")
    fold = "-" if arguments.get("collapsible") == "true" else ""
    body = source.translate(dedent(source.lines[source.at + 1 : end], source.indent))
    return Written(write_callout(kind, title, body, fold=fold), end + 1)


def _read_listing(first: re.Match[str], source: Source) -> Written | None:
    """Read the listing of the Rust book: its file is above, its caption below."""
    element = source.element
    if element is None or element.body is None:
        return None
    file, number, caption = map(
        element.arguments.get, ("file-name", "number", "caption")
    )
    name = f"Listing {number}" if number else ""
    shown = [f"Filename: {file}"] * bool(file), trim(source.translate(element.body))
    words = [": ".join(filter(None, (name, caption)))] * bool(name or caption)
    parts = filter(None, (*shown, source.translate(words)))
    return Written([line for part in parts for line in (*part, "")][:-1], element.end)


def _write_icon(match: re.Match[str], output: Output) -> str:
    """Return the name of an icon, of which a sentence speaks."""
    return f"{match[1].replace('-', ' ')} icon"


def _prepare(text: str) -> str:
    """Return a text whose formulas have one backslash, as in other dialects."""
    if not _FORMULA.search(text):
        return text
    fence = FenceTracker()
    return "\n".join(
        _FORMULA.sub(_drop_backslash, line)
        if fence.classify(line) is LineKind.TEXT
        else line
        for line in text.split("\n")
    )


def _drop_backslash(match: re.Match[str]) -> str:
    return f"\\{match[2]}" if match[2] else match[0]


def _finish(text: str, output: Output) -> str:
    return _ESCAPED.sub(r"\1", text)


MDBOOK: Final = Dialect(
    "mdbook",
    (BlockRule(re.compile(r"<Listing\b"), _read_listing), DEFINITION_LIST),
    (
        InlineRule(_TITLE, drop_mark, in_addresses=True),
        InlineRule(_ICON, _write_icon, in_addresses=True),
        *ATTRIBUTE_LISTS,
    ),
    fenced=(BlockRule(_ADMONISH, _read_admonition),),
    rewrite_code=_rewrite_code,
    has_formulas=True,
    prepare=_prepare,
    finish=_finish,
    find_includes=_find_includes,
    find_elements=partial(find_elements, tag=_LISTING),
)
