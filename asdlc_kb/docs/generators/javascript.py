"""Reader of the literal data in JavaScript and TypeScript modules, and in JSON.

Objects, arrays, strings, templates without substitutions, numbers, booleans, names of
constants with such values, calls by name, what a function returns and the branches of a
condition are data; everything else is `COMPUTED`. Types, comments, `as const`,
`satisfies T` and trailing commas are skipped. Nothing is run, and no text is an error.
Linear in the text; values nested deeper than `MAX_DEPTH` are computed ones.
"""

from collections import ChainMap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from asdlc_kb.docs.generators.javascript_tokens import (
    CLOSERS,
    CLOSING,
    DECLARATIONS,
    END,
    Token,
    TokenCursor,
    unescape,
)

MAX_DEPTH: Final = 64
"""Levels of brackets."""


class Computed(NamedTuple):
    """A value that only running the module would give."""


COMPUTED: Final = Computed()


class FunctionCall(NamedTuple):
    """A call of a function by its name; without one, a function and what it returns."""

    function: str
    arguments: "list[Data]"


class Alternatives(NamedTuple):
    """Values of which one counts, which only running the module would decide."""

    values: "tuple[Data, ...]"


Data: TypeAlias = (
    "bool | float | str | list[Data] | dict[str, Data] | FunctionCall | Alternatives"
    " | Computed | None"
)


@dataclass(frozen=True, slots=True)
class JavaScriptModule:
    """The constants of a module."""

    constants: Mapping[str, Data] = field(default_factory=dict)
    """By the name of its declaration."""
    exported: Data = COMPUTED
    """What is exported as default, or as `module.exports`; computed if the text is cut
    off."""
    imports: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """By local name: the module, and the name there, `default` or `*`."""


def read_module(text: str, known: Mapping[str, Data] | None = None) -> JavaScriptModule:
    """Return the data of a module; `known` has the values of imported names."""
    return _Reader(text, known or {}).read_module()


def read_literal(text: str) -> Data:
    """Return the value of a text that is one literal, as JSON with comments."""
    return _Reader(text, {}).read_value()


_WORDS: Final[Mapping[str, Data]] = {
    "true": True,
    "false": False,
    "null": None,
    "undefined": None,
}
_UNREADABLE: Final = frozenset({"new", "class", "await", "typeof"})


