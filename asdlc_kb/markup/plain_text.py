"""Markdown as plain text: no marks, addresses or tags; link text and code are kept.

One line for each paragraph, item, table row and line of code, which is indented by four
blanks. Based on patterns and not on the grammar, since whole trees are converted at a
time: it can differ from CommonMark in edge cases, but never fails and takes linear
time.
"""

import html
import re
from typing import Final

from asdlc_kb.markup.blocks import LIST_MARK, BlockScanner, LineKind, read_heading
from asdlc_kb.markup.code_spans import STORED, store_code
from asdlc_kb.markup.headings import cut_attributes
from asdlc_kb.markup.liquid import Liquid
from asdlc_kb.unicode.invisible import strip_invisible

CODE: Final = "    "
"""Prefix of a line of code."""

_WORDS: Final = re.compile(r"[ \t]*+(?!import|export)[^\W\d_]")
"""The start of a line that can only be text."""
_ITEM: Final = re.compile(r"[ \t]*+[-+*][ \t]++(?=[^\W\d_])")
"""The mark of an item that begins with a word."""
_QUOTE: Final = re.compile(r"[ \t]*+(?:>[ \t]*+)++(?:\[!\w++\][-+]?+)?+")
_MARK: Final = re.compile(rf"([ \t]*+)(?:{LIST_MARK}(?:[ \t]++|$))++(\[[ xX]\][ \t])?+")
_NOTHING: Final = re.compile(
    r"[ \t]*+(?:(?:[-*_=][ \t]*+){2,}+|=|[-:|][-:| \t]*+|\[[^\]\n]{1,999}+\]:\s.*"
    r"|(?:import|export)\s.*\sfrom\s*+['\"].*|import\s*+['\"].*|:{3,}\w*+"
    r"|\{:[^{}\n]{0,500}+\}[ \t]*+)$"
)
_DIRECTIVE: Final = re.compile(r"[ \t]*+:{3,}\w*+")
_ROW: Final = re.compile(r"[ \t]*+\|")
_ADDRESS: Final = re.compile(
    r"\]\((?:[^()\n\\\0]|\\.|\([^()\n]{0,999}+\)|\0\d++\0){0,2000}+\)|\]\[[^\[\]\n]{0,999}+\]"
)
_TEXT: Final = re.compile("!?+\\[([^\\[\\]\1]*+)\1")
_NOTE: Final = re.compile(r"\[\^[^\]\s]{1,99}+\]:?+")
_TAG: Final = re.compile(
    r"</?+[A-Za-z](?![\w.+-]*+[:@])[^\s<>/{\"']{0,99}+"
    r"(?:[^<>\"'{}]|\"[^\"]{0,500}+\"|'[^']{0,500}+'|\{(?:[^{}]|\{[^{}]{0,300}+\}){0,300}+\}){0,300}+>"
    r"|</?+>|<(?=[a-z][\w+.-]{1,31}:[^\s<>]{0,2000}+>)"
)
_SHORTCODE: Final = re.compile(r"\{\{[<%][^{}]{0,2000}[%>]\}\}")
# The text before a mark is checked after it: so the search is faster.
_STRONG: Final = re.compile(r"\*(?<!\*\*)\*++(?=[^\s/*])|\*(?<=[^\s/*]\*)\*++|~~")
_OPEN: Final = re.compile(r"[*_](?<![\w*/.][*_])[*_]{0,2}+(?=[\w\"'(\[\0$@#])")
_CLOSE: Final = re.compile(
    r"[*_](?<=[\w.,:;!?)\]\"'\0%][*_])[*_]{0,2}+(?![\w*/.]\w)(?!\w)"
)


def to_plain_text(markdown: str) -> str:
    """Return the plain text of a Markdown text."""
    text = markdown.replace("\0", "").replace("\1", "")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(_TextReader().read(lines))


