"""The dialect of docfx and Microsoft Learn: `:::image …:::`, `[!INCLUDE]`, tabs."""

import re
from collections.abc import Iterator, Mapping
from typing import Final
from urllib.parse import parse_qs, unquote

from asdlc_kb.markup.blocks import FenceTracker, LineKind
from asdlc_kb.markup.dialects.component_elements import mask_blocks
from asdlc_kb.markup.dialects.constructs import Tab, trim, write_tabs
from asdlc_kb.markup.dialects.dialect import BlockRule, Dialect, InlineRule, Written
from asdlc_kb.markup.dialects.elements import TagArguments, read_arguments
from asdlc_kb.markup.dialects.includes import Include
from asdlc_kb.markup.dialects.quoted_callouts import QUOTED_CALLOUT
from asdlc_kb.markup.dialects.shortcodes import write_link, write_picture
from asdlc_kb.markup.dialects.source import Output, Source

_HOST: Final = "docfx.host"
"""The name of the value with the address of the site of which the tree is a part."""

_FROM_ROOT: Final = re.compile(r"(?<=\]\()/(?=[a-z])")
_SPAN: Final = re.compile(
    r":::[ ]?(?P<name>image|icon|no-loc|video)[ ](?P<arguments>[^\n]{0,2000}?):::"
)
_LINE: Final = re.compile(
    r":::[ ]*(?P<name>(?!image[ ]|icon[ ]|no-loc[ ]|video[ ]|code[ ])[a-z][a-z-]*+)"
    r"(?P<arguments>[^\n]*?):{0,3}[ \t]*\Z"
)
_TAB: Final = re.compile(
    r"#{1,6}[ \t]+\[(?P<label>[^\n]{1,200}?)\]\(#tab/[^()\s]{1,200}\)[ \t#]*\Z"
)
_BREAK: Final = re.compile(r"(?:-[ \t]*){3,}\Z|(?:\*[ \t]*){3,}\Z|(?:_[ \t]*){3,}\Z")
_QUOTE: Final = re.compile(r" {0,3}> ?")
_DIV: Final = re.compile(r">[ ]?\[!(?i:div)\b[^\]\n]*\][ \t]*\Z")
_VIDEO: Final = re.compile(r">[ ]?\[!(?i:video)[ ]+(?P<address>[^\]\s]+)[^\]\n]*\]")
_XREF: Final = re.compile(r"<xref:(?P<name>[^\s<>?#]{1,500}+)[^\s<>]{0,500}+>")
_XREF_LINK: Final = re.compile(
    r"\[(?P<words>(?:[^\[\]\n]|\[[^\[\]\n]*\]){1,500})\]\(xref:[^()\s]{1,500}"
    r"(?:\([^()\s]*\)[^()\s]*)?\)"
)
_ARITY: Final = re.compile(r"`+\d*|\*\Z")
_ROOT: Final = re.compile(r"(?<=\]\()~/")
_INCLUDE: Final = re.compile(
    r"\[!(?i:include)[ ]*\[[^\]\n]{0,500}+\][ ]*\([ ]*(?P<path>[^()\s]{1,1000}+)"
    r"[^()\n]{0,200}+\)[ ]*\]"
    r"|\[!(?i:code)(?:-(?P<language>[\w+#.-]{1,50}+))?[ ]*\[[^\]\n]{0,500}+\]"
    r"[ ]*\([ ]*(?P<code>[^()\s]{1,1000}+)[^()\n]{0,200}+\)[ ]*\]"
    r"|:::[ ]?code[ ](?P<arguments>[^\n]{1,2000}?):::"
)
_LINES: Final = re.compile(r"[lL]?(\d{1,7})(?:(-)[lL]?(\d{1,7})?)?")
_INTERACTIVE: Final = re.compile(r"-(?:i|interactive)\Z")


def _find_includes(text: str) -> Iterator[Include]:
    """Yield the included texts and code."""
    masked = mask_blocks(text) if _INCLUDE.search(text) else ""
    for found in _INCLUDE.finditer(masked):
        if found["path"]:
            path = found["path"]
            yield Include(*found.span(), _anchor(path), has_own_links=True)
        elif found["code"]:
            yield _read_code_link(found)
        else:
            yield _read_code(found)


def _fill(text: str, values: Mapping[str, str]) -> str:
    """Return a text with the address of the site in links from its root."""
    host = values.get(_HOST, "")
    if not host or "](/" not in text:
        return text
    masked = mask_blocks(text)
    return _FROM_ROOT.sub(
        lambda match: f"{host}/" if masked[match.start()] == "/" else "/", text
    )


def _read_code(found: re.Match[str]) -> Include:
    """Return the include of `:::code source="" id="" range="":::`."""
    arguments = read_arguments(found["arguments"])
    path, section = arguments.get("source"), arguments.get("id")
    ranges = _read_ranges(arguments.get("range"))
    language = _name_language(arguments.get("language"), path)
    return Include(*found.span(), _anchor(path), ranges, section, language)


