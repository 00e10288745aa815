"""Full YAML frontmatter parser that rejects everything but plain data.

Scalars are not resolved to dates, numbers or booleans: `version: 1.10` stays "1.10".
Anchors, aliases, merge keys, tags, directives, multiple documents, duplicate keys and
more than `MAX_DEPTH` levels are rejected at the event level, before any value is built.
"""

import re
from collections.abc import Iterator
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.events import (
    AliasEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
)

from asdlc_kb.exceptions import FrontmatterError
from asdlc_kb.frontmatter.nodes import (
    MAX_DEPTH,
    Mapping,
    Scalar,
    Sequence,
    Value,
    is_null,
)
from asdlc_kb.frontmatter.yaml_errors import explain_error

_DIRECTIVE = re.compile(r"(?:[ \t]*+(?:#.*)?+\n)*+%")
_SURROGATE = re.compile("[\ud800-\udfff]")


def read_yaml(frontmatter: str) -> Mapping:
    """Parse frontmatter, which starts on line 2 of its file.

    Raises FrontmatterError with the position and the fix.
    """
    if directive := _DIRECTIVE.match(frontmatter):
        message = "frontmatter has a YAML directive: remove the line"
        raise FrontmatterError(message, directive[0].count("\n") + 2, 1)
    return _Composer(_read_events(frontmatter)).compose()


def _read_events(frontmatter: str) -> Iterator[Any]:
    """Yield the parser's events; raise FrontmatterError for any failure."""
    try:
        yield from YAML(typ="safe", pure=True).parse(frontmatter)
    except MarkedYAMLError as error:
        raise explain_error(frontmatter, error) from None
    except Exception:
        # On hostile input the parser fails assertions and exhausts the stack.
        message = "frontmatter is not YAML: a character in it is not allowed"
        raise FrontmatterError(message, 2, 1) from None


class _Composer:
    """Composes nodes from parser events; rejects all but plain data."""

    def __init__(self, events: Iterator[Any]) -> None:
        self._events = events
        self._depth = 0

    def compose(self) -> Mapping:
        documents = 0
        root: Value | None = None
        for event in self._events:
            if isinstance(event, DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise _unsupported(event, "a second YAML document: remove the line")
                if event.version is not None or event.tags:
                    raise _unsupported(event, "a YAML directive: remove the line")
            elif isinstance(event, NodeEvent):
                root = self._compose_node(event)
        if root is None:
            return Mapping({}, 2, 1)
        if not isinstance(root, Mapping):
            message = "frontmatter is not 'key: value' lines: write it as such"
            raise FrontmatterError(message, root.line, root.column)
        return root

    def _compose_node(self, event: Event) -> Value:
        line, column = _position(event)
        if isinstance(event, AliasEvent) or getattr(event, "anchor", None):
            raise _unsupported(
                event, "an anchor or alias: write the value out, or put it in quotes"
            )
        if getattr(event, "tag", None) is not None:
            raise _unsupported(event, "a tag: remove the '!' or quote the value")
        if isinstance(event, ScalarEvent):
            if _SURROGATE.search(event.value):
                raise _unsupported(
                    event,
                    "an unpaired surrogate: write the character without an escape",
                )
            is_plain = event.style is None or event.style == ""
            return Scalar(event.value, is_plain and is_null(event.value), line, column)
        assert isinstance(event, CollectionStartEvent)
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise _unsupported(event, f"more than {MAX_DEPTH} levels: make it flatter")
        value = (
            Mapping(self._pairs(), line, column)
            if isinstance(event, MappingStartEvent)
            else Sequence(tuple(self._items()), line, column)
        )
        self._depth -= 1
        return value

    def _items(self) -> Iterator[Value]:
        while not isinstance(event := next(self._events), SequenceEndEvent):
            yield self._compose_node(event)

    def _pairs(self) -> dict[str, Value]:
        pairs: dict[str, Value] = {}
        while not isinstance(event := next(self._events), MappingEndEvent):
            key = self._compose_node(event)
            if not isinstance(key, Scalar):
                raise _unsupported(
                    event, "a key that is not a word: put the whole value in quotes"
                )
            if key.text == "<<":
                raise _unsupported(event, "a merge key: write the values out")
            if key.text in pairs:
                raise _unsupported(event, "the same key twice: remove one")
            value = self._compose_node(next(self._events))
            if isinstance(value, Scalar) and value.is_null and not value.text:
                # For an absent value the parser gives the position of the next node.
                value = value._replace(line=key.line, column=key.column)
            pairs[key.text] = value
        return pairs


def _position(event: Event) -> tuple[int, int]:
    mark = event.start_mark
    return mark.line + 2, mark.column + 1


def _unsupported(event: Event, reason: str) -> FrontmatterError:
    return FrontmatterError(f"frontmatter has {reason}", *_position(event))
