"""The dialect of MyST: directives in fences of backquotes or colons, roles, labels."""

import re
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Final, TypeAlias

from asdlc_kb.markup.dialects.attribute_lists import ATTRIBUTE_LISTS
from asdlc_kb.markup.dialects.component_elements import fill_templates
from asdlc_kb.markup.dialects.constructs import (
    KINDS,
    Tab,
    trim,
    write_callout,
    write_card,
    write_details,
    write_tabs,
)
from asdlc_kb.markup.dialects.definition_lists import DEFINITION_LIST
from asdlc_kb.markup.dialects.dialect import (
    BlockRule,
    Dialect,
    InlineRule,
    Written,
    drop_line,
)
from asdlc_kb.markup.dialects.elements import TagArguments
from asdlc_kb.markup.dialects.myst_directives import (
    CODE,
    FENCED,
    Directive,
    find_containers,
    find_fence_end,
    list_directives,
    read_directive,
)
from asdlc_kb.markup.dialects.myst_includes import find_myst_includes
from asdlc_kb.markup.dialects.myst_labels import LABEL, OPTIONS, find_labels
from asdlc_kb.markup.dialects.myst_roles import write_roles
from asdlc_kb.markup.dialects.shortcodes import (
    write_fence,
    write_formula,
    write_link,
    write_picture,
)
from asdlc_kb.markup.dialects.source import Output, Source, dedent

_COMMENT: Final = re.compile(r"%(?![^\s%])")
_PLAIN: Final = re.compile(r":{3,}[ ]*(?:[\w-]+|\{[.#][^{}]*\})?[ \t]*\Z")
"""A line of a container that has a class only."""
_BREAK: Final = re.compile(r"\+\+\+(?:[ \t{].*)?\Z")
_ROW: Final = re.compile(r"[*-][ ]+(?=[*-](?:[ ]|\Z))")
_CELL: Final = re.compile(r"[*-](?:[ ]+|\Z)")
_TARGETS: Final = re.compile(
    r"(?<=\]\()<?(?:project|path|myst):(?=[#\w./-])([^()\s<>]*)>?"
)
_UNTITLED: Final = re.compile(r"(?<!!)\[\]\(<?(?P<untitled>[^()\s<>]{1,500})>?\)")
_SUBSTITUTION: Final = re.compile(r"\{\{\s*+([\w-]++)\s*+\}\}")
_AUTOLINK: Final = re.compile(
    r"<(?:project|path|myst|inv|xref):(?P<target>[^\s<>]{1,500})>"
)
_INVENTORY: Final = re.compile(
    r"\[(?P<words>[^\[\]\n]{0,500})\]\(<?(?:inv|xref):[^()\s]{1,500}\)"
)

_ADMONITIONS: Final = frozenset(
    (
        "note tip hint important warning caution attention danger error seealso todo"
    ).split()
)
_VERSIONS: Final = {
    "versionadded": "Added in version",
    "versionchanged": "Changed in version",
    "versionremoved": "Removed in version",
    "deprecated": "Deprecated since version",
}
_LANGUAGES: Final = {
    "eval-rst": "rst",
    "mermaid": "mermaid",
    "plantuml": "plantuml",
    "uml": "plantuml",
    "graphviz": "dot",
    "digraph": "dot",
    "ipython3": "python",
    "ipython": "python",
    "altair-plot": "python",
    "plot": "python",
    "jupyter-execute": "python",
}
_NOTHING: Final = frozenset(
    "toctree tableofcontents contents toc index raw highlight currentmodule meta "
    "bibliography default-role default-domain sectionauthor codeauthor tags "
    "tabularcolumns testcleanup module py:module py:currentmodule only-html".split()
)
_DOMAIN: Final = re.compile(
    r"(?:auto|py:|c:|cpp:|js:|rst:|std:|autodoc|click)[\w:-]*|automodule|autoclass"
    r"|autofunction|automethod|function|class|method|attribute|data|exception"
)
_PICTURES: Final = frozenset({"figure", "image", "figure-md", "video"})


WriteDirective: TypeAlias = Callable[[Directive, Source], list[str]]


def _read_directive(first: re.Match[str], source: Source) -> Written:
    mark = first["mark"]
    if mark[0] == ":":
        end = source.once(find_containers).get(source.at, len(source.lines))
    else:
        end = find_fence_end(source.lines, source.at, mark)
    lines = dedent(source.lines[source.at + 1 : end], source.indent)
    directive = read_directive(first, lines)
    anchor = _write_anchor(directive.options.get(*OPTIONS), source)
    return Written([*anchor, *_write(directive, source)], end + 1)


