"""A Markdown text as HTML that is safe to show.

GitHub's dialect: tables, task lists, footnotes, alerts, bare addresses. Raw HTML goes
through a sieve, and so does everything else: what comes out has no script, style, form,
frame or picture, whatever went in. A picture is a request to somebody else or a file
that is not served, so it is shown as what it is called.
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
"""Characters of a text; a larger one is shown as it is, not as Markdown."""

MAX_CHEAP_CHARACTERS: Final = 8 * 1024
"""Characters of a text that is rendered in any process: some need 15 us for each."""

RESERVED: Final = "KB-"
"""What the ids of the page around a text begin with; none in a text does.

No heading's anchor does either: those have no capitals of ASCII.
"""

ResolveLink: TypeAlias = Callable[[str], str | None]
"""Returns the address to put in place of a link's; None to let it lead nowhere."""

_CODE: Final = '<pre class="code" tabindex="0">'
_OPTIONS: Final = {
    "alerts": True,
    "strikethrough_single_tilde": True,
    "tasklists": True,
}
"""What GitHub's dialect has beside rules of its own."""
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
_SET: Final = {
    # One attribute per tag: nh3 writes several in an order that differs per process.
    "input": {"type": "checkbox"},
    # What scrolls by itself must be reachable by keyboard.
    "pre": {"tabindex": "0"},
}
_CHECKBOX: Final = ' type="checkbox">'
"""The end of each <input> that nh3 writes.

Only there: it escapes `"` in the values of attributes and `>` in text.
"""
_READ_ONLY_CHECKBOX: Final = ' type="checkbox" disabled="" aria-label="Done">'
"""Cannot be changed by the reader; screen readers announce its state as "Done"."""
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
    """Of the text, from 1, where the fence opens."""
    language: str
    """As the text names it; may be empty."""
    size: int
    """Characters."""


@dataclass(frozen=True, slots=True)
class Html:
    """A text as HTML."""

    text: str
    headings: tuple[Heading, ...] = ()
    """With the anchors by which they are found in it."""
    code: tuple[CodeBlock, ...] = ()


def render(
    text: str,
    follow: ResolveLink = lambda href: href,
    *,
    has_anchors: bool = True,
    highlighter: Highlighter = highlight,
) -> Html:
    """Return a text as HTML, its links as `follow` has them; never fails.

    Where it `has_anchors`, each heading ends with a link to itself. Takes about 1 ms
    for 2 KB, but for some texts minutes: `render_cheap` and `markup.renderer` are
    bounded.
    """
    if len(text) > MAX_CHARACTERS:
        return render_plain(text)
    markdown = _make_markdown(highlighter)
    # With an end of its last line: the grammar fails at some texts that have none.
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
    # Entities are characters only now.
    seen = strip_invisible(_sieve(shown, follow))
    return Html(seen, tuple(headings.found), tuple(code))


def render_cheap(
    text: str, follow: ResolveLink = lambda href: href, *, has_anchors: bool = True
) -> Html | None:
    """Return the same; None for a text whose rendering is not known to be cheap."""
    if len(text) > MAX_CHARACTERS:
        return render_plain(text)
    if len(text) > MAX_CHEAP_CHARACTERS:
        return None
    try:
        return render(
            text, follow, has_anchors=has_anchors, highlighter=highlight_cheap
        )
    except CostlyCode:
        return None


def render_plain(text: str) -> Html:
    """Return a text as code: for one that is too large or too costly to render."""
    return Html(f"{_CODE}{escape(text, quote=False)}</pre>")


def read_language(info: str) -> str:
    """Return the name of the language in what stands behind an opening fence."""
    return info.strip().partition(" ")[0].split(",")[0].split("{")[0]


def is_anchor(name: str) -> bool:
    """Whether something in a text may be found by this name."""
    return _ID.match(name) is not None


class _Headings:
    """Gives each heading of one text its anchor, and perhaps a link to itself."""

    def __init__(self, *, has_anchors: bool) -> None:
        self._has_anchors = has_anchors
        self.found: list[Heading] = []
        self._anchors = Anchors()

    def add(self, opening: Token, content: Token) -> None:
        """Take in the next heading."""
        text = read_words(content.children or ())
        anchor = self._anchors.add(text)
        line = opening.map[0] + 1 if opening.map else 1
        self.found.append(Heading(int(opening.tag[1:]), text, anchor, line))
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
    """Say by a class how a cell is aligned: styles in place are not let through."""
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
    """Return the name of a picture, with a link to it if it is on another site."""
    token = tokens[index]
    source = str(token.attrs.get("src", ""))
    name = renderer.renderInlineAsText(token.children or [], options, env)
    shown = escape(name.strip() or source.rpartition("/")[2] or "picture")
    if not _EXTERNAL.match(source):
        return f'<span class="picture">{shown}</span>'
    return f'<a href="{escape(source)}"><span class="picture">{shown}</span></a>'


def _open_table(*_: object) -> str:
    """Begin a table in a frame of its own, which scrolls where it is too wide."""
    return '<div class="table" tabindex="0"><table>\n'


def _close_table(*_: object) -> str:
    return "</table></div>\n"


def _drop_attributes(state: StateCore) -> None:
    """Leave out the lines in which kramdown has classes of the paragraph beside it."""
    for number, token in enumerate(state.tokens):
        if token.type == "inline" and "{:" in token.content:
            token.content = _ATTRIBUTE_LIST.sub("", token.content).rstrip("\n")
            _hide_empty(state, number)


def _drop_liquid(state: StateCore) -> None:
    """Leave out the tags of Liquid that stand outside code."""
    liquid = Liquid()
    for number, token in enumerate(state.tokens):
        if token.type == "html_block":
            token.content = liquid.cut_html(token.content)
        elif token.type == "inline":
            is_heading = state.tokens[number - 1].type == "heading_open"
            # What is found by a heading depends on nothing around it.
            shown = cut_liquid(token.content, None if is_heading else liquid)
            if shown != token.content:
                token.content = shown
                _hide_empty(state, number)


def _bound_tags(state: StateCore) -> None:
    """Show as text the tags that are open in too many others."""
    tags = OpenTags()
    for block in state.tokens:
        for token in (block, *(block.children or ())):
            if token.type in ("html_block", "html_inline"):
                token.content = tags.bound(token.content)


def _hide_empty(state: StateCore, number: int) -> None:
    """Show no paragraph that has nothing in it."""
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


def _sieve(html: str, follow: ResolveLink) -> str:
    """Return HTML with nothing in it but what is known to be harmless."""

    def keep(tag: str, attribute: str, value: str) -> str | None:
        if attribute == "href":
            return follow(value)
        return value if attribute != "id" or is_anchor(value) else None

    clean = nh3.clean(
        html,
        tags=set(_TAGS),
        attributes=_ATTRIBUTES,
        tag_attribute_values={"div": {"tabindex": {"0"}}},
        set_tag_attribute_values=_SET,
        allowed_classes=_CLASSES_OF,
        attribute_filter=keep,
        url_schemes=set(_SCHEMES),
        link_rel=None,
    )
    return clean.replace(_CHECKBOX, _READ_ONLY_CHECKBOX)
