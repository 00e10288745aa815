r"""Formulas in TeX: `$x$`, `$$x$$`, `\(x\)`, `\[x\]` and `\begin{align}`.

Their marks are not read as Markdown. GitHub's forms are written: `$x$`,
`$$x$$`, and for the website a fence of the language `math` for a paragraph.
"""

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from asdlc_kb.markup.code_spans import STORED
from asdlc_kb.markup.dialects.source import Output

_MARK: Final = re.compile(rf"{STORED.pattern}|\$\$?|\\(?:begin|end)\{{[a-z]+\*?\}}")
_CLOSING: Final = {r"\(": r"\)", r"\[": r"\]", "$": "$", "$$": "$$"}


class _Mark(NamedTuple):
    """What begins or ends a formula."""

    name: str
    start: int
    end: int


def write_formulas(
    text: str, stored: list[str], output: Output, hide: Callable[[str], str]
) -> str:
    """Return a paragraph with hidden formulas; its code and escapes are stored."""
    if not ("$" in text or r"\begin" in text or any(s in _CLOSING for s in stored)):
        return text
    marks = [_read_mark(match, stored) for match in _MARK.finditer(text)]
    following = _find_following(marks)
    parts: list[str] = []
    at = number = 0
    while number < len(marks):
        opening = marks[number]
        end = following[number]
        number += 1
        if end is None or not _is_formula(text, opening, marks[end]):
            continue
        closing = marks[end]
        is_whole = not text[: opening.start].strip() and not text[closing.end :].strip()
        body = text[opening.end : closing.start]
        if opening.name.startswith(r"\begin"):
            body = text[opening.start : closing.end]
            if not is_whole:
                continue
        body = STORED.sub(lambda match: stored[int(match[1])], body)
        shown = _write(body, opening, text, output, is_whole=is_whole)
        parts += (text[at : opening.start], hide(shown))
        at = closing.end
        number = end + 1
    return "".join([*parts, text[at:]])


def _read_mark(match: re.Match[str], stored: list[str]) -> _Mark:
    name = stored[int(match[1])] if match[1] else match[0]
    return _Mark(name, match.start(), match.end())


def _find_following(marks: list[_Mark]) -> list[int | None]:
    """Return for each mark the number of the one that ends its formula."""
    found: list[int | None] = [None] * len(marks)
    last: dict[str, int] = {}
    for number in range(len(marks) - 1, -1, -1):
        name = marks[number].name
        closing = _CLOSING.get(name) or name.replace("begin", "end", 1)
        if closing != name or name in _CLOSING:
            found[number] = last.get(closing)
        last[name] = number
    return found


def _is_formula(text: str, opening: _Mark, closing: _Mark) -> bool:
    """Whether what is between two marks is a formula, and not an amount of money."""
    body = text[opening.end : closing.start]
    if not body.strip() or "`" in body:
        return False
    if opening.name != "$":
        return True
    before, after = text[: opening.start][-1:], text[closing.end : closing.end + 1]
    is_apart = not (before.isalnum() or after.isalnum())
    return (
        is_apart and not (body[0].isspace() or body[-1].isspace()) and "\n" not in body
    )


def _write(
    body: str, opening: _Mark, text: str, output: Output, *, is_whole: bool
) -> str:
    name = opening.name
    is_environment = name.startswith(r"\begin")
    if is_whole and output is Output.HTML and name not in ("$", r"\("):
        first = text.lstrip("\n")
        indent = " " * (len(first) - len(first.lstrip(" ")))
        lines = [line.strip() for line in body.strip().split("\n")]
        return f"\n{indent}".join(["```math", *lines, "```"])
    if name == r"\(" and output is Output.HTML:
        return f"$`{' '.join(body.split())}`$"
    mark = "" if is_environment else "$" if name in ("$", r"\(") else "$$"
    body = body.strip() if mark == "$" else body
    return f"{mark}{body}{mark}"
