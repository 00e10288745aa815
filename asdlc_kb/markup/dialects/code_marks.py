"""Marks of site generators in fenced code: highlighted, added and removed lines.

Comments such as `// [!code ++]` or `# highlight-next-line` go from the code. Where
lines are removed, the code is written as a diff: old and new lines would look alike.
"""

import re
from collections.abc import Iterator
from typing import Final

from asdlc_kb.markup.code_info import MAX_INFO_CHARS, CodeInfo
from asdlc_kb.markup.dialects.source import Output, count_indent

_OPEN: Final = r"(?://|#|--|;|%|<!--|/\*|\{/\*|\"\"\"|REM)"
_CLOSE: Final = r"(?:-->|\*/\}|\*/|\"\"\")?"
_NEXT: Final = re.compile(
    rf"\s*+{_OPEN}\s*+(?P<mark>highlight-(?:next-line|start|end)"
    rf"|This will error)\s*+{_CLOSE}\s*+\Z"
)
_COMMENT: Final = re.compile(
    rf"{_OPEN}\s*+\[!code\s++(?P<mark>word:[^\[\]\n]*+|[a-z]++|\+\+|--)"
    rf"(?::(?P<count>\d{{1,4}}))?\]\s*+{_CLOSE}"
)
_MARKED: Final = re.compile(
    r"(?:\b(?P<name>\w++)=[\"']?)?\{(?P<lines>[\d\s,-]++)\}"
    r"|\b(?:highlight|focus|hl_lines)=[\"'](?P<quoted>[\d\s,-]++)[\"']"
)
_NAMES: Final = {
    **dict.fromkeys(("ins", "add"), "+"),
    **dict.fromkeys(("del", "remove"), "-"),
    **dict.fromkeys(("mark", "highlight", "focus", "hl_lines"), "*"),
}
"""Marks of lines by the names of attributes: added, removed and highlighted."""
_RANGE: Final = re.compile(r"(\d{1,5})(?:-(\d{1,5}))?")
_WORD: Final = re.compile(
    r"\"[^\"]*+\"|'[^']*+'|[\w-]++=(?:\"[^\"]*+\"|'[^']*+'|\{[^{}]*+\}|\S*+)"
    r"|/(?:[^/\\\s]|\\.)++/\w*+|\{[^{}]*+\}|(?P<word>[^\s\"'{}=]++)"
)
_OPTIONS: Final = frozenset(
    "lines wrap expandable twoslash nocopy example live noInline showLineNumbers "
    "noLineNumbers showlinenumbers copy".split()
)


def read_label(code: CodeInfo) -> str:
    """Return the title of code, also as Mintlify writes it: the words that are left."""
    if code.title or len(code.raw) > MAX_INFO_CHARS:
        return code.title
    rest = code.raw.removeprefix(code.language)
    words = [match["word"] for match in _WORD.finditer(rest)]
    return " ".join(w for w in words if w and w not in _OPTIONS and w[0] not in ":[")


def rewrite_marks(code: CodeInfo, lines: list[str], output: Output) -> list[str]:
    """Return code without marks; its info string names the highlighted lines."""
    if code.language == "mermaid":
        return lines
    marks = _read_info_marks(code, len(lines))
    shown = _read_comments(lines, marks)
    if "-" in marks.values() and code.language != "diff":
        code.language, code.highlighted = "diff", ()
        return _write_diff(shown, marks)
    numbers = sorted(number for number in marks if number <= len(shown))
    code.highlighted = tuple(_group(numbers))
    return shown


def rewrite_titled(code: CodeInfo, lines: list[str], output: Output) -> list[str]:
    """Return code without marks; the other words of its info string are its title."""
    code.title = read_label(code)
    return rewrite_marks(code, lines, output)


def _read_info_marks(code: CodeInfo, count: int) -> dict[int, str]:
    """Return the marks of lines, of which there are `count`, by number."""
    marks: dict[int, str] = {}
    if len(code.raw) > MAX_INFO_CHARS:
        return marks
    for found in _MARKED.finditer(code.raw):
        mark = _NAMES.get(found["name"] or "mark")
        for first, last in _RANGE.findall(found["lines"] or found["quoted"]):
            start, end = int(first), int(last or first)
            if mark:
                shown = range(max(1, start), min(end, count) + 1)
                marks |= dict.fromkeys(shown, mark)
    return marks


def _read_comments(lines: list[str], marks: dict[int, str]) -> list[str]:
    """Return lines without comments that mark them; add their marks."""
    if not any("highlight-" in line or "[!code" in line for line in lines):
        return lines
    moved: dict[int, str] = {}
    shown: list[str] = []
    is_open = False
    pending = 0
    mark = ""
    for number, line in enumerate(lines, 1):
        if found := _NEXT.match(line):
            is_open = found["mark"].endswith("start")
            pending, mark = int(found["mark"].endswith("next-line")), "*"
            continue
        comment = _COMMENT.search(line)
        if comment is not None:
            line = line[: comment.start()].rstrip() + line[comment.end() :]
            mark = {"++": "+", "--": "-"}.get(comment["mark"], "*")
            pending = int(comment["count"] or 1)
            pending *= not comment["mark"].startswith("word:")
            if not line.strip():
                continue
        shown.append(line)
        if is_open or pending:
            moved[len(shown)] = mark
            pending = max(0, pending - 1)
        elif number in marks:
            moved[len(shown)] = marks[number]
    marks.clear()
    marks.update(moved)
    return shown


def _write_diff(lines: list[str], marks: dict[int, str]) -> list[str]:
    """Return lines with `+`, `-` or a blank behind their common indent."""
    indent = min((count_indent(line) for line in lines if line.strip()), default=0)
    signs = (marks.get(number, " ") for number in range(1, len(lines) + 1))
    return [
        f"{' ' * indent}{sign.replace('*', ' ')}{line[indent:]}".rstrip()
        for line, sign in zip(lines, signs, strict=True)
    ]


def _group(numbers: list[int]) -> Iterator[range]:
    """Yield the ranges of sorted numbers."""
    start = 0
    for at, number in enumerate(numbers, 1):
        if at == len(numbers) or numbers[at] > number + 1:
            yield range(numbers[start], number + 1)
            start = at
