"""The test items of the official suite, over the transports and protocol of asdlc_kb.

`run.py` starts it as a script: it prints the address of its endpoint, then serves until
SIGTERM, over an empty content folder and without the article tools. Above: `run`, over
HTTP only. Below: `inputs`, which requests input, and the composition root. Names and
texts are the suite's; nothing here is known to asdlc_kb.
"""

import asyncio
import json
import re
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

from inputs import NO_ARGUMENTS, InputProvider, require, text_result

from asdlc_kb import app
from asdlc_kb.mcp.dispatch.provider import CallContext, Contents, Provider, RawResult
from asdlc_kb.mcp.eras.stateless import CachingHints
from asdlc_kb.mcp.protocol.errors import ResourceNotFound, ToolFailure
from asdlc_kb.mcp.protocol.model import (
    AudioContent,
    BlobContents,
    ContentItem,
    EmbeddedResource,
    ImageContent,
    Implementation,
    Prompt,
    PromptArgument,
    PromptMessage,
    PromptResult,
    Resource,
    ResourceTemplate,
    TextContent,
    TextContents,
    Tool,
    ToolResult,
)
from asdlc_kb.mcp.protocol.pagination import Listed, number_items
from asdlc_kb.mcp.server import McpServer
from asdlc_kb.mcp.subscriptions.events import Event, PromptsChanged, ToolsChanged
from asdlc_kb.ops.logs import structured
from asdlc_kb.ops.telemetry import Telemetry
from asdlc_kb.settings import Settings

PNG: Final = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAA"
    "AABJRU5ErkJggg=="
)
"""A picture of one pixel."""

WAV: Final = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
"""A sound of no length."""

PICTURE: Final = ImageContent(data=PNG, mime_type="image/png")

STEP_SECONDS: Final = 0.05
"""Between two progress reports."""

TEMPLATE: Final = "test://template/{id}/data"
_OF_TEMPLATE = re.compile(r"test://template/([^/]+)/data")

SCHEMA_2020_12: Final[dict[str, Any]] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {
        "properties": {"contactMethod": {"const": "phone"}},
        "required": ["contactMethod"],
    },
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
"""Keywords that must survive a listing untouched."""

MIRRORED: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "region": {
            "type": "string",
            "description": "Mirrored into the Mcp-Param-Region header",
            "default": "<none>",
            "x-mcp-header": "Region",
        }
    },
}
"""A schema with an argument that is repeated in a header."""


def _tool(name: str, description: str, schema: dict[str, Any] = NO_ARGUMENTS) -> Tool:
    return Tool(name=name, description=description, input_schema=schema)


TOOLS: Final = (
    # The suite calls the first tool without arguments to check the headers.
    _tool("test_simple_text", "Answers with text"),
    _tool("test_image_content", "Answers with a picture"),
    _tool("test_audio_content", "Answers with sound"),
    _tool("test_embedded_resource", "Answers with a resource"),
    _tool("test_multiple_content_types", "Answers with text, picture and resource"),
    _tool("test_error_handling", "Fails"),
    _tool("test_tool_with_progress", "Reports its progress"),
    _tool("json_schema_2020_12_tool", "Has a schema with many words", SCHEMA_2020_12),
    _tool("test_x_mcp_header", "Has a header for its argument", MIRRORED),
    _tool("test_missing_capability", "Needs a client that samples"),
    _tool("test_streaming_elicitation", "Asks nothing on its stream"),
    _tool("test_logging_tool", "Logs nothing to the client"),
    _tool("test_trigger_tool_change", "Changes the list of tools for a moment"),
    _tool("test_trigger_prompt_change", "Changes the list of prompts for a moment"),
)

DYNAMIC_TOOL: Final = _tool("test_dynamic_tool", "Is there for a moment")


def embedded(uri: str, mime_type: str, text: str) -> EmbeddedResource:
    """Return a text resource as content."""
    contents = TextContents(uri=uri, mime_type=mime_type, text=text)
    return EmbeddedResource(resource=contents)


ANSWERS: Final[Mapping[str, tuple[ContentItem, ...]]] = {
    "test_simple_text": (
        TextContent(text="This is a simple text response for testing."),
    ),
    "test_image_content": (PICTURE,),
    "test_audio_content": (AudioContent(data=WAV, mime_type="audio/wav"),),
    "test_embedded_resource": (
        embedded(
            "test://embedded-resource",
            "text/plain",
            "This is an embedded resource content.",
        ),
    ),
    "test_multiple_content_types": (
        TextContent(text="Multiple content types test:"),
        PICTURE,
        embedded(
            "test://mixed-content-resource",
            "application/json",
            '{"test":"data","value":123}',
        ),
    ),
    "json_schema_2020_12_tool": (TextContent(text="json_schema_2020_12_tool"),),
    "test_streaming_elicitation": (TextContent(text="Streaming complete"),),
    "test_logging_tool": (TextContent(text="Logging evaluated"),),
}
"""The constant results of tools."""

STATIC: Final[Mapping[str, Contents]] = {
    "test://static-text": TextContents(
        uri="test://static-text",
        mime_type="text/plain",
        text="This is the content of the static text resource.",
    ),
    "test://static-binary": BlobContents(
        uri="test://static-binary", mime_type="image/png", blob=PNG
    ),
    "test://watched-resource": TextContents(
        uri="test://watched-resource",
        mime_type="text/plain",
        text="Watched resource content",
    ),
}
"""The listed resources by URI."""


def _prompt(name: str, description: str, *required: str) -> Prompt:
    arguments = tuple(PromptArgument(name=key, required=True) for key in required)
    return Prompt(name=name, description=description, arguments=arguments)


