"""Helpers of the providers for resource lists, tools and completions."""

from collections.abc import Callable, Sequence
from typing import Any, Final, Generic, TypeVar, overload
from urllib.parse import unquote

from asdlc_kb.mcp.protocol.errors import ResourceNotFound
from asdlc_kb.mcp.protocol.model import Completion, Resource, Tool, ToolAnnotations
from asdlc_kb.mcp.protocol.pagination import Listed

T = TypeVar("T")

MAX_COMPLETIONS: Final = 100

_MAX_URI_CHARS: Final = 500
"""Characters of a malformed URI that the error repeats."""

READ_ONLY: Final = ToolAnnotations(
    read_only_hint=True,
    destructive_hint=False,
    idempotent_hint=True,
    open_world_hint=False,
)


class Resources(Sequence[Listed[Resource]], Generic[T]):
    """A sequence of resources, each created on access: pages are short."""

    def __init__(
        self, items: Sequence[T], show: Callable[[T], Listed[Resource]]
    ) -> None:
        self._items = items
        self._show = show

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, index: int) -> Listed[Resource]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Listed[Resource]]: ...
    def __getitem__(
        self, index: int | slice
    ) -> Listed[Resource] | Sequence[Listed[Resource]]:
        if isinstance(index, slice):
            return tuple(map(self._show, self._items[index]))
        return self._show(self._items[index])


def make_tool(
    name: str,
    title: str,
    description: str,
    input_schema: dict[str, Any],
    output_schema: dict[str, Any],
) -> Tool:
    """Return a read-only tool."""
    return Tool(
        name=name,
        title=title,
        description=description,
        input_schema=input_schema,
        output_schema=output_schema,
        annotations=READ_ONLY,
    )


def make_completion(names: Sequence[str]) -> Completion:
    """Return the first names, with the total number."""
    values = tuple(names[:MAX_COMPLETIONS])
    return Completion(
        values=values, total=len(names), has_more=len(names) > len(values)
    )


def cut_name(uri: str, prefix: str, max_chars: int) -> str:
    """Return the name in a URI, or an empty string if it is invalid."""
    try:
        name = unquote(uri.removeprefix(prefix), errors="strict")
    except UnicodeDecodeError:
        return ""
    return name if len(name) <= max_chars else ""


def invalid_uri(uri: str, expected: str) -> ResourceNotFound:
    """Return the error for a URI that no template of a provider matches."""
    message = f"Invalid URI format. Expected: {expected}"
    return ResourceNotFound(message, {"uri": uri[:_MAX_URI_CHARS]})
