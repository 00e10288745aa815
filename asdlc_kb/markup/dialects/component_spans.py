"""Elements in a paragraph: components as what they mean, HTML's tags as Markdown."""

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping
from html import escape
from typing import Final, TypeAlias

from asdlc_kb.markup.dialects.component_elements import Pair, find_tags, pair_tags
from asdlc_kb.markup.dialects.component_tags import Tag
from asdlc_kb.markup.dialects.dialect import InlineRule
from asdlc_kb.markup.dialects.source import Output

WriteSpan: TypeAlias = Callable[[Tag, str, Output], str]
"""Write an element with its translated text."""

TEXTS: Final = frozenset(
    "div section article main center p span header footer nav aside template "
    "noscript label button".split()
)
"""HTML's tags around a text that mean nothing here."""

_HEADING: Final = re.compile(r"^ {0,3}#{1,6}[ \t].*$", re.MULTILINE)
_MARK: Final = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\Z")
_BREAK: Final = re.compile(r"[ \t]*(?:\n|\Z)")
_NAMES: Final[Mapping[str, str]] = {"className": "class"}
_KEPT: Final = re.compile(
    r"(?:alt|class|colspan|controls|datetime|height|href|id|lang|name|open|poster|rowspan"
    r"|scope|src|srcset|start|title|type|width)\Z"
)


def is_component(name: str) -> bool:
    """Whether a tag is a component's and not HTML's."""
    return not name or name[0].isupper() or "-" in name or "." in name


def write_address(href: str) -> str:
    """Return an address as it can be written in a link."""
    return href.replace(" ", "%20").replace("(", "%28").replace(")", "%29")


def _flatten(text: str) -> str:
    return " ".join(text.split())


def _write_link(tag: Tag, text: str, output: Output) -> str:
    href = tag.get("href", "to", "url")
    words = _flatten(text) or tag.get("text", "title", "label")
    return f"[{words}]({write_address(href)})" if href and words else text


def _write_anchor(tag: Tag, text: str, output: Output) -> str:
    if output is Output.HTML:
        return _write_tag(tag, text)
    return _write_link(tag, text, output)


def _write_picture(tag: Tag, text: str, output: Output) -> str:
    source, words = tag.get("src", "source"), _flatten(tag.get("alt"))
    if not source:
        return words
    words = words.replace("[", "\\[").replace("]", "\\]")
    return f"![{words}]({write_address(source)})"


def _write_image(tag: Tag, text: str, output: Output) -> str:
    has_source = bool(tag.get("src"))
    if output is Output.HTML and has_source:
        return _write_tag(tag, text)
    return _write_picture(tag, text, output)


def _write_video(tag: Tag, text: str, output: Output) -> str:
    """Return a link to a film or a page in a frame."""
    address = tag.get("src", "url", "href")
    if name := tag.get("id", "videoId", "youTubeId"):
        is_known = "youtube" in tag.name.lower()
        address = address or f"https://www.youtube.com/watch?v={name}" * is_known
    words = _flatten(tag.get("title", "name", "label")) or "Video"
    return f"[{words}]({write_address(address)})" if address else ""


def _write_film(tag: Tag, text: str, output: Output) -> str:
    is_html = output is Output.HTML
    return _write_tag(tag, text) if is_html else _write_video(tag, text, output)


def _write_badge(tag: Tag, text: str, output: Output) -> str:
    return _flatten(text) or tag.get("text", "label")


def _write_since(tag: Tag, text: str, output: Output) -> str:
    version = tag.get("v", "version")
    name = tag.get("pkg", "package")
    return f"**Added in:** `{name}@{version}`" if name else f"**Added in:** v{version}"


def _write_tooltip(tag: Tag, text: str, output: Output) -> str:
    tip = _flatten(tag.get("tip", "text", "content", "title"))
    if not tip:
        return text
    if output is Output.HTML:
        return f'<abbr title="{escape(tip)}">{text}</abbr>'
    return f"{text} ({tip})"


def _write_formula(tag: Tag, text: str, output: Output) -> str:
    return f"${text}$"


def _write_nothing(tag: Tag, text: str, output: Output) -> str:
    return ""


def _write_source(tag: Tag, text: str, output: Output) -> str:
    return _write_tag(tag, text) if output is Output.HTML else ""


def _write_rule(tag: Tag, text: str, output: Output) -> str:
    return "<hr>" if output is Output.HTML else "\n---\n"


def _write_break(tag: Tag, text: str, output: Output) -> str:
    return "<br>"


def mark_writer(mark: str, closing: str | None = None) -> WriteSpan:
    """Return the writer of a tag that is a mark of Markdown for agents."""

    def write(tag: Tag, text: str, output: Output) -> str:
        if output is Output.HTML:
            return _write_tag(tag, text)
        # In code, a link would be text.
        bare = text.strip() if mark != "`" or "](" not in text else ""
        return f"{mark}{text}{mark if closing is None else closing}" if bare else text

    return write


