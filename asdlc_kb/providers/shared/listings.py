"""Resource lists, URI templates, tools, completions, and hints to other providers."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final, Generic, NamedTuple, TypeVar, overload
from urllib.parse import unquote

from msgspec import Struct

from asdlc_kb.mcp.dispatch.provider import Provider
from asdlc_kb.mcp.protocol.errors import ResourceNotFound
from asdlc_kb.mcp.protocol.lenient_arguments import read_argument
from asdlc_kb.mcp.protocol.model import (
    Completion,
    Resource,
    ResourceTemplate,
    Tool,
    ToolAnnotations,
)
from asdlc_kb.mcp.protocol.pagination import Listed, number_items
from asdlc_kb.mcp.protocol.tool_schema import Arguments, describe_schema
from asdlc_kb.unicode.near_names import suggest_names

T = TypeVar("T")

MAX_COMPLETIONS: Final = 100

MAX_LISTED_CHARS: Final = 200
"""Characters of a description in lists."""

_MAX_URI_CHARS: Final = 500
"""Characters of a malformed URI that the error repeats."""

READ_ONLY: Final = ToolAnnotations(
    read_only_hint=True,
    destructive_hint=False,
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


class ToolRow(NamedTuple):
    """A row of a table of tools."""

    name: str
    title: str
    description: str
    arguments: type[Arguments]
    answer: type[Struct]


def make_tools(
    rows: Iterable[ToolRow], enums: Mapping[str, tuple[str, ...]] | None = None
) -> tuple[Listed[Tool], ...]:
    """Return read-only tools; `enums` restricts arguments, by name."""
    return number_items(_make_tool(row, enums or {}) for row in rows)


def _make_tool(row: ToolRow, enums: Mapping[str, tuple[str, ...]]) -> Tool:
    names = row.arguments.__struct_encode_fields__
    known = {name: values for name, values in enums.items() if name in names}
    return Tool(
        name=row.name,
        title=row.title,
        description=row.description,
        input_schema=describe_schema(row.arguments, known),
        output_schema=describe_schema(row.answer),
        annotations=READ_ONLY,
    )


def find_argument(params: Mapping[str, Any], name: str) -> object:
    """Return an unchecked argument of a call by its name or an alias, or None."""
    arguments = params.get("arguments")
    return read_argument(arguments, name) if isinstance(arguments, dict) else None


class OtherContent(NamedTuple):
    """Content of another provider of the server, for hints where nothing is found."""

    noun: str
    """What one of it is, with the article."""
    search_tool: str
    get_tool: str
    has_name: Callable[[str], bool]
    """Whether a name stands for something visible."""

    @property
    def search_hint(self) -> str:
        """A sentence after a search without results.

        Whether this content has any is not looked up: answers are kept while the
        content of their own provider is unchanged.
        """
        return f"Also try {self.search_tool}."

    def find_hint(self, name: str) -> str | None:
        """Return a sentence if a name that was not found stands for something here."""
        if not self.has_name(name):
            return None
        return f"It is the name of {self.noun}: call {self.get_tool}."


async def suggest_near(
    find_near: Callable[[str], Sequence[str]],
    name: str,
    other: OtherContent | None = None,
) -> str | None:
    """Return a hint for a name that was not found: what it is elsewhere, or near names.

    The work is the same whether what has the name is hidden or missing.
    """
    if other is not None and (hint := other.find_hint(name)):
        return hint
    return suggest_names(await asyncio.to_thread(find_near, name))


def make_completion(names: Sequence[str]) -> Completion:
    """Return the first names, with the total number."""
    values = tuple(names[:MAX_COMPLETIONS])
    return Completion(
        values=values, total=len(names), has_more=len(names) > len(values)
    )


class TemplateProvider(Provider):
    """A provider whose resources have one URI template, which ends in their name."""

    template: ClassVar[ResourceTemplate]

    @property
    def uri_prefix(self) -> str:
        """The URI template up to its first variable."""
        return self.template.uri_template.partition("{")[0]

    def templates(self) -> Sequence[Listed[ResourceTemplate]]:
        """Return the URI template."""
        return number_items((self.template,))

    def handles(self, uri: str) -> bool:
        """Whether the URI has the template's prefix."""
        return uri.startswith(self.uri_prefix)


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
