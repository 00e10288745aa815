"""Reader of the literal data in JavaScript and TypeScript modules, and in JSON.

Objects, arrays, strings, templates without substitutions, numbers, booleans, names of
constants with such values, and calls by name are data; everything else is `COMPUTED`.
Types, comments, `as const`, `satisfies T` and trailing commas are skipped. Nothing is
run, and no text is an error. Linear in the text; values nested deeper than `MAX_DEPTH`
are computed ones.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, NamedTuple, TypeAlias

from asdlc_kb.docs.generators.javascript_tokens import END, Token, tokenize, unescape

MAX_DEPTH: Final = 64
"""Levels of brackets."""

MAX_TOKENS: Final = 200_000
"""Tokens of a module; the rest is ignored."""


class Computed(NamedTuple):
    """A value that only running the module would give."""


COMPUTED: Final = Computed()


class FunctionCall(NamedTuple):
    """A call of a function by its name."""

    function: str
    arguments: "list[Data]"


Data: TypeAlias = (
    "bool | float | str | list[Data] | dict[str, Data] | FunctionCall | Computed | None"
)


@dataclass(frozen=True, slots=True)
class JavaScriptModule:
    """The constants of a module."""

    constants: Mapping[str, Data] = field(default_factory=dict)
    """By the name of its declaration."""
    exported: Data = COMPUTED
    """What is exported as default, or as `module.exports`."""
    imports: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """By local name: the module, and the name there, `default` or `*`."""


def read_module(text: str, known: Mapping[str, Data] | None = None) -> JavaScriptModule:
    """Return the data of a module; `known` has the values of imported names."""
    return _Reader(text, known or {}).read_module()


def read_literal(text: str) -> Data:
    """Return the value of a text that is one literal, as JSON with comments."""
    return _Reader(text, {}).read_value()


_CLOSING: Final = {"{": "}", "[": "]", "(": ")"}
_CLOSERS: Final = frozenset(_CLOSING.values())
_WORDS: Final[Mapping[str, Data]] = {
    "true": True,
    "false": False,
    "null": None,
    "undefined": None,
}
_STATEMENTS: Final = frozenset(
    {
        *("const", "let", "var", "export", "import", "function", "class", "module"),
        *("type", "interface", "if", "for", "declare", "async", "enum"),
    }
)
_UNREADABLE: Final = frozenset({"function", "async", "new", "class", "await", "typeof"})


class _Reader:
    """Reads values from tokens."""

    def __init__(self, text: str, known: Mapping[str, Data]) -> None:
        self._tokens = list(islice(tokenize(text), MAX_TOKENS))
        self._at = 0
        self._depth = 0
        self._names: dict[str, Data] = dict(known)

    def read_module(self) -> JavaScriptModule:
        """Read all statements."""
        exported: Data = COMPUTED
        imports: dict[str, tuple[str, str]] = {}
        own: dict[str, Data] = {}
        while (token := self._next()) is not END:
            match token.text:
                case "const" | "let" | "var":
                    if (name := self._next()).kind == "name" and self._find_value():
                        own[name.text] = self._names[name.text] = self.read_value()
                case "import":
                    imports.update(self._read_import())
                case "default":
                    exported = self.read_value()
                case "module" if self._accept(".", "exports", "="):
                    exported = self.read_value()
                case _ if token.kind in _CLOSING:
                    self._skip_brackets(token.kind)
        return JavaScriptModule(own, exported, imports)

    def read_value(self) -> Data:
        """Read an expression up to the comma, bracket or statement that ends it."""
        value = self._read_operand()
        while True:
            token = self._peek()
            if self._ends_expression(token):
                return value
            if token.text in ("as", "satisfies", "!"):
                self._next()
                self._skip_type()
            elif token.kind in ("||", "??"):
                # The right side is the default of what is computed.
                self._next()
                right = self._read_operand()
                value = right if value is None or value == COMPUTED else value
            else:
                self._skip_expression()
                return COMPUTED

    def _read_operand(self) -> Data:
        token = self._next()
        match token.kind:
            case "string":
                return _read_string(token.text)
            case "template":
                return unescape(token.text)
            case "number":
                return _read_number(token.text)
            case "-" if self._peek().kind == "number":
                return -_read_number(self._next().text)
            case "{" | "[" | "(":
                return self._read_brackets(token.kind)
            case "name":
                return self._read_name(token.text)
        if token is not END:
            self._at -= 1
            self._skip_expression()
        return COMPUTED

    def _read_brackets(self, opening: str) -> Data:
        if self._depth >= MAX_DEPTH:
            self._skip_brackets(opening)
            return COMPUTED
        self._depth += 1
        value: Data
        if opening == "{":
            value = self._read_object()
        elif opening == "[":
            value = self._read_items("]")
        else:
            inner = self._read_items(")")
            is_function = self._peek().kind in ("=>", ":") or len(inner) != 1
            value = COMPUTED if is_function else inner[0]
        self._depth -= 1
        return value

    def _read_object(self) -> dict[str, Data]:
        pairs: dict[str, Data] = {}
        while (token := self._next()) is not END and token.kind != "}":
            if token.kind == "...":
                spread = self.read_value()
                pairs |= spread if isinstance(spread, dict) else {}
            elif token.kind in ("name", "string", "number"):
                is_quoted = token.kind == "string"
                key = _read_string(token.text) if is_quoted else token.text
                pairs[key] = self._read_property(token)
            elif token.kind in _CLOSING:
                self._skip_brackets(token.kind)
        return pairs

    def _read_property(self, key: Token) -> Data:
        """Read what follows a key: a value, a method, or nothing for a short form."""
        following = self._peek()
        if following.kind == ":":
            self._next()
            return self.read_value()
        if following.kind in (",", "}") and key.kind == "name":
            return self._names.get(key.text, COMPUTED)
        self._skip_expression()
        return COMPUTED

    def _read_items(self, closing: str) -> "list[Data]":
        items: list[Data] = []
        while (token := self._peek()) is not END:
            if token.kind in _CLOSERS:
                if token.kind == closing:
                    self._next()
                break
            if token.kind in (",", ";"):
                self._next()
            elif token.kind == "...":
                self._next()
                spread = self.read_value()
                items.extend(spread if isinstance(spread, list) else [COMPUTED])
            else:
                items.append(self.read_value())
        return items

    def _read_name(self, name: str) -> Data:
        if name in _WORDS:
            return _WORDS[name]
        if name in _UNREADABLE:
            self._skip_expression()
            return COMPUTED
        value = self._names.get(name, COMPUTED)
        path = name
        while self._peek().kind in (".", "?."):
            self._next()
            part = self._next().text
            path = f"{path}.{part}"
            value = value.get(part, COMPUTED) if isinstance(value, dict) else COMPUTED
        if self._peek().kind == "(" and not self._peek().begins_line:
            self._next()
            if self._depth >= MAX_DEPTH:
                self._skip_brackets("(")
                return COMPUTED
            self._depth += 1
            arguments = self._read_items(")")
            self._depth -= 1
            return FunctionCall(path, arguments)
        return value

    def _read_import(self) -> Iterator[tuple[str, tuple[str, str]]]:
        """Yield the names of an import statement, with module and name there."""
        names: list[tuple[str, str]] = []
        is_inside = False
        while (token := self._peek()) is not END and token.kind not in (";", "string"):
            self._next()
            if token.text in ("{", "}"):
                is_inside = token.text == "{"
            elif token.text == "as" and names and self._peek().kind == "name":
                names[-1] = (names[-1][0], self._next().text)
            elif token.kind == "*":
                names.append(("*", ""))
            elif token.kind == "name" and token.text not in ("type", "from"):
                names.append((token.text if is_inside else "default", token.text))
        if self._peek().kind == "string":
            module = _read_string(self._next().text)
            yield from ((local, (module, name)) for name, local in names if local)

    def _find_value(self) -> bool:
        """Skip the type of a declaration; return whether it has a value."""
        if self._peek().kind == ":":
            self._next()
            self._skip_type()
        return self._accept("=")

    def _accept(self, *texts: str) -> bool:
        found = self._tokens[self._at : self._at + len(texts)]
        is_found = [token.text for token in found] == list(texts)
        self._at += len(texts) if is_found else 0
        return is_found

    def _skip_type(self) -> None:
        """Skip a type up to what ends it."""
        angles = 0
        while not self._ends_expression(token := self._peek()) or angles:
            if token is END or token.kind in (*_CLOSERS, "="):
                return
            if not angles and token.text in ("as", "satisfies"):
                return
            self._next()
            angles += {"<": 1, ">": -1}.get(token.kind, 0)
            if token.kind in _CLOSING:
                self._skip_brackets(token.kind)

    def _skip_expression(self) -> None:
        """Skip up to the comma, bracket or statement that ends an expression."""
        while not self._ends_expression(token := self._peek()):
            self._next()
            if token.kind in _CLOSING:
                self._skip_brackets(token.kind)

    def _ends_expression(self, token: Token) -> bool:
        if token is END or token.kind in _CLOSERS or token.kind in (",", ";"):
            return True
        return token.begins_line and token.text in _STATEMENTS

    def _skip_brackets(self, opening: str) -> None:
        """Skip to the end of brackets that were opened."""
        expected = [_CLOSING[opening]]
        counts = Counter(expected)
        while expected and (token := self._next()) is not END:
            if token.kind in _CLOSING:
                expected.append(_CLOSING[token.kind])
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


def _read_string(text: str) -> str:
    """Return the text of a string in quotes; the closing one may be missing."""
    return unescape(text[1:].removesuffix(text[0]))


def _read_number(text: str) -> float:
    try:
        plain = text.replace("_", "").removesuffix("n")
        return float(int(plain, 16) if plain[:2] in ("0x", "0X") else float(plain))
    except (ValueError, OverflowError):
        return 0.0
