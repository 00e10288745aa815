"""The MCP data types that providers return, before encoding for a version.

Each struct has the fields of all versions; `versioned_encoding` omits those that the
client's version lacks. Field names are those of the protocol, in snake case.
"""

from typing import Any, Literal, TypeAlias

import msgspec


class WireModel(
    msgspec.Struct, frozen=True, omit_defaults=True, rename="camel", kw_only=True
):
    """A value that is encoded as a JSON object without its default fields."""


class Icon(WireModel, frozen=True):
    """An icon of an implementation."""

    src: str
    mime_type: str | None = None
    sizes: tuple[str, ...] | None = None


class Implementation(WireModel, frozen=True):
    """The identity of a client or server."""

    name: str
    version: str
    title: str | None = None
    description: str | None = None
    website_url: str | None = None
    icons: tuple[Icon, ...] | None = None


class Annotations(WireModel, frozen=True):
    """Hints for displaying and ranking content."""

    audience: tuple[Literal["user", "assistant"], ...] | None = None
    priority: float | None = None
    last_modified: str | None = None


class TextContents(WireModel, frozen=True):
    """A resource's text."""

    uri: str
    text: str
    mime_type: str | None = None
    document: str | None = None
    """The URI of the whole document, for the access log; never sent."""


class BlobContents(WireModel, frozen=True):
    """A resource's bytes, base64."""

    uri: str
    blob: str
    mime_type: str | None = None


class TextContent(WireModel, frozen=True, tag_field="type", tag="text"):
    """Text in a result or message."""

    text: str
    annotations: Annotations | None = None


class ImageContent(WireModel, frozen=True, tag_field="type", tag="image"):
    """An image, base64."""

    data: str
    mime_type: str


class AudioContent(WireModel, frozen=True, tag_field="type", tag="audio"):
    """Audio, base64."""

    data: str
    mime_type: str


class EmbeddedResource(WireModel, frozen=True, tag_field="type", tag="resource"):
    """A resource's contents inside a result or message."""

    resource: TextContents | BlobContents


class ResourceLink(WireModel, frozen=True, tag_field="type", tag="resource_link"):
    """A link to a readable resource."""

    uri: str
    name: str
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None
    annotations: Annotations | None = None


ContentItem: TypeAlias = (
    TextContent | ImageContent | AudioContent | EmbeddedResource | ResourceLink
)


class ToolAnnotations(WireModel, frozen=True):
    """Hints on the effects of a tool."""

    read_only_hint: bool | None = None
    destructive_hint: bool | None = None
    idempotent_hint: bool | None = None
    open_world_hint: bool | None = None


class Tool(WireModel, frozen=True):
    """A function that a model may call."""

    name: str
    description: str
    input_schema: dict[str, Any]
    title: str | None = None
    output_schema: dict[str, Any] | None = None
    annotations: ToolAnnotations | None = None


class ToolResult(WireModel, frozen=True):
    """The result of a tool call; `is_error` reports a failure to the model."""

    content: tuple[ContentItem, ...]
    structured_content: Any = None
    is_error: bool = False
    total: int | None = None
    """The total of a list or a search, for the access log; never sent."""
    document: str | None = None
    """The URI of the document in the result, for the access log; never sent."""


class Resource(WireModel, frozen=True):
    """A resource that can be read by its URI."""

    uri: str
    name: str
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None
    annotations: Annotations | None = None


class SkillResource(WireModel, frozen=True):
    """A file of a skill."""

    uri: str
    digest: str
    """`sha256:` and 64 hexadecimal digits, of the bytes."""
    size: int


class Skill(WireModel, frozen=True):
    """A folder of instructions, with all of its files."""

    uri: str
    """The URI of its main file."""
    frontmatter: dict[str, Any]
    """All frontmatter of the main file."""
    resources: tuple[SkillResource, ...]


class ResourceTemplate(WireModel, frozen=True):
    """A family of resources, as an RFC 6570 template."""

    uri_template: str
    name: str
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None


class Progress(WireModel, frozen=True):
    """The parameters of a progress notification."""

    progress_token: str | int
    progress: float
    total: float | None = None
    message: str | None = None


class PromptArgument(WireModel, frozen=True):
    """An argument of a prompt."""

    name: str
    title: str | None = None
    description: str | None = None
    required: bool | None = None


class Prompt(WireModel, frozen=True):
    """A template of messages for the user."""

    name: str
    description: str
    title: str | None = None
    arguments: tuple[PromptArgument, ...] = ()


class PromptMessage(WireModel, frozen=True):
    """One message of a rendered prompt."""

    role: Literal["user", "assistant"]
    content: ContentItem


class PromptResult(WireModel, frozen=True):
    """A rendered prompt."""

    messages: tuple[PromptMessage, ...]
    description: str | None = None


class Completion(WireModel, frozen=True):
    """Values that complete an argument: at most 100, best first."""

    values: tuple[str, ...]
    total: int | None = None
    has_more: bool | None = None
