"""Lenient YAML reader for configuration files of other programs.

Tags are ignored, aliases and merge keys are resolved, and of equal keys the last one
counts. Nothing is constructed but texts, lists and mappings with texts as keys: a value
is as written, null is an empty text.
"""

from collections.abc import Iterator
from typing import Any, Final, TypeAlias

from ruamel.yaml import YAML
from ruamel.yaml.events import (
    AliasEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
)

from asdlc_kb.exceptions import FrontmatterError
from asdlc_kb.frontmatter.nodes import is_null

MAX_DOCUMENT_DEPTH: Final = 32
"""Levels of lists and mappings."""

MAX_DOCUMENT_VALUES: Final = 50_000
"""Values of a document, those of aliases counted at each use."""

YamlData: TypeAlias = "str | list[YamlData] | dict[str, YamlData]"


def read_yaml_document(text: str) -> YamlData:
    """Parse the first document of a YAML text; raise FrontmatterError with its line."""
    try:
        return _Composer(YAML(typ="safe", pure=True).parse(text)).compose()
    except FrontmatterError:
        raise
    except Exception as error:
        # On hostile input the parser fails assertions and exhausts the stack.
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark is not None else 1
        raise FrontmatterError("it is not YAML", line, 1) from None


class _Composer:
    """Composes plain data from parser events."""

    def __init__(self, events: Iterator[Any]) -> None:
        self._events = events
        self._depth = 0
        self._count = 0
        self._anchors: dict[str, tuple[YamlData, int]] = {}
        """Values by anchor, with the number of values in each."""

    def compose(self) -> YamlData:
        for event in self._events:
            if isinstance(event, NodeEvent):
                return self._compose_node(event)
        return ""

    def _compose_node(self, event: Event) -> YamlData:
        if isinstance(event, AliasEvent):
            value, size = self._anchors.get(event.anchor, ("", 1))
            self._add(size, event)
            return value
        before = self._count
        self._add(1, event)
        value = self._compose_value(event)
        if (anchor := getattr(event, "anchor", None)) is not None:
            self._anchors[anchor] = value, self._count - before
        return value

    def _compose_value(self, event: Event) -> YamlData:
        if isinstance(event, ScalarEvent):
            is_plain = not event.style and getattr(event, "tag", None) is None
            return "" if is_plain and is_null(event.value) else event.value
        self._depth += 1
        if self._depth > MAX_DOCUMENT_DEPTH:
            raise _too_large(event, f"more than {MAX_DOCUMENT_DEPTH} levels")
        value: YamlData = (
            self._pairs() if isinstance(event, MappingStartEvent) else self._items()
        )
        self._depth -= 1
        return value

    def _items(self) -> list[YamlData]:
        items: list[YamlData] = []
        while not isinstance(event := next(self._events), SequenceEndEvent):
            items.append(self._compose_node(event))
        return items

    def _pairs(self) -> dict[str, YamlData]:
        pairs: dict[str, YamlData] = {}
        merged: dict[str, YamlData] = {}
        while not isinstance(event := next(self._events), MappingEndEvent):
            key = self._compose_node(event)
            value = self._compose_node(next(self._events))
            if key == "<<":
                for part in value if isinstance(value, list) else [value]:
                    if isinstance(part, dict):
                        merged = part | merged
            elif isinstance(key, str):
                pairs[key] = value
        return merged | pairs if merged else pairs

    def _add(self, size: int, event: Event) -> None:
        self._count += size
        if self._count > MAX_DOCUMENT_VALUES:
            raise _too_large(event, f"more than {MAX_DOCUMENT_VALUES:,} values")


def _too_large(event: Event, what: str) -> FrontmatterError:
    mark = event.start_mark
    return FrontmatterError(f"it has {what}", mark.line + 1, mark.column + 1)