class _Reader(TokenCursor):
    """Reads values from tokens."""

    def __init__(self, text: str, known: Mapping[str, Data]) -> None:
        super().__init__(text)
        self._depth = 0
        self._is_cut = False
        """Whether the text ends inside brackets."""
        self._names: ChainMap[str, Data] = ChainMap(dict(known))

    def read_module(self) -> JavaScriptModule:
        """Read all statements."""
        exported: Data = COMPUTED
        imports: dict[str, tuple[str, str]] = {}
        own: dict[str, Data] = {}
        while (token := self._next()) is not END:
            match token.text:
                case word if word in DECLARATIONS:
                    if name := self._read_declaration(word):
                        own[name] = self._names[name]
                case "import":
                    imports.update(self._read_import())
                case "default":
                    exported = self.read_value()
                case "module" if self._accept(".", "exports", "="):
                    exported = self.read_value()
                case _ if token.kind in CLOSING:
                    self._skip_brackets(token.kind)
        if self._is_cut:
            exported = COMPUTED
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
                if isinstance(value, Alternatives):
                    value = Alternatives((*value.values, right))
                elif value is None or value == COMPUTED:
                    value = right
            elif token.kind == "&&":
                self._next()
                value = Alternatives((self._read_operand(),))
            else:
                return self._read_rest()

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
        return self._read_rest()

    def _read_rest(self) -> Data:
        """Skip the rest of an expression; if it is a condition, read the branches."""
        while not self._ends_expression(token := self._peek()):
            self._next()
            if token.kind == "?":
                return self._read_branches()
            if token.kind in CLOSING:
                self._skip_brackets(token.kind)
        return COMPUTED

    def _read_branches(self) -> Data:
        if self._depth >= MAX_DEPTH:
            self._skip_expression()
            return COMPUTED
        with self._nest(is_branch=True):
            value = self.read_value()
        if not self._accept(":"):
            return COMPUTED
        with self._nest(is_branch=self._is_branch):
            return Alternatives((value, self.read_value()))

    @contextmanager
    def _nest(self, *, is_branch: bool = False) -> Iterator[None]:
        """Read one level deeper; a colon ends the expressions of a branch."""
        outer, self._is_branch = self._is_branch, is_branch
        self._depth += 1
        yield
        self._depth -= 1
        self._is_branch = outer

    def _read_brackets(self, opening: str) -> Data:
        if self._depth >= MAX_DEPTH:
            self._skip_brackets(opening)
            return COMPUTED
        with self._nest():
            if opening == "{":
                return self._read_object()
            inner = self._read_items(CLOSING[opening])
        if opening == "[":
            return inner
        if self._is_function():
            return self._read_function()
        return inner[0] if len(inner) == 1 else COMPUTED

    def _is_function(self) -> bool:
        """Whether an arrow follows, perhaps after the type of what is returned."""
        start = self._at
        if self._peek().kind == ":" and not self._is_branch:
            self._next()
            self._skip_expression(before="=>")
        is_function = self._peek().kind == "=>"
        self._at = start
        return is_function

    def _read_function(self) -> Data:
        """Read a function from its parameters, its arrow or its body on."""
        while (token := self._peek()).kind not in ("=>", "{"):
            if self._ends_expression(token):
                return COMPUTED
            self._next()
            if token.kind in CLOSING:
                self._skip_brackets(token.kind)
        is_expression = self._accept("=>") and self._peek().kind != "{"
        if self._depth >= MAX_DEPTH:
            self._skip_expression()
            return COMPUTED
        with self._nest(is_branch=is_expression and self._is_branch):
            value = self.read_value() if is_expression else self._read_body()
            return FunctionCall("", [value])

    def _read_body(self) -> Data:
        """Return what a function returns; computed if its paths return several."""
        returned: list[Data] = []
        self._next()
        self._names = self._names.new_child()
        while (token := self._next()) is not END and token.kind != "}":
            if token.text in DECLARATIONS:
                self._read_declaration(token.text)
            elif token.text == "return":
                returned.append(self.read_value())
            elif token.kind in CLOSING:
                start = self._at
                self._skip_brackets(token.kind)
                skipped = self._tokens[start : self._at]
                if token.kind == "{" and any(t.text == "return" for t in skipped):
                    returned.append(COMPUTED)
        self._names = self._names.parents
        return returned[0] if len(returned) == 1 else COMPUTED

    def _read_declaration(self, word: str) -> str:
        """Read the value of a name; return the name, empty without a value."""
        self._accept("*")
        if (name := self._next()).kind != "name":
            return ""
        if word == "function":
            self._names[name.text] = self._read_function()
        elif self._find_value():
            self._names[name.text] = self.read_value()
        else:
            return ""
        return name.text

    def _read_object(self) -> dict[str, Data]:
        pairs: dict[str, Data] = {}
        while (token := self._next()) is not END and token.kind != "}":
            if token.kind == "...":
                spread = self.read_value()
                if isinstance(spread, dict):
                    pairs |= spread
                elif isinstance(spread, Alternatives):
                    _add_alternatives(pairs, spread.values)
            elif token.kind in ("name", "string", "number"):
                is_quoted = token.kind == "string"
                key = _read_string(token.text) if is_quoted else token.text
                pairs[key] = self._read_property(token)
            elif token.kind in CLOSING:
                self._skip_brackets(token.kind)
        self._is_cut |= token is END
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
            if token.kind in CLOSERS:
                if token.kind == closing:
                    self._next()
                break
            if token.kind in (",", ";"):
                self._next()
            elif token.kind == "...":
                self._next()
                spread = self.read_value()
                items.extend(spread if isinstance(spread, list) else [spread])
            else:
                items.append(self.read_value())
        self._is_cut |= token is END
        return items

    def _read_name(self, name: str) -> Data:
        if name in _WORDS:
            return _WORDS[name]
        if name in _UNREADABLE:
            return self._read_rest()
        while name == "async" and self._peek().kind in ("name", "("):
            if self._peek().kind == "(":
                return self._read_operand()
            name = self._next().text
        if name == "function" or self._peek().kind == "=>":
            return self._read_function()
        value = self._names.get(name, COMPUTED)
        path = name
        while self._peek().kind in (".", "?."):
            self._next()
            part = self._next().text
            path = f"{path}.{part}"
            value = value.get(part, COMPUTED) if isinstance(value, dict) else COMPUTED
        self._skip_type_arguments()
        if self._peek().kind == "(" and not self._peek().begins_line:
            self._next()
            if self._depth >= MAX_DEPTH:
                self._skip_brackets("(")
                return COMPUTED
            with self._nest():
                arguments = self._read_items(")")
            if not arguments and isinstance(value, FunctionCall) and not value.function:
                return value.arguments[0]
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


def _add_alternatives(pairs: dict[str, Data], values: "tuple[Data, ...]") -> None:
    """Add the pairs of objects of which one counts."""
    for value in values:
        for key, each in value.items() if isinstance(value, dict) else ():
            pairs[key] = Alternatives((pairs.get(key), each))


def _read_string(text: str) -> str:
    """Return the text of a string in quotes; the closing one may be missing."""
    return unescape(text[1:].removesuffix(text[0]))


def _read_number(text: str) -> float:
    try:
        plain = text.replace("_", "").removesuffix("n")
        return float(int(plain, 16) if plain[:2] in ("0x", "0X") else float(plain))
    except (ValueError, OverflowError):
        return 0.0
