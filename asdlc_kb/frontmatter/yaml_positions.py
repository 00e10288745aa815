"""Positions of the pairs in the mappings of a YAML text, for edits that keep the rest.

Reads configuration files of other programs. Offsets are those of characters.
"""

from collections.abc import Iterator
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from ruamel.yaml import YAML
from ruamel.yaml.events import (
    AliasEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceStartEvent,
)

from asdlc_kb.exceptions import FrontmatterError
from asdlc_kb.frontmatter.nodes import is_null

MAX_DEPTH: Final = 32
"""Levels of lists and mappings."""

NodeKind: TypeAlias = Literal["block", "flow", "null", "other"]
"""A mapping in block style or in braces, a value that is not there, and any other."""


class YamlNode(NamedTuple):
    """A value."""

    kind: NodeKind
    begin: int
    end: int
    """The end of its last character; comments and blank lines are behind it."""
    pairs: "tuple[YamlPair, ...]" = ()
    """Those of a mapping."""


class YamlPair(NamedTuple):
    """A key with its value."""

    key: str
    """The text of the key; empty if it is not a scalar."""
    begin: int
    column: int
    """Characters before the key on its line."""
    key_end: int
    value: YamlNode


def locate_pairs(text: str) -> YamlNode | None:
    """Return the only document of a text; None without one.

    Raises FrontmatterError if it is not YAML, too deep, or has several documents.
    """
    try:
        return _Locator(YAML(typ="safe", pure=True).parse(text)).locate()
    except FrontmatterError:
        raise
    except Exception as error:
        # On hostile input the parser fails assertions and exhausts the stack.
        mark = getattr(error, "problem_mark", None)
        line, column = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
        raise FrontmatterError("it is broken YAML", line, column) from None


class _Locator:
    """Builds nodes from the events of the parser."""

    def __init__(self, events: Iterator[Any]) -> None:
        self._events = events
        self._depth = 0

    def locate(self) -> YamlNode | None:
        documents, root = 0, None
        for event in self._events:
            if isinstance(event, DocumentStartEvent):
                documents += 1
                if documents > 1:
                    line = event.start_mark.line + 1
                    raise FrontmatterError("it has several documents", line, 1)
            elif isinstance(event, NodeEvent):
                root = self._locate_node(event)
        return root

    def _locate_node(self, event: Any) -> YamlNode:
        begin, end = event.start_mark.index, event.end_mark.index
        if isinstance(event, ScalarEvent):
            is_absent = not event.style and event.tag is None and is_null(event.value)
            return YamlNode("null" if is_absent else "other", begin, end)
        if isinstance(event, AliasEvent):
            return YamlNode("other", begin, end)
        self._depth += 1
        if self._depth > MAX_DEPTH:
            line = event.start_mark.line + 1
            raise FrontmatterError("it has too many levels", line, 1)
        node = (
            self._locate_mapping(event)
            if isinstance(event, MappingStartEvent)
            else self._locate_sequence(event)
        )
        self._depth -= 1
        return node

    def _locate_mapping(self, event: CollectionStartEvent) -> YamlNode:
        pairs: list[YamlPair] = []
        while isinstance(key := next(self._events), NodeEvent):
            found = self._locate_node(key)
            value = self._locate_node(next(self._events))
            name = key.value if isinstance(key, ScalarEvent) else ""
            column = key.start_mark.column
            pairs.append(YamlPair(name, found.begin, column, found.end, value))
        if event.flow_style:
            return _flow("flow", event, key, pairs)
        last = pairs[-1]
        # A value that is not there may be marked at the next line.
        end = last.key_end if last.value.kind == "null" else last.value.end
        return YamlNode("block", event.start_mark.index, end, tuple(pairs))

    def _locate_sequence(self, event: SequenceStartEvent) -> YamlNode:
        end = event.end_mark.index
        while isinstance(item := next(self._events), NodeEvent):
            end = self._locate_node(item).end
        if event.flow_style:
            return _flow("other", event, item, [])
        return YamlNode("other", event.start_mark.index, end)


def _flow(
    kind: NodeKind, start: CollectionStartEvent, end: Any, pairs: list[YamlPair]
) -> YamlNode:
    """Return a collection in braces or brackets, which say where it ends."""
    return YamlNode(kind, start.start_mark.index, end.end_mark.index, tuple(pairs))