def _translate(directive: Directive, source: Source) -> list[str]:
    text = write_roles("\n".join(directive.body))
    return trim(source.translate(text.split("\n")))


def _write(directive: Directive, source: Source) -> list[str]:
    """Return a directive as what it means; an unknown one is its text."""
    name = directive.name
    if name in _NOTHING:
        return []
    if name in _ADMONITIONS or name in ("admonition", "aside", "sidebar", "topic"):
        return _write_admonition(directive, source)
    if name in _VERSIONS:
        return _write_version(directive, source)
    if name in CODE:
        return _write_code(directive)
    if name in _PICTURES:
        return _write_figure(directive, source)
    if name == "math":
        return write_formula([directive.argument, *directive.body], source)
    if (write := _WRITERS.get(name)) is not None:
        return write(directive, source)
    if _DOMAIN.fullmatch(name):
        shown = directive.argument.replace("`", "")
        head = [f"API reference: `{shown}`"] if shown else []
        return [*head, *([""] if head else []), *_translate(directive, source)]
    title = write_roles(directive.argument)
    is_kind = name.partition(":")[0] in ("prf", "proof", "exercise", "solution")
    if is_kind:
        kind = name.rpartition(":")[2]
        label = f"{kind.capitalize()}: {title}" if title else kind.capitalize()
        return write_callout("note", label, _translate(directive, source))
    return _translate(directive, source)


def _write_admonition(directive: Directive, source: Source) -> list[str]:
    """Return a callout; the argument of one with a kind begins its text."""
    name, argument = directive.name, write_roles(directive.argument)
    kind = name if name in _ADMONITIONS else _find_kind(directive.options)
    body = _translate(directive, source)
    if name in _ADMONITIONS and argument:
        body = [*source.translate([argument]), *([""] if body else []), *body]
        argument = ""
    fold = "-" if "dropdown" in directive.options.get("class").split() else ""
    return write_callout(kind, argument, body, fold=fold)


def _find_kind(options: TagArguments) -> str:
    classes = options.get("class").split()
    return next((word for word in classes if word in KINDS), "note")


def _write_version(directive: Directive, source: Source) -> list[str]:
    version, _, text = write_roles(directive.argument).partition(" ")
    head = f"*{_VERSIONS[directive.name]} {version}:* {text}".rstrip()
    body = _translate(directive, source)
    return [head, *([""] if body else []), *body]


def _write_code(directive: Directive) -> list[str]:
    name, options = directive.name, directive.options
    given = directive.argument.split()[:1] if name not in _LANGUAGES else []
    language = given[0] if given else _LANGUAGES.get(name, "")
    language = _LANGUAGES.get(language, language)
    lines = directive.body
    if not any(line.strip() for line in lines):
        return []
    title = options.get("caption", "filename").replace('"', "'").replace("`", "'")
    info = f'{language} title="{title}"' if title else language
    return write_fence(info, lines)


def _write_figure(directive: Directive, source: Source) -> list[str]:
    options = directive.options
    named = {"src": directive.argument, "alt": options.get("alt")}
    link = options.get("target")
    picture = write_picture(TagArguments(named=named | {"link": link}))
    if directive.name == "video":
        picture = write_link(options.get("alt") or "Video", directive.argument)
    body = _translate(directive, source)
    if directive.name == "figure-md":
        return body
    return [picture, *([""] if body else []), *body]


def _write_anchor(label: str, source: Source) -> list[str]:
    """Return the place that a label names; agents find it without."""
    if not label or not source.is_html:
        return []
    return [f'<a id="{escape(label.lower())}"></a>', ""]


def _write_dropdown(directive: Directive, source: Source) -> list[str]:
    summary = write_roles(directive.argument) or "Details"
    is_open = "open" in directive.options.named
    return write_details(
        summary, _translate(directive, source), source, is_open=is_open
    )


def _write_tab_set(directive: Directive, source: Source) -> list[str]:
    """Return the tabs in a set; code in a set of code is named by its language."""
    tabs: list[Tab] = []
    nested = list_directives(directive.body)
    for each in nested:
        label = write_roles(each.argument)
        if each.name in CODE:
            tabs.append(Tab(each.argument or "Code", _write_code(each)))
        else:
            tabs.append(Tab(label or f"Tab {len(tabs) + 1}", _translate(each, source)))
    return write_tabs(tabs, source) if tabs else _translate(directive, source)


def _write_card(directive: Directive, source: Source) -> list[str]:
    title = write_roles(directive.argument)
    link = directive.options.get("link", "url")
    is_label = directive.options.get("link-type") == "ref"
    body = [line for line in _translate(directive, source) if line.strip() != "^^^"]
    return write_card(title, f"#{link}" if is_label else link, body)