PROMPTS: Final = (
    _prompt("test_simple_prompt", "One message"),
    _prompt("test_prompt_with_arguments", "Repeats its arguments", "arg1", "arg2"),
    _prompt("test_prompt_with_embedded_resource", "Has a resource", "resourceUri"),
    _prompt("test_prompt_with_image", "Has a picture"),
)

DYNAMIC_PROMPT: Final = _prompt("test_dynamic_prompt", "Is there for a moment")

Publish: TypeAlias = Callable[[Iterable[Event]], None]


def ask_user(*contents: ContentItem) -> PromptResult:
    """Return a prompt of one user message for each content."""
    return PromptResult(
        messages=tuple(PromptMessage(role="user", content=item) for item in contents)
    )


class PlainProvider(Provider):
    """Offers the items that answer at once, and two lists that can be changed."""

    def __init__(self) -> None:
        self.publish: Publish = lambda events: None
        """The recipient of changes; set once there is a server."""
        self._tools = [*TOOLS]
        self._prompts = [*PROMPTS]

    def tools(self) -> Sequence[Listed[Tool]]:
        """Return the tools."""
        return number_items(self._tools)

    async def call_tool(
        self, name: str, arguments: Mapping[str, Any], context: CallContext
    ) -> ToolResult | RawResult:
        """Return the results of the suite's own example server."""
        match name:
            case "test_error_handling":
                text = "This tool intentionally returns an error for testing"
                raise ToolFailure(text)
            case "test_tool_with_progress":
                return await _progress(context)
            case "test_x_mcp_header":
                return text_result(f"region={arguments.get('region', '<none>')}")
            case "test_missing_capability":
                require(context, "sampling")
                return text_result("Client declared sampling capability; proceeding.")
            case "test_trigger_tool_change":
                self._tools.append(DYNAMIC_TOOL)
                self.publish([ToolsChanged()])
                self._tools.remove(DYNAMIC_TOOL)
                self.publish([ToolsChanged()])
                return text_result("tool list changed")
            case "test_trigger_prompt_change":
                self._prompts.append(DYNAMIC_PROMPT)
                self.publish([PromptsChanged()])
                self._prompts.remove(DYNAMIC_PROMPT)
                self.publish([PromptsChanged()])
                return text_result("prompt list changed")
        return ToolResult(content=ANSWERS[name])

    def resources(self) -> Sequence[Listed[Resource]]:
        """Return the resources that never change."""
        return number_items(
            Resource(
                uri=uri,
                name=uri.removeprefix("test://"),
                mime_type=contents.mime_type,
            )
            for uri, contents in STATIC.items()
        )

    def templates(self) -> Sequence[Listed[ResourceTemplate]]:
        """Return the one template."""
        return number_items((ResourceTemplate(uri_template=TEMPLATE, name="template"),))

    def handles(self, uri: str) -> bool:
        """Whether the URI is one of a test item."""
        return uri.startswith("test://")

    async def exists(self, uri: str) -> bool:
        """Whether the URI is a static resource or fits the template."""
        return uri in STATIC or _OF_TEMPLATE.fullmatch(uri) is not None

    async def read(
        self, uri: str, context: CallContext
    ) -> Sequence[Contents] | RawResult:
        """Return a static resource, or one that the template makes."""
        if uri in STATIC:
            return (STATIC[uri],)
        made = _OF_TEMPLATE.fullmatch(uri)
        if made is None:
            raise ResourceNotFound(data={"uri": uri})
        data = {"id": made[1], "templateTest": True, "data": f"Data for ID: {made[1]}"}
        text = json.dumps(data)
        return (TextContents(uri=uri, mime_type="application/json", text=text),)

    def prompts(self) -> Sequence[Listed[Prompt]]:
        """Return the prompts."""
        return number_items(self._prompts)

    async def get_prompt(
        self, name: str, arguments: Mapping[str, str], context: CallContext
    ) -> PromptResult | RawResult:
        """Fill a prompt as the suite's own example server does."""
        match name:
            case "test_prompt_with_arguments":
                message = "Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"
                return ask_user(TextContent(text=message.format_map(arguments)))
            case "test_prompt_with_embedded_resource":
                text = "Embedded resource content for testing."
                return ask_user(
                    embedded(arguments["resourceUri"], "text/plain", text),
                    TextContent(text="Please process the embedded resource above."),
                )
            case "test_prompt_with_image":
                message = "Please analyze the image above."
                return ask_user(PICTURE, TextContent(text=message))
        return ask_user(TextContent(text="This is a simple prompt for testing."))


async def _progress(context: CallContext) -> ToolResult:
    for step in (0, 50, 100):
        await context.report(step, 100, f"Completed step {step} of 100")
        await asyncio.sleep(STEP_SECONDS)
    return text_result("All steps are done.")


def build(content: str, telemetry: Telemetry) -> app.Runtime:
    """Compose the test items as the product is composed, without its articles."""
    plain = PlainProvider()
    server = McpServer(
        (plain, InputProvider()),
        Implementation(name="conformance-fixture", version="1"),
        instructions=lambda: "Test items of the official conformance suite.",
        hints=CachingHints({"discovery": 0, "list": 0, "resource": 0}),
    )
    plain.publish = server.sessions.bus.publish
    settings = Settings(content=content, port=0, rate_limit="off")
    return replace(app.build(settings, telemetry=telemetry), server=server)


def announce(port: int) -> None:
    """Print the address that `run.py` waits for."""
    print(f"http://127.0.0.1:{port}/mcp", flush=True)


def main() -> None:
    """Serve until SIGTERM."""
    telemetry = Telemetry()
    structured.configure("info", telemetry.access_log)
    with tempfile.TemporaryDirectory() as content:
        asyncio.run(app.serve(build(content, telemetry), announce))


if __name__ == "__main__":
    main()
