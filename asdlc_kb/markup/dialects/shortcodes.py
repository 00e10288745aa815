"""Writers of elements between tags: callouts, tabs, cards, pictures, code, links."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias
from urllib.parse import quote

from asdlc_kb.markup.blocks import FenceTracker, LineKind, choose_fence
from asdlc_kb.markup.dialects.constructs import (
    KINDS,
    Tab,
    WriteElement,
    trim,
    write_callout,
    write_card,
    write_details,
    write_inside,
    write_tabs,
)
from asdlc_kb.markup.dialects.elements import Element, TagArguments, find_elements
from asdlc_kb.markup.dialects.source import Output, Source

WriteTag: TypeAlias = Callable[[TagArguments], str]
"""Return a tag without a body as GitHub's Markdown inside a paragraph."""

COLORS: Final = {
    "blue": "note",
    "secondary": "note",
    "green": "tip",
    "success": "tip",
    "orange": "warning",
    "yellow": "warning",
    "red": "caution",
}
"""Kinds of callouts that themes name by their color."""

_TITLE: Final = ("title", "header", "heading", "caption", "name")
_UNSAFE: Final = re.compile(r"[\s<>()\\\"]")
_BRACKETS: Final = re.compile(r"[\[\]<>`*\\]")
_REFERENCE: Final = re.compile(
    r"(?<![!\]])\[([^\[\]\n]{1,200}+)\](?:\[([^\[\]\n]{0,200}+)\]|(?![(:\[]))"
)
_TRUE: Final = frozenset({"true", "1", "open", "yes"})


def write_word(element: Element, source: Source) -> list[str]:
    """Return the words of a tag whose content only its generator has."""
    inside = element.tag.strip("{}<>%/ \t\n")
    return [show_name(" ".join(_BRACKETS.sub("", inside).split())[:100])]


def show_name(name: str) -> str:
    """Return the words that stand for what only the generator can write."""
    return f"[shortcode {name}]"


def write_note(element: Element, source: Source) -> list[str]:
    """Return a callout: its kind is the element's name or an argument."""
    arguments = element.arguments
    kind = element.name.lower()
    given = arguments.get("type", "kind", "style", "color", "context")
    positional = list(arguments.positional)
    if not given and positional and _find_kind(positional[0]):
        given = positional.pop(0)
    kind = _find_kind(given) or _find_kind(kind) or "note"
    title = arguments.get(*_TITLE) or (positional[0] if positional else "")
    return write_callout(kind, title, write_inside(element, source))


def write_collapsible(element: Element, source: Source) -> list[str]:
    """Return a text that a reader can open."""
    arguments = element.arguments
    summary = arguments.get("summary", *_TITLE, position=0) or "Details"
    state = arguments.get("open", "expanded", position=1).lower()
    is_open = state in _TRUE
    lines = write_inside(element, source)
    return write_details(summary, lines, source, is_open=is_open)


def write_link_card(element: Element, source: Source) -> list[str]:
    """Return a card with a title, an address and a text."""
    arguments = element.arguments
    title = arguments.get(*_TITLE, position=0).strip("* ")
    href = arguments.get("link", "href", "url", "relref", "ref")
    lines = write_inside(element, source)
    below = [arguments.get("subtitle", "description"), arguments.get("footer")]
    for text in below:
        lines += [""] * bool(lines and text) + [text] * bool(text)
    return write_card(title, write_address(href), lines)


def write_address(address: str) -> str:
    """Return an address that can stand in a link."""
    return _UNSAFE.sub(lambda match: quote(match[0]), address.strip())


def write_link(words: str, address: str) -> str:
    """Return a link; the words only if it has no address."""
    words = words.strip() or address
    return f"[{words}]({write_address(address)})" if address else words


def drop_definitions(text: str, definition: re.Pattern[str]) -> str:
    """Remove link definitions with an address that only the generator knows.

    The pattern has the label as its first group; the links become their words.
    """
    labels = {label[1].casefold() for label in definition.finditer(text)}
    if not labels:
        return text

    def unlink(link: re.Match[str]) -> str:
        is_unresolved = (link[2] or link[1]).casefold() in labels
        return link[1] if is_unresolved else link[0]

    fence = FenceTracker()
    lines = definition.sub("", text).split("\n")
    return "\n".join(
        _REFERENCE.sub(unlink, line) if fence.classify(line) is LineKind.TEXT else line
        for line in lines
    )


def write_picture(arguments: TagArguments) -> str:
    """Return a picture, linked if it has a link."""
    src = arguments.get("src", "image", "url", position=0)
    alt = arguments.get("alt", "caption", "title", position=1)
    words = " ".join(alt.replace("[", "(").replace("]", ")").split())
    if not src:
        return words
    picture = f"![{words}]({write_address(src)})"
    link = arguments.get("link")
    return f"[{picture}]({write_address(link)})" if link else picture


def write_figure(element: Element, source: Source) -> list[str]:
    """Return a picture with its caption."""
    arguments = element.arguments
    caption = arguments.get("caption") or " ".join(write_inside(element, source))
    title = arguments.get("title")
    words = " ".join(filter(None, (title, " ".join(caption.split()))))
    picture = write_picture(arguments)
    if not words:
        return [picture]
    if not source.is_html:
        return [picture, "", words]
    return [
        *("<figure>", "", picture, ""),
        *("<figcaption>", "", *source.translate([words]), "", "</figcaption>"),
        "</figure>",
    ]


def write_fence(info: str, lines: Sequence[str]) -> list[str]:
    """Return code in a fence that it does not contain."""
    mark = choose_fence("\n".join(lines))
    return [f"{mark}{info}".rstrip(), *trim(lines), mark]


def write_formula(lines: Sequence[str], source: Source) -> list[str]:
    """Return a formula in a block of its own."""
    shown = [line for line in lines if line.strip()]
    if source.is_html:
        return write_fence("math", shown)
    return ["$$", *shown, "$$"]


def write_inline_formula(formula: str, output: Output) -> str:
    """Return a formula in a paragraph."""
    formula = " ".join(formula.split())
    is_html = output is Output.HTML and "`" not in formula
    return f"$`{formula}`$" if is_html else f"${formula}$"


def find_children(
    element: Element, names: frozenset[str], tag: re.Pattern[str]
) -> Iterator[Element]:
    """Yield the elements of some names directly in another one."""
    body = element.body or []
    elements = find_elements(body, tag)
    at = 0
    while at < len(body):
        child = elements.get(at)
        if child is not None and child.name in names:
            yield child
        at = child.end if child is not None else at + 1


def write_tab_group(
    element: Element,
    source: Source,
    tag: re.Pattern[str],
    write: WriteElement = write_inside,
) -> list[str]:
    """Return a group of tabs, each written by `write`; its text if it has none."""
    labels = element.arguments.get("items").split(",")
    tabs: list[Tab] = []
    for number, child in enumerate(find_children(element, frozenset({"tab"}), tag)):
        given = labels[number].strip() if number < len(labels) else ""
        label = child.arguments.get("label", *_TITLE, position=0) or given
        lines = write(child, source)
        if lines or child.body:
            tabs.append(Tab(label or f"Tab {number + 1}", lines))
    return write_tabs(tabs, source) if tabs else write_inside(element, source)


def is_true(value: str) -> bool:
    """Whether an argument turns something on."""
    return value.lower() in _TRUE


def _find_kind(word: str) -> str:
    word = COLORS.get(word.lower(), word.lower())
    return word if word in KINDS else ""
