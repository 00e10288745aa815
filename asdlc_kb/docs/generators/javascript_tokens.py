"""Tokens of JavaScript and TypeScript, without white space and comments, and a cursor.

Linear; every text has tokens. Whether a slash divides or begins a regular expression
is decided by the token before it.
"""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

MAX_TOKENS: Final = 200_000
"""Tokens of a module; the rest is ignored."""

MAX_TYPE_TOKENS: Final = 50
"""Tokens of the types of a call."""

CLOSING: Final = {"{": "}", "[": "]", "(": ")"}
CLOSERS: Final = frozenset(CLOSING.values())
DECLARATIONS: Final = frozenset({"const", "let", "var", "function"})
_STATEMENTS: Final = frozenset(
    {
        *(*DECLARATIONS, "export", "import", "class", "module", "return"),
        *("type", "interface", "if", "for", "declare", "async", "enum"),
    }
)


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


class TokenCursor:
    """A position in the tokens of a module."""

    def __init__(self, text: str) -> None:
        self._tokens = list(islice(tokenize(text), MAX_TOKENS))
        self._at = 0
        self._is_branch = False
        """Whether a colon ends the expression, as in the first branch of two."""

    def _accept(self, *texts: str) -> bool:
        found = self._tokens[self._at : self._at + len(texts)]
        is_found = [token.text for token in found] == list(texts)
        self._at += len(texts) if is_found else 0
        return is_found

    def _skip_type(self) -> None:
        """Skip a type up to what ends it."""
        angles = 0
        while not self._ends_expression(token := self._peek()) or angles:
            if token is END or token.kind in (*CLOSERS, "=", "?"):
                return
            if not angles and token.text in ("as", "satisfies"):
                return
            self._next()
            angles += {"<": 1, ">": -1}.get(token.kind, 0)
            if token.kind in CLOSING:
                self._skip_brackets(token.kind)

    def _skip_type_arguments(self) -> None:
        """Skip the types in `f<A, B>(…)`, up to some tokens."""
        depth = 0
        for at in range(self._at, min(self._at + MAX_TYPE_TOKENS, len(self._tokens))):
            depth += {"<": 1, ">": -1}.get(self._tokens[at].kind, 0)
            if depth <= 0:
                following = self._tokens[at + 1 : at + 2]
                if at > self._at and following and following[0].kind == "(":
                    self._at = at + 1
                return

    def _skip_expression(self, before: str = "") -> None:
        """Skip up to the comma, bracket or statement that ends it, or up to a sign."""
        while not self._ends_expression(token := self._peek()):
            if token.kind == before:
                return
            self._next()
            if token.kind in CLOSING:
                self._skip_brackets(token.kind)

    def _ends_expression(self, token: Token) -> bool:
        if token is END or token.kind in CLOSERS or token.kind in (",", ";"):
            return True
        if token.kind == ":" and self._is_branch:
            return True
        return token.begins_line and token.text in _STATEMENTS

    def _skip_brackets(self, opening: str) -> None:
        """Skip to the end of brackets that were opened."""
        expected = [CLOSING[opening]]
        counts = Counter(expected)
        while expected and (token := self._next()) is not END:
            if token.kind in CLOSING:
                expected.append(CLOSING[token.kind])
                counts[expected[-1]] += 1
            elif counts[token.kind]:
                while (closed := expected.pop()) != token.kind:
                    counts[closed] -= 1
                counts[token.kind] -= 1

    def _peek(self) -> Token:
        return self._tokens[self._at] if self._at < len(self._tokens) else END

    def _next(self) -> Token:
        token = self._peek()
        self._at += 1
        return token