def _write_list_table(directive: Directive, source: Source) -> list[str]:
    """Return a table of the rows in a nested list; a list if a cell has blocks."""
    rows: list[list[list[str]]] = []
    for line in directive.body:
        bare = line.rstrip()
        if row := _ROW.match(bare):
            rows.append([])
            bare = " " * row.end() + bare[row.end() :]
        cell = _CELL.match(bare.lstrip()) if rows else None
        indent = len(bare) - len(bare.lstrip())
        if cell and 0 < indent <= 4:
            rows[-1].append([bare.lstrip()[cell.end() :]])
        elif rows and rows[-1]:
            rows[-1][-1].append(bare.strip())
    if not rows or not all(_is_short(cell) for row in rows for cell in row):
        return _write_titled(directive, source)
    shown = [[" ".join(filter(None, cell)) for cell in row] for row in rows]
    if directive.options.get("header-rows") in ("", "0"):
        shown.insert(0, [""] * max(map(len, shown)))
    lines = [f"| {' | '.join(row)} |" for row in shown]
    lines.insert(1, f"|{' --- |' * len(shown[0])}")
    return _write_titled(directive._replace(body=lines), source)


def _is_short(cell: Sequence[str]) -> bool:
    """Whether a cell is one paragraph."""
    text = "\n".join(cell).strip()
    return "\n\n" not in text and not re.search(r"(?m)^(?:```|:::|[-*][ ]|\|)", text)


def _write_titled(directive: Directive, source: Source) -> list[str]:
    """Return the text of a directive below its title."""
    title = write_roles(directive.argument)
    body = _translate(directive, source)
    return [*([f"**{title}**", ""] if title else []), *body]


def _write_embed(directive: Directive, source: Source) -> list[str]:
    address = directive.argument
    if directive.name == "youtube" and "/" not in address:
        address = f"https://www.youtube.com/watch?v={address}"
    return [write_link("Video" if directive.name == "youtube" else "", address)]


def _write_button(directive: Directive, source: Source) -> list[str]:
    words = " ".join(_translate(directive, source)) or directive.argument
    return [write_link(words, directive.argument)]


_WRITERS: Final[Mapping[str, WriteDirective]] = {
    "dropdown": _write_dropdown,
    "toggle": _write_dropdown,
    "tab-set": _write_tab_set,
    "tab-set-code": _write_tab_set,
    "tabs": _write_tab_set,
    "card": _write_card,
    "grid-item-card": _write_card,
    "list-table": _write_list_table,
    "table": _write_titled,
    "rubric": _write_titled,
    "iframe": _write_embed,
    "youtube": _write_embed,
    "button-link": _write_button,
    "button-ref": _write_button,
}


def _read_label(first: re.Match[str], source: Source) -> Written:
    return Written(_write_anchor(first["label"], source), source.at + 1)


def _write_target(match: re.Match[str], output: Output) -> str:
    return match[1].lstrip("/") if match[1].startswith("#") else match[1]


def _write_autolink(match: re.Match[str], output: Output) -> str:
    target = match["target"]
    words = target.rpartition("#")[2] or target
    if match[0].startswith(("<inv:", "<xref:")):
        return f"`{words}`"
    return write_link(words, target)


def _write_untitled(match: re.Match[str], output: Output) -> str:
    """Return a link without words with those of its address."""
    target = match["untitled"]
    name = target.rpartition("#")[2].rpartition("/")[2].removesuffix(".md")
    return f"[{name}]({target})"


def _write_words(match: re.Match[str], output: Output) -> str:
    return match["words"]


MYST: Final = Dialect(
    "myst",
    (
        BlockRule(LABEL, _read_label),
        BlockRule(_COMMENT, drop_line),
        BlockRule(_BREAK, drop_line),
        BlockRule(_PLAIN, drop_line),
        DEFINITION_LIST,
    ),
    (
        InlineRule(_INVENTORY, _write_words, in_addresses=True, sign="]("),
        InlineRule(_TARGETS, _write_target, in_addresses=True, sign=":"),
        InlineRule(_UNTITLED, _write_untitled, in_addresses=True, sign="[]("),
        *ATTRIBUTE_LISTS,
        InlineRule(_AUTOLINK, _write_autolink, in_addresses=True, sign=":"),
    ),
    fenced=(BlockRule(FENCED, _read_directive),),
    has_formulas=True,
    fill=fill_templates(_SUBSTITUTION, "myst."),
    prepare=write_roles,
    find_includes=find_myst_includes,
    find_labels=find_labels,
)
