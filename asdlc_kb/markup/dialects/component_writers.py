"""Writers of components: callouts, tabs, details, cards, steps, fields, code."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from asdlc_kb.markup.blocks import FenceTracker, LineKind, choose_fence
from asdlc_kb.markup.code_info import read_info
from asdlc_kb.markup.dialects.code_marks import read_label
from asdlc_kb.markup.dialects.component_elements import find_children, split_summary
from asdlc_kb.markup.dialects.component_spans import write_address
from asdlc_kb.markup.dialects.constructs import (
    Tab,
    WriteElement,
    trim,
    write_callout,
    write_card,
    write_details,
    write_inside,
    write_tabs,
)
from asdlc_kb.markup.dialects.elements import Element, TagArguments
from asdlc_kb.markup.dialects.source import Source
from asdlc_kb.markup.plain_text import to_plain_text

TAB_NAMES: Final[Mapping[str, str]] = {
    "astro": "Astro",
    "html": "HTML",
    "js": "JavaScript",
    "lit": "Lit",
    "markdown": "Markdown",
    "preact": "Preact",
    "react": "React",
    "server": "Server",
    "solid": "Solid",
    "ssr": "SSR",
    "static": "Static",
    "svelte": "Svelte",
    "ts": "TypeScript",
    "vue": "Vue",
}
"""Labels of tabs that are named by a slot only."""

_VALUE: Final = re.compile(
    r"label:\s*+[\"'](?P<label>[^\"'\n]*+)[\"']\s*+,\s*+value:\s*+[\"'](?P<value>[^\"'\n]*+)"
    r"|value:\s*+[\"'](?P<value2>[^\"'\n]*+)[\"']\s*+,\s*+label:\s*+[\"'](?P<label2>[^\"'\n]*+)"
)
_CODE_TITLE: Final = re.compile(r' title="[^"]*"')
_NAMES: Final = re.compile(r"[<>*_`\[\]]")


def get_literal(arguments: TagArguments, *names: str) -> str:
    """Return the literal value of the first of these attributes, on one line."""
    for name in names:
        value = arguments.named.get(name, "")
        if value and not value.startswith("{"):
            return " ".join(value.split())
    return ""


def has_flag(arguments: TagArguments, name: str) -> bool:
    """Whether an attribute is set, and not to false."""
    return arguments.named.get(name, "false") != "false"


def write_label(label: str, source: Source) -> str:
    """Return a label: plain for the website, whose tags contain no Markdown."""
    label = " ".join(label.split())
    return to_plain_text(label) if source.is_html else label


def callout_writer(kind: str) -> WriteElement:
    """Return the writer of callouts of a kind."""

    def write(element: Element, source: Source) -> list[str]:
        title = get_literal(element.arguments, "title")
        return write_callout(kind, title, write_inside(element, source))

    return write


def write_typed_callout(element: Element, source: Source) -> list[str]:
    """Return a callout whose kind is an attribute."""
    kind = get_literal(element.arguments, "type", "kind", "variant") or "note"
    return callout_writer(kind)(element, source)


def write_tab_list(element: Element, source: Source) -> list[str]:
    """Return the elements of a body as tabs; a body without one as a text."""
    values = {
        (m["value"] or m["value2"]): (m["label"] or m["label2"])
        for m in _VALUE.finditer(element.arguments.named.get("values", ""))
    }
    tabs = []
    for child in find_children(element.body or []):
        value = get_literal(child.arguments, "value", "name", "slot")
        label = get_literal(child.arguments, "label", "title", "tab", "text")
        label = label or values.get(value) or TAB_NAMES.get(value, value)
        if child.body is not None and label:
            body = source.translate(child.body)
            tabs.append(Tab(write_label(label, source), body))
    return write_tabs(tabs, source) if tabs else write_inside(element, source)


def write_code_group(lines: Sequence[str], source: Source) -> list[str]:
    """Return fenced code as tabs, each named by its title or language."""
    text: list[str] = []
    tabs: list[Tab] = []
    fence = FenceTracker()
    start = 0
    for at, line in enumerate(lines):
        was_open = fence.is_open
        kind = fence.classify(line)
        if kind is LineKind.TEXT:
            text.append(line)
        elif not was_open:
            start = at
        elif not fence.is_open:
            tabs.append(_make_code_tab(lines[start : at + 1], source))
    if not tabs:
        return trim(source.translate(list(lines)))
    above = trim(source.translate(text))
    return [*above, *([""] if above else []), *write_tabs(tabs, source)]


def write_marked_tabs(
    lines: Sequence[str], mark: re.Pattern[str], source: Source
) -> list[str]:
    """Return the tabs that marks with a `label` begin; nothing without one."""
    tabs: list[tuple[str, list[str]]] = []
    fence = FenceTracker()
    for line in lines:
        is_text = fence.classify(line) is LineKind.TEXT
        if is_text and (found := mark.match(line.strip())):
            tabs.append((write_label(found["label"].strip(), source), []))
        elif tabs:
            tabs[-1][1].append(line)
    shown = [Tab(label, source.translate(body)) for label, body in tabs]
    return write_tabs(shown, source) if shown else []


def _make_code_tab(lines: Sequence[str], source: Source) -> Tab:
    info = read_info(lines[0].strip().lstrip("`~"))
    label = read_label(info) or info.language or "Code"
    first, *code = source.translate(list(lines))
    return Tab(write_label(label, source), [_CODE_TITLE.sub("", first, 1), *code])


def write_code_tabs(element: Element, source: Source) -> list[str]:
    """Return the fenced code of a body as tabs."""
    return write_code_group(element.body or [], source)


def write_accordion(element: Element, source: Source) -> list[str]:
    """Return a text that a reader can open; its summary is an attribute or tag."""
    names = ("title", "summary", "label")
    title = get_literal(element.arguments, *names) or "Details"
    summary, body = split_summary(element.body or [])
    if summary:
        title = to_plain_text(summary)
    is_open = any(has_flag(element.arguments, n) for n in ("open", "defaultOpen"))
    shown = source.translate(body)
    return write_details(write_label(title, source), shown, source, is_open=is_open)


def write_link_card(element: Element, source: Source) -> list[str]:
    """Return a card, whose text is its body or an attribute."""
    arguments = element.arguments
    title = get_literal(arguments, "title", "label", "text", "heading")
    href = write_address(get_literal(arguments, "href", "to", "link", "url"))
    body = write_inside(element, source)
    if not body and (words := get_literal(arguments, "description")):
        body = [words]
    return write_card(title, href, body)


def write_steps(element: Element, source: Source) -> list[str]:
    """Return steps as a numbered list; a body without one as a text."""
    lines = element.body or []
    has_steps = any("<Step" in line for line in lines)
    children = find_children(lines) if has_steps else []
    steps = [child for child in children if child.name == "Step"]
    shown: list[str] = []
    for number, step in enumerate(steps, 1):
        title = get_literal(step.arguments, "title", "name", "label")
        body = write_inside(step, source)
        if title:
            body = [f"**{title}**", *([""] if body else []), *body]
        shown += ["", *_write_item(f"{number}.", body)]
    return shown[1:] if steps else write_inside(element, source)


def _write_item(mark: str, lines: Sequence[str]) -> list[str]:
    """Return an item of a list."""
    indent = " " * (len(mark) + 1)
    first, *rest = lines or [""]
    return [
        f"{mark} {first}".rstrip(),
        *(f"{indent}{line}".rstrip() for line in rest),
    ]


def write_field(element: Element, source: Source) -> list[str]:
    """Return the definition of a parameter or of a field of an answer."""
    arguments = element.arguments
    names = ("path", "query", "body", "header", "name", "param", "field")
    facts = [f"`{kind}`"] if (kind := get_literal(arguments, "type")) else []
    facts += [
        *(["required"] if has_flag(arguments, "required") else []),
        *(["deprecated"] if has_flag(arguments, "deprecated") else []),
    ]
    if default := get_literal(arguments, "default"):
        facts.append(f"default `{default}`")
    head = f"`{get_literal(arguments, *names)}`"
    head += f" ({', '.join(facts)})" if facts else ""
    first, *rest = write_inside(element, source) or [""]
    if first and not re.match(r"[-*#>|`<]|\d+\.", first):
        return _write_item("-", [f"{head}: {first}", *rest])
    return _write_item("-", [head, "", first, *rest] if first else [head])


def write_titled(element: Element, source: Source) -> list[str]:
    """Return a text below its title."""
    arguments = element.arguments
    title = get_literal(arguments, "title", "label", "name")
    if title and (words := get_literal(arguments, "description")):
        title = f"{title}: {words}"
    body = write_inside(element, source)
    return [f"**{title}**", *([""] if body else []), *body] if title else body


def write_frame(element: Element, source: Source) -> list[str]:
    """Return a text above its caption."""
    body = write_inside(element, source)
    caption = get_literal(element.arguments, "caption")
    return [*body, "", f"*{caption}*"] if caption else body


def write_folder(element: Element, source: Source) -> list[str]:
    """Return a folder with the files in it as an item of a list."""
    name = get_literal(element.arguments, "name", "title")
    inside = [line for line in write_inside(element, source) if line.strip()]
    return _write_item("-", [f"{_NAMES.sub('', name)}/", *inside])


def write_file(element: Element, source: Source) -> list[str]:
    """Return a name, and its value if there is one, as an item of a list."""
    arguments = element.arguments
    name = _NAMES.sub("", get_literal(arguments, "name", "title"))
    value = get_literal(arguments, "value")
    return [f"- {name}: `{value}`" if value else f"- {name}"]


def write_choice(element: Element, source: Source) -> list[str]:
    """Return an answer of a quiz as an item of a list."""
    body = write_inside(element, source) or [""]
    if has_flag(element.arguments, "isCorrect"):
        body[0] += " (correct)"
    return _write_item("-", body)


def write_code(element: Element, source: Source) -> list[str]:
    """Return code that is an attribute or a body as fenced code."""
    arguments = element.arguments
    code = arguments.named.get("code", "")
    if code.startswith("{") or not code:
        code = "\n".join(element.body or [])
    if not code.strip():
        return []
    mark = choose_fence(code)
    info = get_literal(arguments, "lang", "language", "className")
    if title := get_literal(arguments, "title", "filename").replace('"', "'"):
        info += f' title="{title}"'
    lines = code.strip("\n").split("\n")
    return [f"{mark}{info.removeprefix('language-')}", *lines, mark]


def write_audience(element: Element, source: Source) -> list[str]:
    """Return a text for agents only, or for people only."""
    audience = get_literal(element.arguments, "for")
    hidden = "agents" if source.is_html else "humans"
    return [] if audience == hidden else write_inside(element, source)


def write_heading(element: Element, source: Source) -> list[str]:
    """Return a heading."""
    words = " ".join(" ".join(write_inside(element, source)).split())
    name = get_literal(element.arguments, "id")
    found = re.match(r"<h([1-6])", element.tag)
    level = int(found[1]) if found else 2
    return [f"{'#' * level} {words}" + (f" {{#{name}}}" if name else "")]
