"""Renderer from Markdown to sanitized HTML.

GitHub's dialect: tables, task lists, footnotes, alerts, autolinks. All output is
sanitized, raw HTML included: it never has a script, style, form, frame or picture. A
picture would be a request to a third party or a file that is not served, so its name is
shown instead.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from html import escape
from typing import Final, TypeAlias

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from asdlc_kb.markup.anchors import Anchors
from asdlc_kb.markup.autolinks import use_autolinks
from asdlc_kb.markup.grammar import make_grammar, use_footnotes
from asdlc_kb.markup.highlight import (
    CLASSES,
    CostlyCode,
    Highlighter,
    highlight,
    highlight_cheap,
)
from asdlc_kb.markup.html_tags import OpenTags
from asdlc_kb.markup.liquid import Liquid
from asdlc_kb.markup.outline import Heading, read_words
from asdlc_kb.markup.plain_text import cut_liquid
from asdlc_kb.unicode.invisible import strip_invisible

MAX_CHARACTERS: Final = 512 * 1024
"""Characters of a text; a larger one is shown as code, not as Markdown."""

MAX_CHEAP_CHARACTERS: Final = 8 * 1024
"""Characters of a text rendered in any process: some texts need 15 us for each."""

RESERVED: Final = "KB-"
"""Prefix of the ids of the page around a text; removed from ids in a text.

No heading's anchor has it: anchors have no ASCII capitals.
"""

ResolveLink: TypeAlias = Callable[[str], str | None]
"""Return the resolved address of a link; None to remove it."""

_CODE: Final = '<pre class="code" tabindex="0">'
_OPTIONS: Final = {
    "alerts": True,
    "strikethrough_single_tilde": True,
    "tasklists": True,
}
"""Parser options of GitHub's dialect."""
_EXTERNAL = re.compile(r"(?i)https?://")
_ID = re.compile(rf"(?!{RESERVED})[^\s\"'<>&]{{1,200}}\Z")
_ATTRIBUTE_LIST = re.compile(r"(?m)^\{:[^{}\n]{0,500}\}[ \t]*(?:\n|\Z)")
_ALIGNED = re.compile(r"text-align:(left|center|right)")