class _TextReader:
    """Converts lines; tracks the kind of the current block."""

    def __init__(self) -> None:
        self._plain: list[str] = []
        self._block: list[str] = []
        self._blocks = BlockScanner()
        self._is_listing = False
        self._is_apart = True
        self._liquid = Liquid()

    def read(self, lines: list[str]) -> list[str]:
        """Return the lines of plain text."""
        for line in lines:
            if self._blocks.is_open:
                self._read_closed(self._blocks.classify(line), line)
            elif line and not line.isspace():
                self._read_line(line)
            else:
                self._flush()
                self._is_apart = True
        self._flush()
        return self._plain

    def _read_closed(self, kind: LineKind, line: str) -> None:
        """Read a line of fenced code, or of a comment, a script or a style sheet."""
        self._flush()
        if kind is LineKind.CODE and line.strip(" \t>"):
            self._plain.append(CODE + line.rstrip())
        elif kind is LineKind.HTML and self._blocks.rest:
            self._block.append(self._blocks.rest)

    def _read_line(self, line: str) -> None:
        """Read a line outside fenced code that is not blank."""
        was_apart, self._is_apart = self._is_apart, False
        if was_apart and not self._is_listing and line.startswith((CODE, "\t")):
            self._plain.append(CODE + line.strip())
            self._is_apart = True
        elif _WORDS.match(line):
            if was_apart and not line[:1].isspace():
                self._is_listing = False
            self._block.append(line.strip())
        elif item := _ITEM.match(line):
            self._flush()
            self._is_listing = True
            self._block.append(line[item.end() :].strip())
        elif (kind := self._blocks.classify(line)) is not LineKind.TEXT:
            self._read_closed(kind, line)
        else:
            self._read_words(line, was_apart=was_apart)

    def _read_words(self, line: str, *, was_apart: bool) -> None:
        if quote := _QUOTE.match(line):
            line = line[quote.end() :]
        if _NOTHING.match(line):
            self._flush()
            return
        if directive := _DIRECTIVE.match(line):
            self._flush()
            line = line[directive.end() :]
        mark = _MARK.match(line)
        if mark and mark.end() > mark.end(1):
            self._flush()
            self._is_listing = True
            line = line[mark.end() :]
        elif was_apart and not line[:1].isspace():
            self._is_listing = False
        if heading := read_heading(line.strip(" \t")):
            self._add(cut_attributes(heading[1])[0])
        elif _ROW.match(line):
            cells = line.strip(" \t|").split("|")
            self._add(", ".join(cell.strip() for cell in cells))
        else:
            self._block.append(line.strip())

    def _add(self, words: str) -> None:
        """Add a block of one line."""
        self._flush()
        self._block.append(words)
        self._flush()

    def _flush(self) -> None:
        """Write the current block as one line."""
        if self._block:
            read = _read_inline("\n".join(self._block), self._liquid)
            # Without the marks, other characters follow each other.
            words = " ".join(strip_invisible(read).split())
            self._block.clear()
            if words:
                self._plain.append(words)


def _read_inline(text: str, liquid: Liquid) -> str:
    """Return a block without the marks inside its lines."""
    stored: list[str] = []
    if "`" in text or "\\" in text:
        text = store_code(text, stored)
    if "<" in text:
        text = _SHORTCODE.sub(" ", _TAG.sub("", _cut_comments(text)))
    elif "{{" in text:
        text = _SHORTCODE.sub(" ", text)
    if "{" in text:
        text = liquid.cut(text)
    if "[" in text:
        text = _NOTE.sub("", text)
        text = _ADDRESS.sub("\1", text)
        # Twice: the text of a link can be a picture.
        text = _TEXT.sub(r"\1", _TEXT.sub(r"\1", text)).replace("\1", "]")
    if "*" in text or "_" in text or "~" in text:
        text = _CLOSE.sub("", _OPEN.sub("", _STRONG.sub("", text)))
    if "&" in text:
        text = _unescape(text)
    return STORED.sub(lambda match: stored[int(match[1])], text) if stored else text


def _unescape(text: str) -> str:
    """Decode entities outside stored code."""
    parts = re.split("(\0\\d++\0)", text)
    return "".join(
        part if part.startswith("\0") else html.unescape(part) for part in parts
    )


def _cut_comments(text: str) -> str:
    """Return a text without closed comments."""
    parts: list[str] = []
    at = 0
    while (begin := text.find("<!--", at)) >= 0:
        end = text.find("-->", begin)
        if end < 0:
            break
        parts.append(text[at:begin])
        at = end + 3
    return "".join([*parts, text[at:]])


def cut_liquid(text: str, liquid: Liquid | None = None) -> str:
    """Return the Markdown of a block without Liquid tags outside code.

    `liquid` has the state of the text before the block, if there is any.
    """
    if "{%" not in text and "{{" not in text:
        return text
    stored: list[str] = []
    bare = store_code(text.replace("\0", ""), stored, has_marks=True)
    cut = STORED.sub(
        lambda match: stored[int(match[1])], (liquid or Liquid()).cut(bare)
    )
    return text if cut == text else cut.strip()
