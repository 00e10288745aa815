"""The dialect of Jekyll: kramdown's attribute lists and extensions, and Liquid.

Liquid is not run: the text of all branches of a condition stays, loops and assignments
are left out, addresses lose the site's own prefix, and outputs are code unless their
value is known. Callouts are those of Just the Docs,
Minimal Mistakes, Chirpy and Bootstrap.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from asdlc_kb.markup.blocks import FenceTracker, LineKind
from asdlc_kb.markup.code_info import CodeInfo
from asdlc_kb.markup.dialects.abbreviations import expand_abbreviations
from asdlc_kb.markup.dialects.attribute_lists import ATTRIBUTE_LISTS
from asdlc_kb.markup.dialects.constructs import (
    WriteElement,
    write_inside,
    write_nothing,
)
from asdlc_kb.markup.dialects.definition_lists import DEFINITION_LIST
from asdlc_kb.markup.dialects.dialect import (
    BlockRule,
    Dialect,
    InlineRule,
    Written,
    drop_mark,
)
from asdlc_kb.markup.dialects.elements import (
    LIQUID_ARGUMENTS,
    Element,
    TagArguments,
    find_elements,
    read_arguments,
)
from asdlc_kb.markup.dialects.emoji import EMOJI
from asdlc_kb.markup.dialects.includes import Include
from asdlc_kb.markup.dialects.kramdown import KRAMDOWN_BLOCKS, KRAMDOWN_INLINES
from asdlc_kb.markup.dialects.liquid_outputs import (
    DEFINITION,
    LIQUID_OUTPUTS,
    fill_outputs,
)
from asdlc_kb.markup.dialects.markdown_in_html import HTML_TAG, has_markdown
from asdlc_kb.markup.dialects.shortcodes import (
    WriteTag,
    drop_definitions,
    write_fence,
    write_link,
)
from asdlc_kb.markup.dialects.source import Output, Source, dedent
from asdlc_kb.markup.liquid import TAG

_ELEMENT: Final = re.compile(
    r"\{%-?+\s*+(?P<end>end)?+(?P<name>[A-Za-z_][\w-]*+)"
    rf"(?P<arguments>{LIQUID_ARGUMENTS})-?%\}}(?P<single>)"
)
_RAW_TAG: Final = re.compile(r"\{%-?+\s*+(?:end)?+raw\s*+-?+%\}")
_RAW: Final = re.compile(
    r"\{%-?+\s*+raw\s*+-?+%\}((?:(?!\{%-?+\s*+(?:end)?+raw\b).)*+)"
    r"\{%-?+\s*+endraw\s*+-?+%\}",
    re.DOTALL,
)
_INCLUDE: Final = re.compile(
    r"\{%-?+\s*+(?P<name>include_relative|include_cached|include)\s++"
    r"(?P<path>[\w./-]{1,300}?\.(?:md|markdown))(?=[\s-])(?P<arguments>[^{}%]{0,1000}+)%\}"
)
_LINK: Final = re.compile(r"\{%-?+\s*+(link|post_url)\s++([^\s{}%]{1,300}+)\s*+-?+%\}")
_ADDRESS: Final = re.compile(
    r"\{\{-?+\s*+(?:site\.(?:baseurl|url)\s*+\|\s*+append:\s*+)?"
    r"(?:\"([^\"{}]{0,500}+)\"|'([^'{}]{0,500}+)')\s*+"
    r"\|\s*+(?:relative_url|absolute_url|prepend:\s*+site\.(?:baseurl|url))"
    r"[^{}]{0,200}+\}\}"
)
_PREFIX: Final = re.compile(r"\{\{-?+\s*+site\.(?:baseurl|url)\s*+-?+\}\}")


def _write_highlight(element: Element, source: Source) -> list[str]:
    arguments = element.arguments
    info = CodeInfo(arguments.get(position=0))
    if "linenos" in (*arguments.positional, *arguments.named):
        info.first_number = 1
    body = [_RAW_TAG.sub("", line) for line in element.body or []]
    return write_fence(info.write(has_layout=source.is_html), body)


def _show_gist(arguments: TagArguments) -> str:
    gist = arguments.get(position=0)
    return write_link("Gist", f"https://gist.github.com/{gist}") if gist else ""


def _write_raw_block(element: Element, source: Source) -> list[str]:
    """Return Markdown in which Liquid is text."""
    fence = FenceTracker()
    lines = source.translate(
        [
            _escape(line) if fence.classify(line) is LineKind.TEXT else line
            for line in _cut_raw(element, source)
        ]
    )
    return lines if source.is_html else [_unescape(line) for line in lines]


def _cut_raw(element: Element, source: Source) -> Sequence[str]:
    """Return the lines between two tags; code that is indented stays so."""
    lines = dedent(source.lines[source.at : element.end], source.indent)
    tags = [_RAW_TAG.fullmatch(lines[at].strip()) for at in (0, -1)]
    return lines[1:-1] if all(tags) else element.body or []


def _escape(text: str) -> str:
    """Return text with Liquid's marks escaped for Markdown."""
    return text.replace("{%", "{\\%").replace("{{", "{\\{")