_TAGS: Final = frozenset(
    "a abbr b blockquote br caption cite code dd del details dfn div dl dt em "
    "figcaption figure h1 h2 h3 h4 h5 h6 hr i input ins kbd li mark ol p pre q s samp "
    "section small span strong sub summary sup table tbody td tfoot th thead time tr u "
    "ul var".split()
)
_ALERTS: Final = ("note", "tip", "important", "warning", "caution")
_CLASSES_OF: Final = {
    "a": {"anchor", "footnote-backref"},
    "div": {"table", "markdown-alert", *(f"markdown-alert-{kind}" for kind in _ALERTS)},
    "hr": {"footnotes-sep"},
    "li": {"footnote-item", "task-list-item"},
    "ol": {"footnotes-list"},
    "p": {"markdown-alert-title"},
    "pre": {"code"},
    "section": {"footnotes"},
    "span": {*CLASSES, "picture"},
    "sup": {"footnote-ref"},
    "td": {"left", "center", "right"},
    "th": {"left", "center", "right"},
    "ul": {"contains-task-list"},
}
_SCHEMES: Final = frozenset({"http", "https", "mailto", "kb"})
_SET_ATTRIBUTES: Final = {
    # One attribute per tag: nh3 writes several in an order that differs per process.
    "input": {"type": "checkbox"},
    # Scrollable elements must be reachable by keyboard.
    "pre": {"tabindex": "0"},
}
_CHECKBOX: Final = ' type="checkbox">'
"""The end of each <input> that nh3 writes.

Only there: it escapes `"` in the values of attributes and `>` in text.
"""
_READ_ONLY_CHECKBOX: Final = ' type="checkbox" disabled="" aria-label="Done">'
"""Read-only; screen readers announce its state as "Done"."""
_ATTRIBUTES: Final = {
    "*": {"dir", "id", "lang", "title"},
    "a": {"aria-label", "href"},
    "abbr": {"title"},
    "details": {"open"},
    "input": {"checked"},
    "ol": {"start"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
    "time": {"datetime"},
}


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """A fenced block of code in a text."""

    line: int
    """The line of the opening fence in the text, from 1."""
    language: str
    """As written in the text; may be empty."""
    size: int
    """Number of characters."""


@dataclass(frozen=True, slots=True)
class Html:
    """A text as HTML."""

    text: str
    headings: tuple[Heading, ...] = ()
    """With their anchors in the HTML."""
    code: tuple[CodeBlock, ...] = ()


def render(
    text: str,
    resolve: ResolveLink = lambda href: href,
    *,
    has_anchors: bool = True,
    highlighter: Highlighter = highlight,
) -> Html:
    """Return a text as HTML, its links resolved by `resolve`; never fails.

    With `has_anchors`, each heading ends with a link to itself. Takes about 1 ms for
    2 KB, but for some texts minutes: `render_cheap` and `markup.render_process` are
    bounded.
    """
    if len(text) > MAX_CHARACTERS:
        return render_plain(text)
    markdown = _make_markdown(highlighter)
    # The grammar fails at some texts without a final line end.
    tokens = markdown.parse(text + "\n")
    headings = _Headings(has_anchors=has_anchors)
    code = []
    for number, token in enumerate(tokens):
        if token.type == "heading_open":
            headings.add(token, tokens[number + 1])
        elif token.type in ("th_open", "td_open"):
            _align(token)
        elif token.type == "fence" and token.map is not None:
            language, size = read_language(token.info), len(token.content)
            code.append(CodeBlock(token.map[0] + 1, language, size))
    shown = markdown.renderer.render(tokens, markdown.options, {})
    # Entities are decoded only now.
    clean = strip_invisible(_sanitize(shown, resolve))
    return Html(clean, tuple(headings.headings), tuple(code))


def render_cheap(
    text: str, resolve: ResolveLink = lambda href: href, *, has_anchors: bool = True
) -> Html | None:
    """Like `render`; None for a text that is not known to be cheap."""
    if len(text) > MAX_CHARACTERS:
        return render_plain(text)
    if len(text) > MAX_CHEAP_CHARACTERS:
        return None
    try:
        return render(
            text, resolve, has_anchors=has_anchors, highlighter=highlight_cheap
        )
    except CostlyCode:
        return None


def render_plain(text: str) -> Html:
    """Return a text as code, if it is too large or too costly to render."""
    return Html(f"{_CODE}{escape(text, quote=False)}</pre>")


def read_language(info: str) -> str:
    """Return the language name in the info string of a fence."""
    return info.strip().partition(" ")[0].split(",")[0].split("{")[0]


def is_anchor(name: str) -> bool:
    """Whether a name is allowed as an id in a text."""
    return _ID.match(name) is not None


class _Headings:
    """Adds anchors, and optionally links, to the headings of one text."""

    def __init__(self, *, has_anchors: bool) -> None:
        self._has_anchors = has_anchors
        self.headings: list[Heading] = []
        self._anchors = Anchors()

    def add(self, opening: Token, content: Token) -> None:
        """Add the next heading."""
        text = read_words(content.children or ())
        anchor = self._anchors.add(text)
        line = opening.map[0] + 1 if opening.map else 1
        self.headings.append(Heading(int(opening.tag[1:]), text, anchor, line))
        if not is_anchor(anchor):
            return
        opening.attrSet("id", anchor)
        if not self._has_anchors:
            return
        where = f'href="#{escape(anchor)}" aria-label="{escape(f"Link to: {text}")}"'
        link = Token("html_inline", "", 0)
        link.content = f' <a class="anchor" {where}>#</a>'
        content.children = [*(content.children or ()), link]


def _align(cell: Token) -> None:
    """Replace a cell's inline style by a class: inline styles are removed."""
    if aligned := _ALIGNED.match(str(cell.attrs.pop("style", ""))):
        cell.attrSet("class", aligned[1])


def _show_code(highlighter: Highlighter, code: str, language: str, _: str) -> str:
    shown = highlighter(code, read_language(language))
    return f"{_CODE}<code>{shown}</code></pre>"


def _show_picture(
    renderer: RendererHTML,
    tokens: Sequence[Token],
    index: int,
    options: OptionsDict,
    env: EnvType,
) -> str:
    """Return the name of a picture, linked if it is on another site."""
    token = tokens[index]
    source = str(token.attrs.get("src", ""))
    name = renderer.renderInlineAsText(token.children or [], options, env)
    shown = escape(name.strip() or source.rpartition("/")[2] or "picture")
    if not _EXTERNAL.match(source):
        return f'<span class="picture">{shown}</span>'
    return f'<a href="{escape(source)}"><span class="picture">{shown}</span></a>'


def _open_table(*_: object) -> str:
    """Begin a table in a scrollable container."""
    return '<div class="table" tabindex="0"><table>\n'


def _close_table(*_: object) -> str:
    return "</table></div>\n"


def _drop_attributes(state: StateCore) -> None:
    """Remove kramdown's attribute lists."""
    for number, token in enumerate(state.tokens):
        if token.type == "inline" and "{:" in token.content:
            token.content = _ATTRIBUTE_LIST.sub("", token.content).rstrip("\n")
            _hide_empty(state, number)


def _drop_liquid(state: StateCore) -> None:
    """Remove Liquid tags outside code."""
    liquid = Liquid()
    for number, token in enumerate(state.tokens):
        if token.type == "html_block":
            token.content = liquid.cut_html(token.content)
        elif token.type == "inline":
            is_heading = state.tokens[number - 1].type == "heading_open"
            # A heading's anchor must not depend on the text around it.
            shown = cut_liquid(token.content, None if is_heading else liquid)
            if shown != token.content:
                token.content = shown
                _hide_empty(state, number)


def _bound_tags(state: StateCore) -> None:
    """Escape tags that are nested too deeply."""
    tags = OpenTags()
    for block in state.tokens:
        for token in (block, *(block.children or ())):
            if token.type in ("html_block", "html_inline"):
                token.content = tags.bound(token.content)


def _hide_empty(state: StateCore, number: int) -> None:
    """Hide an empty paragraph."""
    if not state.tokens[number].content:
        for around in (state.tokens[number - 1], state.tokens[number + 1]):
            around.hidden = around.hidden or around.type.startswith("paragraph")


@cache
def _make_markdown(highlighter: Highlighter) -> MarkdownIt:
    show_code = partial(_show_code, highlighter)
    markdown = make_grammar(_OPTIONS | {"highlight": show_code})
    markdown.enable("strikethrough").use(use_autolinks).use(use_footnotes)
    markdown.core.ruler.before("inline", "attribute_lists", _drop_attributes)
    markdown.core.ruler.before("inline", "liquid", _drop_liquid)
    markdown.core.ruler.push("open_tags", _bound_tags)
    markdown.add_render_rule("image", _show_picture)
    markdown.add_render_rule("table_open", _open_table)
    markdown.add_render_rule("table_close", _close_table)
    return markdown


def _sanitize(html: str, resolve: ResolveLink) -> str:
    """Return HTML with allowed tags and attributes only."""

    def filter_attribute(tag: str, attribute: str, value: str) -> str | None:
        if attribute == "href":
            return resolve(value)
        return value if attribute != "id" or is_anchor(value) else None

    clean = nh3.clean(
        html,
        tags=set(_TAGS),
        attributes=_ATTRIBUTES,
        tag_attribute_values={"div": {"tabindex": {"0"}}},
        set_tag_attribute_values=_SET_ATTRIBUTES,
        allowed_classes=_CLASSES_OF,
        attribute_filter=filter_attribute,
        url_schemes=set(_SCHEMES),
        link_rel=None,
    )
    return clean.replace(_CHECKBOX, _READ_ONLY_CHECKBOX)
