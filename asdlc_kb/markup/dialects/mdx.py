"""The dialect MDX: Markdown with components, expressions and modules.

Nothing is run. Imports and exports go, an import of a picture is written where its
name is used, a literal is its text, and any other expression is shown as code.
"""

import re
from collections.abc import Mapping
from typing import Final

from asdlc_kb.markup.blocks import FenceTracker, LineKind
from asdlc_kb.markup.code_spans import STORED
from asdlc_kb.markup.dialects.code_marks import rewrite_marks
from asdlc_kb.markup.dialects.component_tags import evaluate, find_brace, unescape
from asdlc_kb.markup.dialects.components import COMPONENT, COMPONENT_SPAN, find_blocks
from asdlc_kb.markup.dialects.dialect import BlockRule, Dialect, InlineRule, Written
from asdlc_kb.markup.dialects.directives import DIRECTIVES
from asdlc_kb.markup.dialects.mdx_includes import find_mdx_includes
from asdlc_kb.markup.dialects.source import Output, Source

MAX_SHOWN_CHARS: Final = 80
"""Characters of an expression that is shown as code; a longer one is left out."""

_MODULE: Final = re.compile(r"(?m)^(?:im|ex)port")
_STATEMENT: Final = re.compile(
    r"import\s+(?:['\"]|\{\s*$|[\w$*{][^.!?]*?(?:\bfrom\s+['\"]|[{,]\s*$))"
    r"|export\s+(?:const|let|var|default|function|async|class)\b"
    r"|export\s*[{*]"
)
"""The first line of imports or exports, and not a sentence of English."""

_PICTURE: Final = re.compile(
    r"import\s+(\w+)\s+from\s+['\"]([^'\"\n]+\.(?:avif|gif|jpe?g|png|svg|webp|mp4))"
    r"(?:\?[^'\"\n]*)?['\"]"
)
_USED: Final = re.compile(r"\{\s*(\w+)(?:\.src|\.default)?\s*\}")
_MDX_FENCE: Final = re.compile(r"\s*+(`{3,}+|~{3,}+)mdx-code-block\s*+\Z")
_HEADING: Final = re.compile(r"[ \t]{0,3}#{1,6}[ \t]")
_HEADING_ID: Final = re.compile(
    r"\{(?:/\*(?:[ \t]*+#([\w.:-]++)[ \t]*+|([\w.:-]++))\*/"
    r"|[ \t]*+#([\w.:-]++)[ \t]*+)\}[ \t]*+\Z"
)
_FORMULA_OR_BRACE: Final = re.compile(
    r"\$\$(?:[^$]|\$(?!\$))++\$\$|\$(?=[^\s$])[^$\n]{0,1000}+\$(?!\d)|\{"
)


def drop_modules(text: str) -> str:
    """Return a text without imports and exports, on the same lines.

    The names of imported pictures are replaced by their addresses.
    """
    modules = [found.start() for found in _MODULE.finditer(text)]
    lines = text.split("\n")
    if not modules:
        return _open_fences(lines) if "mdx-code-block" in text else text
    final = text.count("\n", 0, modules[-1])
    fence = FenceTracker()
    pictures: dict[str, str] = {}
    is_apart, end = True, 0
    code: set[int] = set()
    for at, line in enumerate(lines):
        if at < end:
            lines[at] = ""
            is_apart = True
            continue
        if at > final and not pictures:
            break
        if fence.classify(line) is not LineKind.TEXT:
            code.add(at)
        elif is_apart and line[:6] in ("import", "export") and _STATEMENT.match(line):
            end = _find_statement_end(lines, at)
            found = _PICTURE.findall("\n".join(lines[at:end]))
            pictures.update((name, unescape(path)) for name, path in found)
            lines[at] = ""
        bare = lines[at].strip()
        is_apart = not bare or bare.endswith(("-->", "*/}"))
    if pictures:
        for at, line in enumerate(lines):
            if at not in code and "{" in line:
                lines[at] = _name_pictures(line, pictures)
    return _open_fences(lines) if "mdx-code-block" in text else "\n".join(lines)


def _find_statement_end(lines: list[str], at: int) -> int:
    """Return the index after the last line of a statement.

    It ends before a blank line, outside of braces if these are closed.
    """
    end = at
    while end < len(lines) and lines[end].strip():
        end += 1
    first = "\n".join(lines[at:end])
    if first.count("{") + first.count("(") <= first.count("}") + first.count(")"):
        return end
    brace = first.find("{")
    if brace < 0:
        return end
    # As many lines as an expression can have characters are never read.
    text = "\n".join(lines[at : at + 400])
    closed = find_brace(text, brace)
    if not closed:
        return end
    last = at + text.count("\n", 0, closed)
    while last < len(lines) and lines[last].strip():
        last += 1
    return max(end, last)


