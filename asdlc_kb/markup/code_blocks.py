"""Code blocks as HTML: header, highlighted lines and line numbers."""

from collections.abc import Iterator
from html import escape
from typing import Final

from asdlc_kb.markup.code_info import CodeInfo
from asdlc_kb.markup.highlight import MAX_CHARACTERS, Highlighter, name_language

OPEN: Final = '<pre class="code" tabindex="0">'
"""The tag of code that can be scrolled."""

CLASSES: Final = frozenset({"code-language", "code-title", "highlighted", "line"})
"""Classes of the parts of a block."""

_CAPTIONS: Final = {
    "d2": "D2 diagram",
    "mermaid": "Mermaid diagram",
    "plantuml": "PlantUML diagram",
}
"""Diagrams that are shown as source."""


def write_code(code: str, info: CodeInfo, highlighter: Highlighter) -> str:
    """Return a fenced block of code as HTML."""
    shown = highlighter(code, info.language)
    if len(code) <= MAX_CHARACTERS and (info.highlighted or info.first_number):
        shown = "".join(_write_lines(shown, info))
    block = f"{OPEN}<code>{shown}</code></pre>"
    label = _CAPTIONS.get(info.language.lower()) or name_language(info.language)
    if not (label or info.title):
        return f"{block}\n"
    title = _write_label("code-title", info.title)
    header = f"<figcaption>{title}{_write_label('code-language', label)}</figcaption>"
    return f'<figure class="code-block">{header}{block}</figure>\n'


def write_diagram(code: str, name: str, width: int, height: int) -> str:
    """Return the place of a diagram, which becomes pictures in `site.rendering`.

    The source is below it, folded.
    """
    place = f'<span data-diagram="{name}-{width}-{height}"></span>'
    source = f"{OPEN}<code>{escape(code, quote=False)}</code></pre>"
    folded = f"<details><summary>Source of the diagram</summary>{source}</details>"
    return f'<figure class="diagram-frame">{place}{folded}</figure>\n'


def _write_label(name: str, text: str) -> str:
    return f'<span class="{name}">{escape(text, quote=False)}</span>' if text else ""


def _write_lines(shown: str, info: CodeInfo) -> Iterator[str]:
    """Yield the lines of highlighted code, each in an element.

    The highlighter closes its elements at the end of each line.
    """
    lines = shown.removesuffix("\n").split("\n")
    for number, line in enumerate(lines, 1):
        is_marked = any(number in lines for lines in info.highlighted)
        name = "line highlighted" if is_marked else "line"
        counted = ""
        if info.first_number is not None:
            counted = f' data-line="{info.first_number + number - 1}"'
        yield f'<span class="{name}"{counted}>{line}\n</span>'
