"""The dialect of VitePress: containers, Vue's components, and included files."""

import re
from collections.abc import Iterator
from typing import Final

from asdlc_kb.markup.dialects.code_marks import rewrite_titled
from asdlc_kb.markup.dialects.component_elements import fill_templates, mask_blocks
from asdlc_kb.markup.dialects.component_tags import evaluate
from asdlc_kb.markup.dialects.components import COMPONENT, COMPONENT_SPAN, find_blocks
from asdlc_kb.markup.dialects.dialect import BlockRule, Dialect, InlineRule, Written
from asdlc_kb.markup.dialects.directives import DIRECTIVES
from asdlc_kb.markup.dialects.includes import Include
from asdlc_kb.markup.dialects.mdx import write_heading_id
from asdlc_kb.markup.dialects.source import Output, Source

_INCLUDE: Final = re.compile(
    r"<!--\s*+@include:\s*+(?P<path>[^\s{}#<>]{1,1000}?)"
    r"(?:#(?P<section>[\w-]+?))?(?:\{(?P<lines>[\d,]*+)\})?\s*+-->"
)
_SNIPPET: Final = re.compile(
    r"(?m)^(?P<indent>[ \t]*+)<<<[ \t]++(?P<path>[^\s{}#\[\]]++)"
    r"(?:#(?P<section>[\w-]++))?[ \t]*+(?:\{(?P<meta>[^{}\n]*+)\})?"
    r"[ \t]*+(?:\[(?P<title>[^\[\]\n]*+)\])?[ \t]*+$"
)
_META: Final = re.compile(r"(?P<lines>[\d,\s-]*+)(?P<language>[A-Za-z][\w+#.-]*+)?")
_FRONTMATTER: Final = re.compile(r"\{\{\s*+\$frontmatter\.([\w.-]++)\s*+\}\}")
_RANGE: Final = re.compile(r"(\d*),(\d*)|(\d+)")


def find_vitepress_includes(text: str) -> Iterator[Include]:
    """Yield the included texts and the imported code."""
    found = [
        (match.start(), match)
        for pattern in (_INCLUDE, _SNIPPET)
        for match in pattern.finditer(text)
    ]
    if not found:
        return
    masked = mask_blocks(text.replace("<!--", "<..."))
    for start, match in sorted(found, key=lambda item: item[0]):
        if match.re is _INCLUDE and masked[start] == "<":
            yield _read_include(match)
        elif match.re is _SNIPPET and masked[match.end("indent")] == "<":
            yield _read_snippet(match)


def _read_include(match: re.Match[str]) -> Include:
    section = match["section"] or ""
    ranges: tuple[tuple[int, int | None], ...] = ()
    if (lines := _RANGE.fullmatch(match["lines"] or "")) is not None:
        first = int((lines[1] or lines[3] or "1")[:6])
        last = lines[2] if lines[3] is None else lines[3]
        ranges = ((max(1, first), int(last[:6]) if last else None),)
    return Include(match.start(), match.end(), match["path"], ranges, section)


def _read_snippet(match: re.Match[str]) -> Include:
    name = match["path"].rpartition("/")[2]
    meta = _META.match(match["meta"] or "")
    lines = "".join(meta["lines"].split()) if meta else ""
    language = (meta["language"] if meta else "") or name.rpartition(".")[2]
    info = f"{language} {{{lines}}}" if lines else language
    title = (match["title"] or "").strip().replace('"', "'")
    info += f' title="{title}"' if title else ""
    section = match["section"] or ""
    start = match.end("indent")
    return Include(start, match.end(), match["path"], (), section, info)


def _read_contents(first: re.Match[str], source: Source) -> Written:
    """Leave out the place of the table of contents."""
    return Written([], source.at + 1)


def _write_value(match: re.Match[str], output: Output) -> str:
    """Return the text of a literal; another value stays as it is written."""
    value = evaluate(match[1])
    return match[0] if value is None else value


def _write_heading(match: re.Match[str], output: Output) -> str:
    return write_heading_id(match[0])


VITEPRESS: Final = Dialect(
    "vitepress",
    blocks=(
        *DIRECTIVES,
        BlockRule(re.compile(r"(?i:\[\[toc\]\])[ \t]*\Z"), _read_contents),
        COMPONENT,
    ),
    inlines=(
        COMPONENT_SPAN,
        InlineRule(re.compile(r"\{\{([^{}\n]{1,500})\}\}"), _write_value),
        InlineRule(
            re.compile(r"(?m)^[ \t]{0,3}#{1,6}[ \t][^\n]*\{[ \t#][^\n]*$"),
            _write_heading,
            in_addresses=True,
            sign="{",
        ),
    ),
    rewrite_code=rewrite_titled,
    fill=fill_templates(_FRONTMATTER, "page."),
    find_elements=find_blocks,
    find_includes=find_vitepress_includes,
)
