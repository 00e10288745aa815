r"""Formulas: TeX in Markdown, as MathML.

GitHub's forms: `$x^2$`, `` $`x^2`$ ``, `$$x^2$$` and fences of the language `math`. A
dollar sign is a price or a variable, and not the begin of a formula, if a blank is
behind it, or a letter or digit before it or behind the closing one.
"""

import re
from collections.abc import Callable
from functools import cache
from html import escape
from typing import Final, TypeAlias

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from math_core import LatexError, LatexToMathML

LANGUAGE: Final = "math"
"""The language of a fence with a formula."""

MAX_CHARACTERS: Final = 2_000
"""Characters of a formula; a longer one is shown as code. The converter is recursive,
and at ten times as many exhausts the stack."""

MAX_DEPTH: Final = 100
"""Elements within each other in the MathML of a formula; a deeper one is shown as
code."""

MAX_MATHML_CHARACTERS: Final = 100_000
"""Characters of the MathML of a formula; a longer one is shown as code."""

MAX_EXPANSIONS: Final = 500
"""Uses of macros that a formula defines itself."""

FormulaWriter: TypeAlias = Callable[[str, bool], str | None]
"""Return TeX as MathML, as a block if the second argument is true; None if it cannot be
converted."""

TYPE: Final = "formula"
"""Type of the token of a formula. Its content is the source with dollar signs."""

BLOCK_CLASS: Final = "formula"
"""Class of the element around a formula that is a block."""

_FORMULA: Final = re.compile(
    r"""(?P<mark>\$\$?+)(?:(?<=\$\$)|(?=\S))
        (?P<tex>(?:[^\\$]|\\.)*+)
        (?:(?<=\S)|(?=\$\$))(?P=mark)""",
    re.DOTALL | re.VERBOSE,
)
"""A formula without unescaped dollar signs within."""

_TAG: Final = re.compile(r"<(?P<end>/?)\w+[^<>]*?(?P<empty>/?)>")
_STYLE: Final = re.compile(r' style="([^"]*)"')
_CLASSES: Final = {
    "text-align:left": "left",
    "text-align:right": "right",
    "padding-left:0": "flush-left",
    "padding-right:0": "flush-right",
    "padding-left:1em": "apart",
    "border-left:0.05em solid currentcolor": "line-left",
    "border-right:0.05em solid currentcolor": "line-right",
    "border-top:0.05em solid currentcolor": "line-above",
    "border-bottom:0.05em solid currentcolor": "line-below",
    "width:50%": "margin",
    "width:100%": "wide",
}
CLASSES: Final = frozenset(_CLASSES.values())
"""Classes that replace the inline styles of the converter: those are forbidden."""

_MACROS: Final = {"mbox": r"\text{#1}"}
_SAME: Final = (("{split}", "{aligned}"), ("{gathered*}", "{gathered}"))
"""Environments that the converter does not know, and the same ones that it does."""


def use_formulas(markdown: MarkdownIt) -> None:
    """Add the forms without a fence to a grammar."""
    markdown.inline.ruler.before("escape", TYPE, _read_formula)
    markdown.core.ruler.after("inline", TYPE, _mark_blocks)


def write_formula(tex: str, is_block: bool) -> str | None:
    """Return a formula as MathML; None if it cannot be converted or is too large.

    The stack and the memory that it takes are bounded by the limits of this module, but
    not proven to be: it runs in a process that can be killed.
    """
    if len(tex) > MAX_CHARACTERS:
        return None
    for environment, same in _SAME:
        tex = tex.replace(environment, same)
    try:
        mathml = _converter().convert_with_local_state(tex, displaystyle=is_block)
    except LatexError:
        return None
    if len(mathml) > MAX_MATHML_CHARACTERS or _measure_depth(mathml) > MAX_DEPTH:
        return None
    return _STYLE.sub(_write_style, mathml)


def show_formula(writer: FormulaWriter, source: str) -> str:
    """Return a formula with its dollar signs as HTML: MathML, or the source as code."""
    mark = "$$" if source.startswith("$$") else "$"
    tex = source[len(mark) : -len(mark)]
    if mark == "$" and tex.startswith("`"):
        tex = tex[1:-1]
    shown = writer(tex.strip(), mark == "$$")
    return f"<code>{escape(source, quote=False)}</code>" if shown is None else shown


def show_block(writer: FormulaWriter, tex: str) -> str | None:
    """Return the formula of a fence as HTML; None if it cannot be converted."""
    shown = writer(tex.strip(), True)
    if shown is None:
        return None
    return f'<div class="{BLOCK_CLASS}" tabindex="0">{shown}</div>\n'


def _read_formula(state: StateInline, silent: bool) -> bool:
    """Read a formula in a line of Markdown."""
    if state.src[state.pos] != "$":
        return False
    end = _find_end(state.src, state.pos, state.posMax)
    if not end:
        return False
    if not silent:
        token = state.push(TYPE, "", 0)
        token.content = state.src[state.pos : end]
    state.pos = end
    return True


def _mark_blocks(state: StateCore) -> None:
    """Make a paragraph that is a formula between `$$` a block that can be scrolled."""
    for opening, content, closing in zip(
        state.tokens, state.tokens[1:], state.tokens[2:], strict=False
    ):
        if opening.type != "paragraph_open" or opening.hidden:
            continue
        parts = content.children or ()
        if len(parts) == 1 and parts[0].type == TYPE and parts[0].content[1] == "$":
            opening.tag = closing.tag = "div"
            opening.attrs = {"class": BLOCK_CLASS, "tabindex": "0"}


def _find_end(text: str, start: int, last: int) -> int:
    """Return the end of the formula that begins at a dollar sign; 0 if none does."""
    before = text[start - 1 : start]
    if before == "$" or before.isalnum():
        return 0
    last = min(last, start + MAX_CHARACTERS)
    if text.startswith("$`", start):
        close = text.find("`$", start + 2, last)
        return close + 2 if close > start + 2 else 0
    formula = _FORMULA.match(text, start, last)
    if formula is None or not formula["tex"].strip():
        return 0
    behind = text[formula.end() : formula.end() + 1]
    if formula["mark"] == "$" and (behind.isalnum() or behind in tuple("$({")):
        return 0
    return formula.end()


def _measure_depth(mathml: str) -> int:
    depth = deepest = 0
    for tag in _TAG.finditer(mathml):
        if not tag["empty"]:
            depth += -1 if tag["end"] else 1
            deepest = max(deepest, depth)
    return deepest


def _write_style(style: re.Match[str]) -> str:
    """Return classes, or a colour, for an inline style."""
    declared = [
        f"{name.strip()}:{value.strip()}"
        for name, _, value in (part.partition(":") for part in style[1].split(";"))
    ]
    classes = " ".join(_CLASSES[part] for part in declared if part in _CLASSES)
    colours = [part[6:] for part in declared if part.startswith("color:")]
    written = f' class="{classes}"' if classes else ""
    return written + (f' mathcolor="{colours[0]}"' if colours else "")


@cache
def _converter() -> LatexToMathML:
    return LatexToMathML(macros=_MACROS, max_expansions=MAX_EXPANSIONS)
