"""Renderer from Markdown to sanitized HTML.

GitHub's dialect: tables, task lists, footnotes, alerts, autolinks. All output is
sanitized, raw HTML included: it never has a script, style, form or frame, and no
picture but those that `markup.pictures` finds served.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import Final, TypeAlias

import nh3
from markdown_it import MarkdownIt
from markdown_it.common.utils import unescapeAll
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from asdlc_kb.markup import mathml
from asdlc_kb.markup.anchors import Anchors, is_anchor
from asdlc_kb.markup.autolinks import use_autolinks
from asdlc_kb.markup.callouts import KINDS, use_callouts
from asdlc_kb.markup.code_blocks import CLASSES as CODE_CLASSES
from asdlc_kb.markup.code_blocks import OPEN as OPEN_CODE
from asdlc_kb.markup.code_info import read_language
from asdlc_kb.markup.fences import CHEAP, FULL, BlockWriter
from asdlc_kb.markup.formulas import BLOCK_CLASS, use_formulas
from asdlc_kb.markup.formulas import CLASSES as FORMULA_CLASSES
from asdlc_kb.markup.grammar import make_grammar, use_footnotes
from asdlc_kb.markup.headings import find_ids, read_id, read_words, use_attributes
from asdlc_kb.markup.highlight import CLASSES, CostlyCode
from asdlc_kb.markup.html_tags import OpenTags
from asdlc_kb.markup.liquid import Liquid
from asdlc_kb.markup.outline import Heading
from asdlc_kb.markup.pictures import CLASSES as PICTURE_CLASSES
from asdlc_kb.markup.pictures import ResolvePicture, no_picture, write_pictures
from asdlc_kb.markup.plain_text import cut_liquid
from asdlc_kb.markup.tab_groups import make_group_name, name_tabs
from asdlc_kb.unicode.invisible import strip_invisible

MAX_CHARACTERS: Final = 512 * 1024
"""Characters of a text; a larger one is shown as code, not as Markdown."""

MAX_CHEAP_CHARACTERS: Final = 8 * 1024
"""Characters of a text rendered in any process: some texts need 15 us for each."""

ResolveLink: TypeAlias = Callable[[str], str | None]
"""Return the resolved address of a link; None to remove it."""

_OPTIONS: Final = {
    "strikethrough_single_tilde": True,
    "tasklists": True,
}
"""Parser options of GitHub's dialect."""
_ATTRIBUTE_LIST = re.compile(r"(?m)^\{:[^{}\n]{0,500}\}[ \t]*(?:\n|\Z)")
_FIELD: Final = re.compile(r"<input\b[^<>]*+>", re.IGNORECASE)
_IS_CHECKBOX: Final = re.compile(r"""\stype=["']?checkbox\b""", re.IGNORECASE)
_RIGHT_TO_LEFT: Final = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_DIRECTED: Final = frozenset(
    {"blockquote_open", "bullet_list_open", "ordered_list_open"}
)
"""Blocks that have marks at the side on which their text begins."""
_TABLE: Final = '<div class="table" tabindex="0"><table>\n'
"""The beginning of a table, which can be scrolled."""
_ALIGNED = re.compile(r"text-align:(left|center|right)")