def _name_pictures(line: str, pictures: Mapping[str, str]) -> str:
    def name(match: re.Match[str]) -> str:
        path = pictures.get(match[1])
        return match[0] if path is None else f'"{path}"'

    return _USED.sub(name, line)


def _open_fences(lines: list[str]) -> str:
    """Return lines without the fences of blocks that are MDX themselves."""
    fence = FenceTracker()
    is_mdx = False
    for at, line in enumerate(lines):
        is_first = not fence.is_open
        if fence.classify(line) is not LineKind.FENCE:
            continue
        if is_first:
            is_mdx = _MDX_FENCE.match(line) is not None
        if is_mdx:
            lines[at] = ""
    return "\n".join(lines)


def _read_expression(first: re.Match[str], source: Source) -> Written | None:
    """Leave out an expression of whole lines that is no literal."""
    lines = source.lines[source.at : source.at + 400]
    text = "\n".join(lines)
    start = text.find("{")
    end = find_brace(text, start)
    if not end or (text[end:].partition("\n")[0]).strip():
        return None
    count = text.count("\n", 0, end) + 1
    inside = text[start + 1 : end - 1].strip()
    is_comment = inside.startswith("/*") and inside.endswith("*/")
    if count == 1 and not is_comment:
        return None
    value = evaluate(inside)
    shown = source.translate(value.split("\n")) if value else []
    return Written(shown, source.at + count)


def _rewrite_expressions(text: str, output: Output) -> str:
    """Return a paragraph with its expressions as text or code."""
    if "#" in text:
        text = "\n".join(write_heading_id(line) for line in text.split("\n"))
    parts: list[str] = []
    at = 0
    while (found := _FORMULA_OR_BRACE.search(text, at)) is not None:
        end = found.end()
        shown = found[0]
        if shown == "{":
            end = find_brace(text, found.start())
            written = text[found.start() : end]
            shown = _show_expression(written) if end else shown
            end = end or found.end()
        parts += (text[at : found.start()], shown)
        at = end
    return "".join([*parts, text[at:]])


def write_heading_id(line: str) -> str:
    """Return a line; if it is a heading with an explicit id, in GitHub's form."""
    found = _HEADING_ID.search(line) if _HEADING.match(line) else None
    if found is None:
        return line
    return _write_id(line[: found.start()], found[1] or found[2] or found[3])


def _write_bracketed_id(match: re.Match[str], output: Output) -> str:
    return _write_id(match[1], match[2])


def _write_id(heading: str, id: str) -> str:
    return f"{heading.rstrip()} {{#{id}}}"


def _show_expression(written: str) -> str:
    inside = written[1:-1].strip()
    if inside.startswith("#") and " " not in inside:
        return f"{{{inside}}}"
    if not inside or (inside.startswith("/*") and inside.endswith("*/")):
        return ""
    if STORED.fullmatch(inside):
        return inside
    if (value := evaluate(inside)) is not None:
        return value
    is_short = len(written) <= MAX_SHOWN_CHARS and "\n" not in written
    if not is_short or "<" in written or "=>" in written or "\0" in written:
        return ""
    return f"`{written}`" if "`" not in written else ""


EXPRESSION: Final = BlockRule(re.compile(r"\{"), _read_expression)
"""A comment or another expression of whole lines."""

EXPRESSION_SPAN: Final = InlineRule(
    re.compile(r"(?s)\A[^{]*+\{.*\Z"),
    lambda match, output: _rewrite_expressions(match[0], output),
    in_addresses=True,
    sign="{",
)
"""Expressions in a paragraph, read after its tags."""

_HEADING_ID_SPAN: Final = InlineRule(
    re.compile(
        r"(?m)^([ \t]{0,3}#{1,6}[ \t][^\[\n]*+(?:\[(?!#)[^\[\n]*+)*+)(?<!\\)"
        r"\[#([\w.:-]++)\][ \t]*+$"
    ),
    _write_bracketed_id,
    in_addresses=True,
    sign="[#",
)
"""The id of a heading as Nextra and Fumadocs write it."""

MDX: Final = Dialect(
    "mdx",
    blocks=(*DIRECTIVES, COMPONENT, EXPRESSION),
    inlines=(_HEADING_ID_SPAN, COMPONENT_SPAN, EXPRESSION_SPAN),
    rewrite_code=rewrite_marks,
    find_elements=find_blocks,
    find_includes=find_mdx_includes,
    prepare=drop_modules,
    has_indented_code=False,
)
"""MDX of no known generator."""
