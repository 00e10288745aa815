"""Tokens of JavaScript and TypeScript, without white space and comments.

Linear; every text has tokens. Whether a slash divides or begins a regular expression
is decided by the token before it.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple


class Token(NamedTuple):
    """A token."""

    kind: str
    """`name`, `string`, `template`, `number`, `regex`, or the sign itself."""
    text: str
    begins_line: bool


_TOKEN: Final = re.compile(
    r"""
    (?P<space>\s++|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)|\#![^\n]*+)
    |(?P<name>[^\W\d][\w$]*+|[$\#@][\w$]*+)
    |(?P<number>0[xX][\da-fA-F_]++|(?:\d[\d_]*+\.?+[\d_]*+|\.\d++)(?:[eE][+-]?+\d++)?+n?+)
    |(?P<string>"(?:[^"\\\n]|\\[\s\S])*+"?+|'(?:[^'\\\n]|\\[\s\S])*+'?+)
    |(?P<sign>=>|\.\.\.|\?\?|\|\||&&|\?\.|[=!]==?|[-+*/%&|^<>]=|\+\+|--|[\s\S])
    """,
    re.VERBOSE,
)
_TEMPLATE: Final = re.compile(r"(?:[^`\\$]|\\[\s\S]|\$(?!\{))*+")
_REGEX: Final = re.compile(
    r"/(?![*/])(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*+\])++/[a-z]*+"
)
_ESCAPE: Final = re.compile(
    r"""
    \\u([dD][89abAB][\da-fA-F]{2})\\u([dD][c-fC-F][\da-fA-F]{2})
    |\\(?:u\{([\da-fA-F]{1,6})\}|u([\da-fA-F]{4})|x([\da-fA-F]{2})|(\r?\n)|([\s\S]))
    """,
    re.VERBOSE,
)
_CONTROLS: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v"}

_BEFORE_REGEX: Final = frozenset({"return", "typeof", "case", "in", "of", "default"})
END: Final = Token("", "", begins_line=True)
"""Stands after the last token."""


def tokenize(text: str) -> Iterator[Token]:
    """Yield tokens without white space and comments; never fails."""
    at, begins_line = 0, True
    last = END
    while at < len(text):
        if text[at] == "`":
            token, at = _read_template(text, at, begins_line)
        elif (
            text[at] == "/"
            and _may_begin_regex(last)
            and (found := _REGEX.match(text, at))
        ):
            token, at = Token("regex", found[0], begins_line), found.end()
        else:
            match = _TOKEN.match(text, at)
            assert match is not None
            at = match.end()
            kind = match.lastgroup or ""
            if kind == "space":
                begins_line = begins_line or "\n" in match[0]
                continue
            shown = match[0] if kind == "sign" else kind
            token = Token(shown, match[0], begins_line)
        yield token
        last, begins_line = token, False


def _may_begin_regex(last: Token) -> bool:
    """Whether a slash after a token begins a regular expression, not a division."""
    if last.kind == "name":
        return last.text in _BEFORE_REGEX
    return last.kind not in ("string", "template", "number", "regex", ")", "]", "}")


def _read_template(text: str, at: int, begins_line: bool) -> tuple[Token, int]:
    """Return a template; its kind is `computed` if it has substitutions."""
    start, kind = at + 1, "template"
    at = start
    while True:
        part = _TEMPLATE.match(text, at)
        assert part is not None
        at = part.end()
        if at >= len(text) or text[at] == "`":
            return Token(kind, text[start:at], begins_line), at + 1
        kind = "computed"
        at = _skip_substitution(text, at + 2)


def _skip_substitution(text: str, at: int) -> int:
    """Return the offset after a substitution that begins at `at`."""
    depth = 1
    while at < len(text) and depth:
        match = _TOKEN.match(text, at)
        assert match is not None
        at = match.end()
        if match.lastgroup == "sign":
            depth += {"{": 1, "}": -1}.get(match[0], 0)
    return at


def unescape(text: str) -> str:
    """Return the text of a literal with its escapes resolved."""

    def decode(match: re.Match[str]) -> str:
        if match[1]:
            pair = bytes.fromhex(match[1] + match[2])
            return pair.decode("utf-16-be")
        code = match[3] or match[4] or match[5]
        if code:
            number = int(code, 16)
            is_character = number < 0x110000 and not 0xD800 <= number < 0xE000
            return chr(number) if is_character else "\N{REPLACEMENT CHARACTER}"
        return "" if match[6] else _CONTROLS.get(match[7], match[7])

    return _ESCAPE.sub(decode, text) if "\\" in text else text
