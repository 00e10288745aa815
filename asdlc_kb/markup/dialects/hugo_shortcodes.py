"""Hugo's shortcodes and those of common themes, by what they mean."""

import re
from collections.abc import Mapping
from functools import partial
from typing import Final

from asdlc_kb.markup.code_info import CodeInfo, read_ranges
from asdlc_kb.markup.dialects.constructs import (
    Tab,
    WriteElement,
    write_callout,
    write_inside,
    write_nothing,
    write_tabs,
)
from asdlc_kb.markup.dialects.elements import Element, TagArguments
from asdlc_kb.markup.dialects.shortcodes import (
    WriteTag,
    is_true,
    write_address,
    write_collapsible,
    write_fence,
    write_figure,
    write_formula,
    write_link,
    write_link_card,
    write_note,
    write_picture,
    write_tab_group,
    write_word,
)
from asdlc_kb.markup.dialects.source import Source

ARGUMENTS: Final = (
    r"(?:\"(?:[^\"\\]|\\.){0,2000}+\"|`[^`]{0,2000}+`"
    r"|(?!/?[>%]\}\}|\{\{[<%])[^\"`])*+"
)
TAG: Final = re.compile(
    r"\{\{[<%]-?+(?!/\*)\s*+(?P<end>/)?+\s*+(?P<name>[A-Za-z][\w./-]*+(?<!/))"
    rf"(?P<arguments>{ARGUMENTS})(?P<single>/)?+[>%]\}}\}}"
)
_COLUMNS: Final = re.compile(r"\s*<-{2,}>\s*")
_HIGHLIGHTED: Final = re.compile(
    r"(?i)hl_lines\s*=\s*\[([^\]]{0,200})\]|\bhl_lines=([\d -]+)"
)
_NUMBERED: Final = re.compile(r"(?i)linenos\s*=\s*[\"']?(?:true|table|inline)")
_FIRST_NUMBER: Final = re.compile(r"(?i)linenostart\s*=\s*[\"']?(\d{1,6})")
_TOML: Final = re.compile(r"\s*(?:\[|[\w.-]+\s*=)")


def _write_version(
    words: str, kind: str, element: Element, source: Source
) -> list[str]:
    version = _write_since(words, element.arguments)
    if not element.body:
        return [version]
    return write_callout(kind, version, write_inside(element, source))


def _write_since(words: str, arguments: TagArguments) -> str:
    return f"{words} v{arguments.get(position=0).lstrip('vV')}"


def _write_highlight(element: Element, source: Source) -> list[str]:
    arguments = element.arguments
    info = CodeInfo(
        arguments.get("lang", "language", "type", position=0),
        arguments.get("file", "filename", "title"),
        raw=f"{arguments.get(position=1)} {element.tag}",
    )
    read_layout(info)
    shown = info.write(has_layout=source.is_html)
    return write_fence(shown, element.body or [])


def write_code_toggle(element: Element, source: Source) -> list[str]:
    """Return configuration in the format in which it is written."""
    if element.body is None:
        return write_word(element, source)
    first = next((line for line in element.body if line.strip()), "")
    language = "yaml"
    if first.lstrip().startswith("{"):
        language = "json"
    elif _TOML.match(first):
        language = "toml"
    title = element.arguments.get("file")
    if title and "." not in title.rpartition("/")[2]:
        title = f"{title}.{language}"
    return write_fence(CodeInfo(language, title).write(has_layout=False), element.body)


def _write_fenced(element: Element, source: Source) -> list[str]:
    return write_fence(element.name, element.body or [])


def _write_math(element: Element, source: Source) -> list[str]:
    return write_formula(element.body, source) if element.body else []


def _write_columns(element: Element, source: Source) -> list[str]:
    body = ["" if _COLUMNS.fullmatch(line) else line for line in element.body or []]
    return write_inside(element._replace(body=body), source)


def _write_button(element: Element, source: Source) -> list[str]:
    words = " ".join(write_inside(element, source))
    return [show_button(element.arguments, words)]


def show_button(arguments: TagArguments, words: str) -> str:
    """Return a button as a link."""
    address = arguments.get("relref", "href", "url", "link", position=0)
    return write_link(words or arguments.get("text", "title"), address)


def _write_pane(element: Element, source: Source) -> list[str]:
    """Return Docsy's tabs: code, unless they are said to be text."""
    is_text = is_true(element.arguments.get("text"))
    language = element.arguments.get("lang")

    def write(tab: Element, source: Source) -> list[str]:
        own = tab.arguments.get("text")
        is_code = not (is_true(own) if own else is_text) and tab.tag[2:3] == "<"
        if is_true(tab.arguments.get("disabled")) or not is_code:
            return write_inside(tab, source)
        return write_fence(tab.arguments.get("lang") or language, tab.body or [])

    return write_tab_group(element, source, TAG, write)