_TAGS: Final = frozenset(
    "a abbr b blockquote br caption cite code dd del details dfn div dl dt em "
    "figcaption figure h1 h2 h3 h4 h5 h6 hr i img input ins kbd li mark ol p picture "
    "pre q s samp section small source span strong sub summary sup table tbody td "
    "tfoot th thead time tr u ul var video".split()
)
_CALLOUT: Final = {"markdown-alert", *(f"markdown-alert-{kind}" for kind in KINDS)}
_CLASSES_OF: Final = {
    "a": {"anchor", "footnote-backref"},
    "details": _CALLOUT,
    "div": {*_CALLOUT, BLOCK_CLASS, "card-grid", "grid", "table", "tabs"},
    "figure": {"code-block", "diagram-frame"},
    "hr": {"footnotes-sep"},
    "img": PICTURE_CLASSES,
    "li": {"footnote-item", "task-list-item"},
    "ol": {"footnotes-list"},
    "p": {"markdown-alert-title"},
    "pre": {"code"},
    "section": {"footnotes"},
    "span": {*CLASSES, *CODE_CLASSES, "picture"},
    "summary": {"markdown-alert-title"},
    "sup": {"footnote-ref"},
    "td": {"left", "center", "right"},
    "th": {"left", "center", "right"},
    "ul": {"contains-task-list"},
    **dict.fromkeys(("mspace", "mtable", "mtd"), FORMULA_CLASSES),
}
_VALUES: Final[dict[str, Callable[[str], object]]] = {
    "data-diagram": re.compile("[0-9a-f]{24}(?:-[0-9]{1,5}){2}").fullmatch,
    "data-line": re.compile("[0-9]{1,7}").fullmatch,
    **dict.fromkeys(("aria-labelledby", "id"), is_anchor),
}
"""What the value of an attribute must be, whatever its element."""
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
    **{f"h{level}": {"aria-label"} for level in range(1, 7)},
    "a": {"aria-labelledby", "href"},
    "abbr": {"title"},
    "details": {"name", "open"},
    "img": {"alt", "height", "sizes", "src", "srcset", "width"},
    "input": {"checked"},
    "ol": {"start"},
    "source": {"media", "sizes", "src", "srcset", "type"},
    "span": {"data-diagram", "data-line"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
    "time": {"datetime"},
    "video": {"aria-label", "height", "poster", "src", "width"},
    **mathml.ATTRIBUTES,
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
    is_plain: bool = False
    """Whether the text is shown as code."""


def render(
    text: str,
    resolve: ResolveLink = lambda href: href,
    *,
    has_anchors: bool = True,
    writer: BlockWriter = FULL,
    resolve_picture: ResolvePicture | None = no_picture,
) -> Html:
    """Return a text as HTML, its links resolved by `resolve`; never fails.

    With `has_anchors`, each heading ends with a link to itself. Without
    `resolve_picture`, the caller writes the pictures. Takes about 1 ms for 2 KB, but
    for some texts minutes: `render_cheap` and `markup.render_process` are bounded.
    """
    if len(text) > MAX_CHARACTERS:
        return render_plain(text)
    markdown = _make_markdown(writer)
    # The grammar fails at some texts without a final line end.
    tokens = markdown.parse(text + "\n")
    headings = _Headings(Anchors(find_ids(tokens)), has_anchors=has_anchors)
    code = []
    is_directed = _RIGHT_TO_LEFT.search(text) is not None
    for number, token in enumerate(tokens):
        if token.type == "heading_open":
            headings.add(token, tokens[number + 1])
        elif token.type in ("th_open", "td_open"):
            _align(token)
        elif is_directed and token.type in _DIRECTED:
            token.attrSet("dir", "auto")
        elif token.type == "fence" and token.map is not None:
            language, size = read_language(token.info), len(token.content)
            code.append(CodeBlock(token.map[0] + 1, language, size))
    shown = markdown.renderer.render(tokens, markdown.options, {})
    # Entities are decoded only now.
    clean = strip_invisible(_sanitize(shown, resolve))
    if resolve_picture is not None:
        clean = write_pictures(clean, resolve_picture)
    return Html(clean, tuple(headings.headings), tuple(code))


def render_cheap(
    text: str,
    resolve: ResolveLink = lambda href: href,
    *,
    has_anchors: bool = True,
    resolve_picture: ResolvePicture | None = no_picture,
) -> Html | None:
    """Like `render`; None for a text that is not known to be cheap."""
    if len(text) > MAX_CHARACTERS:
        return render_plain(text)
    if len(text) > MAX_CHEAP_CHARACTERS:
        return None
    try:
        return render(
            text,
            resolve,
            has_anchors=has_anchors,
            writer=CHEAP,
            resolve_picture=resolve_picture,
        )
    except CostlyCode:
        return None


def render_plain(text: str) -> Html:
    """Return a text as code, if it is too large or too costly to render."""
    return Html(f"{OPEN_CODE}{escape(text, quote=False)}</pre>", is_plain=True)


class _Headings:
    """Adds anchors, and optionally links, to the headings of one text."""

    def __init__(self, anchors: Anchors, *, has_anchors: bool) -> None:
        self._has_anchors = has_anchors
        self.headings: list[Heading] = []
        self._anchors = anchors

    def add(self, opening: Token, content: Token) -> None:
        """Add the next heading."""
        text = read_words(content.children or ())
        anchor = self._anchors.add(text, read_id(opening))
        line = opening.map[0] + 1 if opening.map else 1
        self.headings.append(Heading(int(opening.tag[1:]), text, anchor, line))
        if not is_anchor(anchor):
            return
        opening.attrSet("id", anchor)
        if not self._has_anchors:
            return
        if text:
            # Otherwise its name would end with that of the link.
            opening.attrSet("aria-label", text)
        where = f'href="#{escape(anchor)}" aria-labelledby="{escape(anchor)}"'
        link = Token("html_inline", "", 0)
        link.content = f' <a class="anchor" {where}>#</a>'
        content.children = [*(content.children or ()), link]


def _align(cell: Token) -> None:
    """Replace a cell's inline style by a class: inline styles are removed."""
    if aligned := _ALIGNED.match(str(cell.attrs.pop("style", ""))):
        cell.attrSet("class", aligned[1])


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
    """Escape tags that are nested too deeply; remove fields of forms."""
    tags = OpenTags()
    for block in state.tokens:
        for token in (block, *(block.children or ())):
            if token.type in ("html_block", "html_inline"):
                token.content = tags.bound(_FIELD.sub(_keep_checkbox, token.content))


def _keep_checkbox(field: re.Match[str]) -> str:
    return field[0] if _IS_CHECKBOX.search(field[0]) else ""


def _hide_empty(state: StateCore, number: int) -> None:
    """Hide an empty paragraph."""
    if not state.tokens[number].content:
        for around in (state.tokens[number - 1], state.tokens[number + 1]):
            around.hidden = around.hidden or around.type.startswith("paragraph")


@cache
def _make_markdown(writer: BlockWriter) -> MarkdownIt:
    def show_fence(_: object, tokens: Sequence[Token], index: int, *__: object) -> str:
        fence = tokens[index]
        return writer.write_fence(unescapeAll(fence.info), fence.content)

    def show_formula(_: object, tokens: Sequence[Token], at: int, *__: object) -> str:
        return writer.write_formula(tokens[at].content)

    markdown = make_grammar(_OPTIONS)
    markdown.enable("strikethrough").use(use_autolinks).use(use_footnotes)
    markdown.use(use_formulas).use(use_attributes).use(use_callouts)
    markdown.add_render_rule("fence", show_fence)
    markdown.add_render_rule("formula", show_formula)
    markdown.core.ruler.before("inline", "attribute_lists", _drop_attributes)
    markdown.core.ruler.before("inline", "liquid", _drop_liquid)
    markdown.core.ruler.push("open_tags", _bound_tags)
    markdown.add_render_rule("table_open", lambda *_: _TABLE)
    markdown.add_render_rule("table_close", lambda *_: "</table></div>\n")
    return markdown


def _sanitize(html: str, resolve: ResolveLink) -> str:
    """Return HTML with allowed tags and attributes only."""

    def filter_attribute(tag: str, attribute: str, value: str) -> str | None:
        if attribute == "href":
            return resolve(value)
        if attribute == "name":
            return make_group_name(value)
        if tag in mathml.TAGS and attribute in mathml.ATTRIBUTES[tag]:
            return value if mathml.is_value(value) else None
        check = _VALUES.get(attribute)
        return value if check is None or check(value) else None

    clean = nh3.clean(
        html,
        tags={*_TAGS, *mathml.TAGS},
        attributes=_ATTRIBUTES,
        tag_attribute_values={"div": {"tabindex": {"0"}}},
        set_tag_attribute_values=_SET_ATTRIBUTES,
        allowed_classes=_CLASSES_OF,
        attribute_filter=filter_attribute,
        url_schemes=set(_SCHEMES),
        link_rel=None,
    )
    return name_tabs(clean.replace(_CHECKBOX, _READ_ONLY_CHECKBOX))
