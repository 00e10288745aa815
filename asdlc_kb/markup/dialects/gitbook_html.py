"""The HTML in GitBook's pages: figures, cards, details, colors, mentions."""

import re
from html import escape, unescape
from typing import Final

from asdlc_kb.markup.dialects.constructs import trim, write_card, write_details
from asdlc_kb.markup.dialects.dialect import BlockRule, InlineRule, Written, drop_mark
from asdlc_kb.markup.dialects.elements import Element, TagArguments
from asdlc_kb.markup.dialects.shortcodes import write_address, write_figure, write_link
from asdlc_kb.markup.dialects.source import Output, Source, dedent

MAX_LINES: Final = 500
"""Lines of an element; a longer one is no construct."""

_TAGS: Final = re.compile(r"<[^<>]{1,1000}+>")
_ROW: Final = re.compile(r"(?i)<tr\b[^<>]*+>((?:(?!</tr>|<tr\b).)*+)</tr>", re.DOTALL)
_CELL: Final = re.compile(r"(?i)<td\b[^<>]*+>((?:(?!</td>|<td\b).)*+)</td>", re.DOTALL)
_HREF: Final = re.compile(r"(?i)<a\b[^<>]{0,500}?\bhref=\"([^\"<>]{1,1000}+)\"")
_IMAGE: Final = re.compile(r"(?i)<img\b[^<>]{0,2000}+>")
_CAPTION: Final = re.compile(
    r"(?i)<figcaption>((?:(?!</figcaption>|<figcaption).)*+)</figcaption>", re.DOTALL
)
_PICTURES: Final = re.compile(r"(?i)\.(?:png|jpe?g|gif|webp|svg|avif)(?:\?|\Z)")
_SUMMARY: Final = re.compile(
    r"(?i)\s*+<summary>((?:(?!</summary>|<summary).)*+)</summary>", re.DOTALL
)
_MARK: Final = re.compile(r"(?i)<mark\b[^<>]{0,300}+>|</mark>")
_LINK: Final = re.compile(
    r"(?i)<a\b[^<>]{0,500}?\bhref=\"([^\"<>]{1,1000}+)\"[^<>]{0,500}+>([^<>\n]{0,500}+)</a>"
)
_HEADING_ID: Final = re.compile(
    r"(?im)^([ \t]{0,3}#{1,6}[ \t].*?)<a\b([^<>]{0,1000}+)></a>[ \t]*$"
)
_TARGET: Final = re.compile(r"(?i)<a\b[^<>]{0,1000}+></a>")
_MENTION: Final = re.compile(r"(\]\([^()\s]++)[ \t]+\"mention\"\)")
_ICON: Final = re.compile(r"(?i)<i class=\"fa[^<>]{0,100}+>[^<>\n]{0,100}+</i>[ ]?")


def _take(source: Source, tag: str) -> tuple[str, int] | None:
    """Return the element that begins in the line, and the index of the line below."""
    closing, opening = f"</{tag}>", f"<{tag}"
    last = min(len(source.lines), source.at + MAX_LINES)
    for at in range(source.at, last):
        line = source.lines[at]
        if at > source.at and opening in line:
            return None
        start = line.find(closing)
        if start < 0:
            continue
        if line[start + len(closing) :].strip():
            return None
        lines = dedent(source.lines[source.at : at + 1], source.indent)
        return "\n".join(lines), at + 1
    return None


def _read_attribute(tag: str, name: str) -> str:
    found = re.search(rf"(?i)\s{name}=\"([^\"]*)\"", tag)
    return unescape(found[1]) if found else ""


def _read_figure(first: re.Match[str], source: Source) -> Written | None:
    taken = _take(source, "figure")
    image = _IMAGE.search(taken[0]) if taken else None
    if taken is None or image is None:
        return None
    caption = _CAPTION.search(taken[0])
    named = {
        "src": _read_attribute(image[0], "src"),
        "alt": _read_attribute(image[0], "alt"),
        "caption": _show_words(caption[1]) if caption else "",
    }
    element = Element("figure", TagArguments((), named), None, taken[1], image[0])
    return Written(write_figure(element, source), taken[1])