def _write_tab(element: Element, source: Source) -> list[str]:
    """Return a tab outside a group."""
    label = element.arguments.get("title", "name", "header", position=0)
    lines = write_inside(element, source)
    return write_tabs([Tab(label, lines)], source) if label else lines


def _write_folder(element: Element, source: Source) -> list[str]:
    inside = [line for line in write_inside(element, source) if line.strip()]
    name = element.arguments.get("name", position=0)
    return [f"- {name}/", *(f"  {line}" for line in inside)]


def _write_tree(element: Element, source: Source) -> list[str]:
    return [line for line in write_inside(element, source) if line.strip()]


def _write_file(arguments: TagArguments) -> str:
    return f"- {arguments.get('name', position=0)}"


def write_code_picture(element: Element, source: Source) -> list[str]:
    """Return the text of a QR code."""
    text = element.arguments.get("text") or "\n".join(element.body or [])
    return ["QR code:", "", *write_fence("text", text.split("\n"))]


def _link_to(words: str, address: str, arguments: TagArguments) -> str:
    known = arguments.get("id", "user", position=0)
    second = arguments.get("id", position=1) if "{1}" in address else ""
    return write_link(words, address.format(known, second)) if known else words


def _link_to_post(arguments: TagArguments) -> str:
    user = arguments.get("user", position=0)
    number = arguments.get("id", position=1)
    if not number:
        user, number = "i", user
    return write_link("Post on X", f"https://x.com/{user}/status/{number}")


def _write_reference(arguments: TagArguments) -> str:
    return write_address(arguments.get("path", position=0))


BLOCKS: Final[Mapping[str, WriteElement]] = {
    name: write
    for names, write in (
        (
            "note tip info warning danger caution important success error question "
            "example alert pageinfo hint notice callout admonition attention",
            write_note,
        ),
        ("details expand collapse accordion spoiler dropdown", write_collapsible),
        ("figure imgproc imgp", write_figure),
        ("img image picture", write_figure),
        ("highlight code code-block codeblock", _write_highlight),
        ("code-toggle", write_code_toggle),
        ("mermaid goat plantuml d2 diagram", _write_fenced),
        ("katex math", _write_math),
        ("tabs tabgroup", partial(write_tab_group, tag=TAG)),
        ("tabpane", _write_pane),
        ("tab", _write_tab),
        ("columns", _write_columns),
        ("button", _write_button),
        ("card hextra/feature-card link-card", write_link_card),
        ("filetree/folder", _write_folder),
        ("filetree/container", _write_tree),
        ("new-in", partial(_write_version, "New in", "note")),
        ("deprecated-in", partial(_write_version, "Deprecated in", "warning")),
        ("qr", write_code_picture),
        ("comment", write_nothing),
        (
            "datatable glossary quick-reference chroma-lexers per-lang-config-keys "
            "render-list-of-pages-in-section render-table-of-pages-in-section "
            "list-pages-in-section syntax-highlighting-styles "
            "syntax-highlighting-styles-light-with-counterpart swaggerui redoc openapi",
            write_word,
        ),
    )
    for name in names.split()
}
"""What shortcodes of whole lines mean."""

INLINES: Final[Mapping[str, WriteTag]] = {
    "youtube": partial(
        _link_to, "YouTube video", "https://www.youtube.com/watch?v={0}"
    ),
    "vimeo": partial(_link_to, "Vimeo video", "https://vimeo.com/{0}"),
    "instagram": partial(
        _link_to, "Instagram post", "https://www.instagram.com/p/{0}/"
    ),
    "gist": partial(_link_to, "Gist", "https://gist.github.com/{0}/{1}"),
    "x": _link_to_post,
    "tweet": _link_to_post,
    "twitter": _link_to_post,
    "ref": _write_reference,
    "relref": _write_reference,
    "param": lambda arguments: f"[param {arguments.get('name', position=0)}]",
    "new-in": partial(_write_since, "New in"),
    "deprecated-in": partial(_write_since, "Deprecated in"),
    "figure": write_picture,
    "img": write_picture,
    "image": write_picture,
    "badge": lambda arguments: arguments.get("content", "text", position=0),
    "filetree/file": _write_file,
    "button": lambda arguments: show_button(arguments, ""),
}
"""What shortcodes without a body mean."""

DROPPED: Final = frozenset({"icon", "br", "toc", "section", "katex", "math"})
"""Shortcodes without a body that stand for no words."""


def read_layout(info: CodeInfo) -> None:
    """Read the options of Hugo's highlighter."""
    if lines := _HIGHLIGHTED.search(info.raw):
        info.highlighted = read_ranges(lines[1] or lines[2] or "")
    if _NUMBERED.search(info.raw):
        first = _FIRST_NUMBER.search(info.raw)
        info.first_number = int(first[1]) if first else 1