def _read_code_link(found: re.Match[str]) -> Include:
    """Return the include of `[!code-lang[](path?name=a)]`, also `#a` and `#L1-L2`."""
    path, _, section = found["code"].partition("#")
    path, _, query = path.partition("?")
    given = parse_qs(query)
    stated = given.get("range") or [
        "-".join(given.get("start", []) + given.get("end", []))
    ]
    ranges = _read_ranges(stated[0])
    if section[:1] in ("L", "l") and (lines := _read_ranges(section)):
        section, ranges = "", lines
    section = section or given.get("name", given.get("id", [""]))[0]
    language = _name_language(found["language"] or "", path)
    return Include(*found.span(), _anchor(path), ranges, section, language)


def _read_ranges(text: str) -> tuple[tuple[int, int | None], ...]:
    """Return the ranges of `1,3-5,7-`; none if one of them is something else."""
    found = [_LINES.fullmatch(part.strip()) for part in text.split(",")]
    if any(each is None for each in found):
        return ()
    return tuple(
        (
            max(1, int(each[1])),
            int(each[3]) if each[3] else None if each[2] else int(each[1]),
        )
        for each in found
        if each is not None
    )


def _name_language(stated: str, path: str) -> str:
    suffix = path.rpartition("/")[2].rpartition(".")[2]
    return _INTERACTIVE.sub("", stated) or suffix


def _anchor(path: str) -> str:
    """Return a path in which `/` stands for the folder of `docfx.json`."""
    path = path.strip("<>")
    return f"/{path[2:]}" if path.startswith("~/") else path


def _read_tabs(first: re.Match[str], source: Source) -> Written:
    """Read the tabs of a group: it ends with a thematic break."""
    tabs: list[tuple[str, list[str]]] = []
    fence = FenceTracker()
    end = source.at
    while end < len(source.lines):
        line = source.lines[end]
        bare = line.strip()
        end += 1
        is_text = fence.classify(line) is LineKind.TEXT
        if is_text and (tab := _TAB.match(bare)):
            tabs.append((tab["label"], []))
        elif is_text and _BREAK.match(bare):
            break
        else:
            tabs[-1][1].append(
                line[min(source.indent, len(line) - len(line.lstrip())) :]
            )
    shown = [Tab(label, source.translate(lines)) for label, lines in tabs]
    return Written(write_tabs(shown, source), end)


def _read_quoted(first: re.Match[str], source: Source) -> Written:
    """Read a link to the next step, a checklist or a selector, without its marks."""
    end = source.at + 1
    lines: list[str] = []
    while end < len(source.lines) and (mark := _QUOTE.match(source.lines[end])):
        lines.append(source.lines[end][mark.end() :])
        end += 1
    return Written(trim(source.translate(lines)), end)


def _read_video(first: re.Match[str], source: Source) -> Written:
    return Written([write_link("Video", first["address"])], source.at + 1)


def _read_line(first: re.Match[str], source: Source) -> Written:
    """Read a mark of a part for some readers: it becomes the name of its scope."""
    name, arguments = first["name"], read_arguments(first["arguments"])
    scope = arguments.get("pivot", "target") if name == "zone" else ""
    scope = scope or (arguments.get("range") if name == "moniker" else "")
    return Written([f"*Applies to: {scope}*"] if scope else [], source.at + 1)


def _write_span(match: re.Match[str], output: Output) -> str:
    arguments = read_arguments(match["arguments"])
    match match["name"]:
        case "no-loc":
            return arguments.get("text")
        case "video":
            title = arguments.get("title") or "Video"
            return write_link(title, arguments.get("source"))
        case _:
            return write_picture(_name_picture(arguments))


def _name_picture(arguments: TagArguments) -> TagArguments:
    named = {"src": arguments.get("source"), "alt": arguments.get("alt-text")}
    return TagArguments(named=named | {"link": arguments.get("link")})


def _write_xref(match: re.Match[str], output: Output) -> str:
    """Return the name of an API without the number of its parameters."""
    return f"`{_ARITY.sub('', unquote(match['name']))}`"


def _write_words(match: re.Match[str], output: Output) -> str:
    return match["words"]


def _write_root(match: re.Match[str], output: Output) -> str:
    return "/"


DOCFX: Final = Dialect(
    "docfx",
    (
        BlockRule(_TAB, _read_tabs),
        BlockRule(_LINE, _read_line),
        BlockRule(_DIV, _read_quoted),
        BlockRule(_VIDEO, _read_video),
        QUOTED_CALLOUT,
    ),
    (
        InlineRule(_SPAN, _write_span, in_addresses=True, sign=":::"),
        InlineRule(_XREF, _write_xref, is_final=True, in_addresses=True, sign="<xref:"),
        InlineRule(_XREF_LINK, _write_words, in_addresses=True, sign="(xref:"),
        InlineRule(_ROOT, _write_root, in_addresses=True, sign="~/"),
    ),
    fill=_fill,
    find_includes=_find_includes,
)