def _read_cards(first: re.Match[str], source: Source) -> Written | None:
    """Return a table of cards as a list of links."""
    taken = _take(source, "table")
    if taken is None:
        return None
    lines: list[str] = []
    for row in _ROW.finditer(taken[0]):
        cells = [cell[1] for cell in _CELL.finditer(row[1])]
        words = [shown for cell in cells if (shown := _show_text(cell))]
        addresses = [a for cell in cells for a in _HREF.findall(cell)]
        pages = [a for a in addresses if not _PICTURES.search(a)]
        if words:
            href = write_address(pages[-1]) if pages else ""
            card = write_card(words[0].strip("*"), href, words[1:])
            lines += card if href else ["", *card, ""]
    return Written(trim(lines), taken[1]) if lines else None


def _show_text(cell: str) -> str:
    """Return the words of a cell; the name of a file in a link is none."""
    return _show_words(re.sub(r"(?is)<a\b[^<>]*+>[^<>]*+</a>", "", cell))


def _show_words(html: str) -> str:
    return " ".join(_TAGS.sub("", html).split())


def _read_details(first: re.Match[str], source: Source) -> Written | None:
    taken = _take(source, "details")
    if taken is None:
        return None
    opening = first[0]
    inside = taken[0][taken[0].index(">") + 1 : -len("</details>")]
    summary = _SUMMARY.match(inside)
    if summary is None:
        return None
    body = source.translate(dedent(inside[summary.end() :].split("\n")))
    words = unescape(_show_words(summary[1]))
    is_open = re.search(r"(?i)\bopen\b", opening) is not None
    return Written(write_details(words, body, source, is_open=is_open), taken[1])


def _write_mark(match: re.Match[str], output: Output) -> str:
    if output is not Output.HTML:
        return ""
    return "</mark>" if match[0].startswith("</") else "<mark>"


def _write_heading_id(match: re.Match[str], output: Output) -> str:
    """Return a heading whose last link has an id and no words."""
    id = _read_attribute(match[2], "id")
    words = match[1].rstrip()
    return f"{words} {{#{id}}}" if id else words


def _write_target(match: re.Match[str], output: Output) -> str:
    """Return a link without words: the place that other links lead to, or nothing."""
    id = _read_attribute(match[0], "id")
    return f'<a id="{escape(id)}"></a>' if id and output is Output.HTML else ""


def _write_anchor(match: re.Match[str], output: Output) -> str:
    words = unescape(match[2]).replace("[", "(").replace("]", ")")
    return write_link(words, unescape(match[1]))


def _drop_mention(match: re.Match[str], output: Output) -> str:
    return f"{match[1]})"


FIGURE: Final = BlockRule(
    re.compile(r"(?:<div[^<>]{0,200}+>)?<figure\b[^<>]{0,200}+>"), _read_figure
)
"""A picture with its caption."""

CARDS: Final = BlockRule(
    re.compile(r"<table\b[^<>]{0,300}?\bdata-view=\"cards\"[^<>]{0,300}+>"), _read_cards
)
"""A table that is shown as cards."""

DETAILS: Final = BlockRule(re.compile(r"<details\b[^<>]{0,200}+>"), _read_details)
"""A text that a reader can open."""

HTML_MARKS: Final = (
    InlineRule(_MARK, _write_mark, in_addresses=True),
    InlineRule(_HEADING_ID, _write_heading_id, in_addresses=True, sign="</a>"),
    InlineRule(_TARGET, _write_target, in_addresses=True, sign="</a>"),
    InlineRule(_LINK, _write_anchor, in_addresses=True),
    InlineRule(_MENTION, _drop_mention, in_addresses=True),
    InlineRule(_ICON, drop_mark, in_addresses=True),
)
"""Colors, links to pages, and icons."""