def _unescape(text: str) -> str:
    return text.replace("{\\%", "{%").replace("{\\{", "{{")


_BLOCKS: Final[Mapping[str, WriteElement]] = {
    "highlight": _write_highlight,
    "raw": _write_raw_block,
    "comment": write_nothing,
    "for": write_nothing,
    "tablerow": write_nothing,
    "capture": write_nothing,
}
"""What blocks of Liquid mean; others are their text."""

_SINGLES: Final[Mapping[str, WriteTag]] = {"gist": _show_gist}
"""What tags without a body mean; others are left out."""

_BRANCHES: Final = frozenset({"else", "elsif", "when"})
"""Tags between texts that are paragraphs of their own."""


def _read_element(first: re.Match[str], source: Source) -> Written | None:
    element = source.element
    if element is None or element.name in ("link", "post_url"):
        return None
    if element.body is None:
        write_single = _SINGLES.get(element.name)
        lines = [write_single(element.arguments)] if write_single else []
        if element.name in _BRANCHES:
            lines = [""]
    else:
        lines = _BLOCKS.get(element.name, write_inside)(element, source)
    return Written(lines, element.end)


def _write_raw(match: re.Match[str], output: Output) -> str:
    """Return text that Liquid does not read, with marks that the website shows."""
    if output is not Output.HTML:
        return match[1]
    return _escape(match[1])


def _write_page(match: re.Match[str], output: Output) -> str:
    path = match[2].strip("\"'").lstrip("/")
    return f"/_posts/{path}.md" if match[1] == "post_url" else f"/{path}"


def _write_address(match: re.Match[str], output: Output) -> str:
    return match[1] or match[2] or "/"


def _replace_tag(tag: re.Match[str], output: Output) -> str:
    write = _SINGLES.get(tag["name"])
    return write(read_arguments(tag["arguments"])) if write and not tag["end"] else ""


def _rewrite_code(info: CodeInfo, lines: list[str], output: Output) -> list[str]:
    return [_RAW_TAG.sub("", line) for line in lines]


def _rewrite_span(span: str) -> str:
    return _RAW_TAG.sub("", span)


def _find_elements(lines: Sequence[str]) -> Mapping[int, Element]:
    return find_elements(lines, _ELEMENT, HTML_TAG, is_wanted=has_markdown)


def _find_includes(text: str) -> Iterator[Include]:
    for found in _INCLUDE.finditer(text):
        path = found["path"]
        if found["name"] != "include_relative":
            path = f"_includes/{path}"
        yield Include(*found.span(), path)


def _finish(text: str, output: Output) -> str:
    return expand_abbreviations(drop_definitions(text, DEFINITION), output)


JEKYLL: Final = Dialect(
    "jekyll",
    (
        BlockRule(re.compile(r"\{%"), _read_element),
        *KRAMDOWN_BLOCKS,
        DEFINITION_LIST,
    ),
    (
        InlineRule(_RAW, _write_raw, is_final=True, in_addresses=True),
        InlineRule(_LINK, _write_page, in_addresses=True),
        InlineRule(_ADDRESS, _write_address, in_addresses=True),
        InlineRule(_PREFIX, drop_mark, in_addresses=True),
        *LIQUID_OUTPUTS,
        InlineRule(_ELEMENT, _replace_tag, in_addresses=True),
        InlineRule(TAG, drop_mark, in_addresses=True),
        *KRAMDOWN_INLINES,
        *ATTRIBUTE_LISTS,
        EMOJI,
    ),
    has_formulas=True,
    fill=fill_outputs,
    rewrite_code=_rewrite_code,
    rewrite_span=_rewrite_span,
    finish=_finish,
    find_includes=_find_includes,
    find_elements=_find_elements,
)