SPANS: Final[Mapping[str, WriteSpan]] = {
    name: write
    for names, write in (
        ("Link LinkButton Button ScrimbaLink", _write_link),
        ("a", _write_anchor),
        ("Image Picture ThemedImage", _write_picture),
        ("img", _write_image),
        ("YouTube YouTubeVideo Vimeo MuxPlayer", _write_video),
        ("iframe video audio", _write_film),
        ("Badge", _write_badge),
        ("Since", _write_since),
        ("Tooltip", _write_tooltip),
        ("Latex", _write_formula),
        ("Icon svg", _write_nothing),
        ("source track", _write_source),
        ("hr", _write_rule),
        ("br", _write_break),
        ("b strong", mark_writer("**")),
        ("em i", mark_writer("*")),
        ("code", mark_writer("`")),
        ("del s", mark_writer("~~")),
        ("sup", mark_writer("^", "")),
        ("abbr ins kbd mark small sub u", mark_writer("")),
    )
    for name in names.split()
}
"""The writers of components and tags in a paragraph."""


def rewrite_tags(text: str, output: Output) -> str:
    """Return a paragraph, its code replaced by placeholders, without components."""
    pairs = pair_tags(find_tags(text, text))
    if not pairs:
        return text
    headings = [match.span() for match in _HEADING.finditer(text)]
    starts = [start for start, _ in headings]

    def is_in_heading(at: int) -> bool:
        number = bisect_right(starts, at) - 1
        return number >= 0 and at < headings[number][1]

    written: list[list[str]] = [[]]
    opened: list[Pair] = []
    at = 0
    for tag, pair in _order_tags(pairs):
        written[-1].append(text[at : tag.start])
        at = tag.end
        if pair.is_unclosed:
            written[-1].append(_keep_unclosed(text, tag))
        elif pair.closing is None:
            shown = _write(pair, "", output, is_in_heading=is_in_heading(tag.start))
            written[-1].append(shown)
            at = _skip_break(text, at, shown, written[-1], output)
        elif tag is pair.tag:
            opened.append(pair)
            written.append([])
        else:
            opened.pop()
            inside = "".join(written.pop())
            # As the whole text of an item, its tag would begin a block of HTML.
            is_item = tag.name == "p" and _is_item(text, pair.tag.start, at)
            written[-1].append(inside if is_item else _write(pair, inside, output))
    return "".join([*written[0], text[at:]])


def _is_item(text: str, start: int, end: int) -> bool:
    """Whether a part of a paragraph is all of it, or all of a list item's line."""
    before, after = text[:start].rpartition("\n"), text[end:].partition("\n")
    if after[0].strip():
        return False
    return bool(_MARK.match(before[2])) or not (text[:start] + text[end:]).strip()


def _order_tags(pairs: list[Pair]) -> list[tuple[Tag, Pair]]:
    """Return both tags of each element in the order of the text."""
    tags = [(pair.tag, pair) for pair in pairs]
    tags += [(pair.closing, pair) for pair in pairs if pair.closing is not None]
    return sorted(tags, key=lambda found: found[0].start)


def _skip_break(
    text: str, at: int, shown: str, written: list[str], output: Output
) -> int:
    """Write a line break at the end of a line as a mark of Markdown."""
    if shown != "<br>" or output is Output.HTML:
        return at
    end = _BREAK.match(text, at)
    if end is None:
        return at
    written[-1] = "\\" if end[0].endswith("\n") else ""
    return end.end() - end[0].count("\n")


def _keep_unclosed(text: str, tag: Tag) -> str:
    """Return a tag whose other tag is missing; a component's on a line is code."""
    raw = text[tag.start : tag.end]
    if not is_component(tag.name):
        return raw
    head = text[max(0, tag.start - 80) : tag.start].rpartition("\n")
    tail = text[tag.end : tag.end + 80].partition("\n")
    is_alone = not (head[2].strip() or tail[0].strip())
    return "" if is_alone else raw


def _write(
    pair: Pair, text: str, output: Output, *, is_in_heading: bool = False
) -> str:
    tag = pair.tag
    if "v-for" in tag.attributes:
        # Vue writes it once for each value of data that is not here.
        return ""
    if write := SPANS.get(tag.name):
        # A generator makes no part of a heading's anchor of it.
        return (
            "" if is_in_heading and is_component(tag.name) else write(tag, text, output)
        )
    if is_component(tag.name):
        return text
    if tag.name in TEXTS and output is Output.MARKDOWN:
        return text
    return _write_tag(tag, text, is_closed=pair.closing is not None)


def _write_tag(tag: Tag, text: str, *, is_closed: bool = True) -> str:
    """Return an element of HTML with the attributes that are literals."""
    shown = [f"<{tag.name}"]
    for name, value in tag.attributes.items():
        known = _NAMES.get(name, name)
        if _KEPT.match(known) and not value.startswith("{"):
            shown.append(f'{known}="{escape(value)}"')
    end = f"{text}</{tag.name}>" if is_closed and not tag.is_single else ""
    return f"{' '.join(shown)}>{end}"


def make_span_rule() -> InlineRule:
    """Return the rule for elements in a paragraph."""
    return InlineRule(
        re.compile(r"(?s)\A[^<]*+<.*\Z"),
        lambda match, output: rewrite_tags(match[0], output),
        in_addresses=True,
        sign="<",
    )
