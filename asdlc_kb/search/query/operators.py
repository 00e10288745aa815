"""Lenient parser of query operators: no input is an error.

`"a phrase"`, `+x`, `-x`, `AND`, `OR`, `NOT`, parentheses around them, `title:x`,
`tags:x`, `heading:x`, `body:x`, `category:x`, `term*`. Lookalikes are text: prose,
`-32602`, `foo:bar`, an unpaired quote, a category that is unknown, the flags of a
command line, `NOT NULL`.

Filters of the whole query are split from it before; see `asdlc_kb.search.filters`.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Final, Literal, TypeAlias

from asdlc_kb.search.policy import QUERY_POLICY, QueryPolicy
from asdlc_kb.search.tokens import STOP_WORDS

FIELDS: Final = {
    "title": "title",
    "tag": "tags",
    "tags": "tags",
    "heading": "head",
    "body": "body",
    "category": "category",
}
"""Index fields by their names in queries."""

_OPERATOR_HINT: Final = re.compile(
    r'"[^"]*"|(?:^|[\s(])[+-][^\W\d_]|\b(?:AND|OR|NOT)\b|\w\*(?:$|[\s)])'
    rf"|(?i:\b(?:{'|'.join(FIELDS)}):\S)"
)

_TOKEN: Final = re.compile(
    r"(?P<bracket>[()])"
    r"|(?:(?P<sign>(?<![^\s(])(?:-(?=[^\W\d_]|\")|\+(?=[^\W\d_]\w|\")))?"
    rf"(?:(?P<field>(?i:{'|'.join(FIELDS)})):(?=[^\s()]))?"
    r"(?:\"(?P<phrase>[^\"]*)\"|(?P<word>[^\s()\"]+)))"
)
_MIN_EXCLUDED_LETTERS: Final = 4
"""Fewer letters behind a dash are a flag, as in `git push -f`."""
_MAX_DEPTH: Final = 8
_MAX_NAMES: Final = 5
"""Words in capitals that may all be acronyms, as in `JWT NOT BETA`."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """One word or phrase of a query."""

    text: str
    field: str | None = None
    sign: Literal["", "+", "-"] = ""
    is_phrase: bool = False
    is_prefix: bool = False


@dataclass(frozen=True, slots=True)
class QueryGroup:
    """A boolean combination of nodes."""

    kind: Literal["all", "any", "none"]
    nodes: tuple["QueryNode", ...]


QueryNode: TypeAlias = Leaf | QueryGroup


@dataclass(frozen=True, slots=True)
class Parsed:
    """A parsed query: leaves to score by, and conditions to meet."""

    leaves: tuple[Leaf, ...]
    """Searched words and phrases in order, without excluded ones."""
    required: tuple[QueryNode, ...] = ()
    excluded: tuple[QueryNode, ...] = ()
    excluded_texts: tuple[str, ...] = ()
    """Words and phrases, of no field, that exclude documents."""

    @property
    def is_strict(self) -> bool:
        """Whether documents with the words may still fail a condition."""
        return bool(self.required or self.excluded)


MATCH_ALL: Final = Parsed((), (QueryGroup("all", ()),))
"""The query that every document matches."""


def parse_query(
    query: str,
    policy: QueryPolicy = QUERY_POLICY,
    is_category: Callable[[str], bool] = lambda name: True,
) -> Parsed:
    """Parse a query; `is_category` says whether a category is known."""
    is_prose = (
        len(query) > policy.max_operator_chars
        or len(query.split()) > policy.max_operator_words
        or not _OPERATOR_HINT.search(query)
    )
    if is_prose:
        return Parsed((Leaf(query),))
    nodes = _Parser(query, is_category).nodes
    leaves = tuple(leaf for node in nodes for leaf in _searched_leaves(node))
    has_bare = any(isinstance(n, Leaf) and _is_bare(n) for n in nodes)
    excluded = tuple(inner for node in nodes for inner in _excluded_nodes(node))
    required = tuple(
        n for n in nodes if not _excluded_nodes(n) and _is_required(n, has_bare)
    )
    negated = (leaf.text for node in nodes for leaf in _negated_leaves(node))
    return Parsed(leaves, required, excluded, tuple(dict.fromkeys(negated)))


def _is_bare(leaf: Leaf) -> bool:
    return not (leaf.sign or leaf.field or leaf.is_phrase or leaf.is_prefix)


def _excluded_nodes(node: QueryNode) -> tuple[QueryNode, ...]:
    """Return the nodes that a node excludes."""
    if isinstance(node, Leaf):
        return (node,) if node.sign == "-" else ()
    return node.nodes if node.kind == "none" else ()


def _negated_leaves(node: QueryNode, is_negated: bool = False) -> Iterator[Leaf]:
    """Yield the leaves of no field that a node excludes."""
    if isinstance(node, Leaf):
        if (is_negated or node.sign == "-") and node.field is None:
            yield node
        return
    for inner in node.nodes:
        yield from _negated_leaves(inner, (node.kind == "none") != is_negated)


def _is_required(node: QueryNode, has_bare: bool) -> bool:
    if isinstance(node, QueryGroup) or node.sign == "+" or node.field:
        return True
    return node.is_phrase and not has_bare


def _searched_leaves(node: QueryNode) -> Iterator[Leaf]:
    """Yield the leaves that a matching document may contain."""
    if _excluded_nodes(node):
        return
    if isinstance(node, Leaf):
        yield node
        return
    for inner in node.nodes:
        yield from _searched_leaves(inner)


class _Parser:
    """Recursive descent parser: `AND` binds tighter than `OR`, blanks the least."""

    def __init__(self, query: str, is_category: Callable[[str], bool]) -> None:
        self._is_category = is_category
        self._tokens = list(_TOKEN.finditer(query))
        self._is_command = _is_command(self._tokens)
        self._operators = frozenset(_find_operators(self._tokens))
        words = [token["word"] for token in self._tokens if token["word"]]
        plain = [
            token["word"]
            for token in self._tokens
            if token["word"] and token.start() not in self._operators
        ]
        is_quoted = any(token["phrase"] for token in self._tokens)
        is_uppercase = _is_uppercase(plain) if plain else not is_quoted
        self._is_boolean = len(plain) < len(words) and not is_uppercase
        if not (self._is_boolean and self._is_balanced()):
            self._tokens = [token for token in self._tokens if not token["bracket"]]
        self._at = 0
        self.nodes = tuple(self._read_all())

    def _is_balanced(self) -> bool:
        depth = 0
        for token in self._tokens:
            depth += {"(": 1, ")": -1}.get(token["bracket"] or "", 0)
            if not 0 <= depth <= _MAX_DEPTH:
                return False
        return depth == 0

    def _peek(self) -> str:
        """Return the next operator or bracket, or an empty string."""
        if not self._is_boolean or self._at >= len(self._tokens):
            return ""
        token = self._tokens[self._at]
        if token["bracket"]:
            return str(token["bracket"])
        return token[0] if token.start() in self._operators else ""

    def _read_all(self) -> Iterator[QueryNode]:
        while self._at < len(self._tokens) and self._peek() != ")":
            if self._peek() in ("AND", "OR"):
                # Its left operand is missing.
                self._at += 1
            elif node := self._read_operands("OR", "any"):
                yield node

    def _read_operands(
        self, word: str, kind: Literal["all", "any"]
    ) -> QueryNode | None:
        read = self._read_one if word == "AND" else self._read_both
        nodes = [read()]
        while self._peek() == word:
            self._at += 1
            nodes.append(read())
        return _group(kind, tuple(node for node in nodes if node))

    def _read_both(self) -> QueryNode | None:
        return self._read_operands("AND", "all")

    def _read_one(self) -> QueryNode | None:
        operator = self._peek()
        if operator == "NOT":
            self._at += 1
            node = self._read_one()
            return QueryGroup("none", (node,)) if node else None
        if operator == "(":
            self._at += 1
            nodes = tuple(self._read_all())
            self._at += 1
            return _group("all", nodes)
        if operator or self._at >= len(self._tokens):
            # An operand is missing.
            return None
        self._at += 1
        leaf = _leaf(self._tokens[self._at - 1], is_command=self._is_command)
        if leaf and leaf.field == "category" and not self._is_category(leaf.text):
            return replace(leaf, text=f"category:{leaf.text}", field=None)
        return leaf


def _group(
    kind: Literal["all", "any"], nodes: tuple[QueryNode, ...]
) -> QueryNode | None:
    """Return a combination of nodes, or the only one; None without any."""
    return QueryGroup(kind, nodes) if len(nodes) > 1 else next(iter(nodes), None)


def _is_command(tokens: Sequence[re.Match[str]]) -> bool:
    """Whether words with a dash are flags, as in `docker run --rm -it -p 80:80`.

    Words to exclude are written out, and several are the last words of the query.
    """
    words = [token for token in tokens if token[0] not in ("AND", "OR", "NOT")]
    dashed = list(map(_has_dash, words))
    count = sum(dashed)
    are_last = count < 2 or all(dashed[-count:])
    return not are_last or not all(map(_is_excludable, compress(words, dashed)))


def _has_dash(token: re.Match[str]) -> bool:
    """Whether a token is a word with a dash, of no field."""
    word = token["word"]
    if not word or token["field"]:
        return False
    return token["sign"] == "-" or (word.startswith("--") and word.strip("-") != "")


def _is_excludable(token: re.Match[str]) -> bool:
    text = token["word"].rstrip("*,;.!?")
    is_long = len(text) >= _MIN_EXCLUDED_LETTERS and text.isalpha() and text.islower()
    return is_long or not text.isascii()


def _find_operators(tokens: Sequence[re.Match[str]]) -> Iterator[int]:
    """Yield where `AND`, `OR` and `NOT` begin that are not part of a text.

    `NOT NULL` is code, and `does NOT work` is emphasis.
    """
    for before, token, after in zip(
        (None, *tokens), tokens, (*tokens[1:], None), strict=False
    ):
        if token[0] in ("AND", "OR"):
            yield token.start()
        elif token[0] == "NOT":
            previous = before[0] if before else ""
            following = (after["word"] if after else "") or ""
            is_name = following.isupper() and following != "NOT"
            is_text = is_name or not STOP_WORDS.isdisjoint(
                (previous.lower(), following.lower())
            )
            if previous in ("AND", "OR") or not is_text:
                yield token.start()


def _is_uppercase(words: list[str]) -> bool:
    """Whether a query is all capitals, so that AND and OR are just words."""
    if any(word != word.upper() for word in words):
        return False
    stems = (re.sub(r"\W", "", word).lower() for word in words)
    return len(words) > _MAX_NAMES or any(word in STOP_WORDS for word in stems)


def _leaf(token: re.Match[str], *, is_command: bool) -> Leaf | None:
    text = token["phrase"] if token["word"] is None else token["word"]
    named = FIELDS[token["field"].lower()] if token["field"] else None
    is_phrase = token["word"] is None
    is_prefix = not is_phrase and len(text) > 2 and text.endswith("*")
    if not any(character.isalnum() for character in text):
        return None
    has_sign = named or is_phrase or not is_command
    sign: Literal["", "+", "-"] = (has_sign and token["sign"]) or ""  # type: ignore[assignment]
    return Leaf(text.rstrip("*"), named, sign, is_phrase, is_prefix)
