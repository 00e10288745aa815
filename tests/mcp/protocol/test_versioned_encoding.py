"""Encoding of values by version."""

from typing import Any

import pytest

from asdlc_kb.mcp.protocol import errors, model
from asdlc_kb.mcp.protocol.versioned_encoding import (
    CAPABILITY_SINCE,
    CONTENT_SINCE,
    FIELD_SINCE,
    encode,
    encode_capabilities,
    encode_error,
    encode_result,
)
from asdlc_kb.mcp.protocol.versions import KNOWN

L0, L1, L2, L3, M = KNOWN

TOOL = model.Tool(
    name="t",
    description="d",
    input_schema={"type": "object"},
    title="T",
    output_schema={"type": "object"},
    annotations=model.ToolAnnotations(read_only_hint=True, destructive_hint=False),
)
IDENTITY = model.Implementation(
    name="n",
    version="1",
    title="N",
    description="d",
    website_url="https://example.com",
    icons=(model.Icon(src="s", mime_type="image/png", sizes=("48x48",)),),
)


@pytest.mark.parametrize(
    ("value", "wire"),
    [
        (model.TextContent(text="x"), {"type": "text", "text": "x"}),
        (model.TextContent(text=""), {"type": "text", "text": ""}),
        (
            model.ImageContent(data="QQ==", mime_type="image/png"),
            {"type": "image", "data": "QQ==", "mimeType": "image/png"},
        ),
        (
            model.AudioContent(data="QQ==", mime_type="audio/wav"),
            {"type": "audio", "data": "QQ==", "mimeType": "audio/wav"},
        ),
        (
            model.EmbeddedResource(resource=model.TextContents(uri="u", text="x")),
            {"type": "resource", "resource": {"uri": "u", "text": "x"}},
        ),
        (
            model.EmbeddedResource(
                resource=model.BlobContents(uri="u", blob="QQ==", mime_type="a/b")
            ),
            {
                "type": "resource",
                "resource": {"uri": "u", "blob": "QQ==", "mimeType": "a/b"},
            },
        ),
        (
            model.ResourceLink(
                uri="u",
                name="n",
                annotations=model.Annotations(
                    audience=("user",), priority=0.5, last_modified="2025-01-15"
                ),
            ),
            {
                "type": "resource_link",
                "uri": "u",
                "name": "n",
                "annotations": {
                    "audience": ["user"],
                    "priority": 0.5,
                    "lastModified": "2025-01-15",
                },
            },
        ),
        (
            model.ResourceTemplate(uri_template="u{x}", name="n", mime_type="a/b"),
            {"uriTemplate": "u{x}", "name": "n", "mimeType": "a/b"},
        ),
        (
            model.Completion(values=(), total=0, has_more=False),
            {"values": [], "total": 0, "hasMore": False},
        ),
        (
            model.Prompt(name="p", description="d"),
            {"name": "p", "description": "d"},
        ),
    ],
)
@pytest.mark.parametrize("version", [L2, L3, M])
def test_values_are_written_in_the_words_of_the_wire(
    value: model.WireModel, wire: dict[str, Any], version: str
) -> None:
    """The specification, schema.ts: camel case, a type tag, no unset fields."""
    assert encode(value, version) == wire


@pytest.mark.parametrize(
    ("version", "fields"),
    [
        (L0, {"name", "description", "inputSchema"}),
        (L1, {"name", "description", "inputSchema", "annotations"}),
        *(
            (
                version,
                {
                    "name",
                    "description",
                    "inputSchema",
                    "annotations",
                    "title",
                    "outputSchema",
                },
            )
            for version in (L2, L3, M)
        ),
    ],
)
def test_a_tool_has_the_fields_its_version_knows(
    version: str, fields: set[str]
) -> None:
    """The specification, schema.ts: annotations since 2025-03-26, titles and output
    schemas since 2025-06-18.
    """
    written = encode(TOOL, version)
    assert set(written) == fields
    if "annotations" in fields:
        assert written["annotations"] == {
            "readOnlyHint": True,
            "destructiveHint": False,
        }


@pytest.mark.parametrize(
    ("version", "fields"),
    [
        (L0, {"name", "version"}),
        (L1, {"name", "version"}),
        (L2, {"name", "version", "title"}),
        (L3, {"name", "version", "title", "description", "websiteUrl", "icons"}),
        (M, {"name", "version", "title", "description", "websiteUrl", "icons"}),
    ],
)
def test_an_implementation_has_the_fields_its_version_knows(
    version: str, fields: set[str]
) -> None:
    """The specification, schema.ts: titles since 2025-06-18, icons and the rest since
    2025-11-25.
    """
    assert set(encode(IDENTITY, version)) == fields


def test_structured_content_and_last_modified_came_with_2025_06_18() -> None:
    """The specification, schema.ts."""
    result = model.ToolResult(
        content=(
            model.TextContent(
                text="x", annotations=model.Annotations(last_modified="2025-01-15")
            ),
        ),
        structured_content={"a": 1},
    )
    assert encode_result(result, L1) == {
        "content": [{"type": "text", "text": "x", "annotations": {}}]
    }
    assert encode_result(result, L2) == {
        "content": [
            {
                "type": "text",
                "text": "x",
                "annotations": {"lastModified": "2025-01-15"},
            }
        ],
        "structuredContent": {"a": 1},
    }


def test_is_error_is_written_only_when_it_is_true() -> None:
    """A successful result has no isError."""
    content = (model.TextContent(text="x"),)
    assert "isError" not in encode(model.ToolResult(content=content), M)
    failed = model.ToolResult(content=content, is_error=True)
    assert encode(failed, M)["isError"] is True


def test_an_empty_result_still_has_content() -> None:
    """The specification, schema.ts: CallToolResult.content is always required."""
    assert encode(model.ToolResult(content=()), L2) == {"content": []}


def test_a_result_in_words_of_its_own_keeps_them() -> None:
    """A raw result passes; values of our vocabulary in it are encoded."""
    raw = {"resultType": "input_required", "tools": (TOOL,), "x": {"y": [1]}}
    shaped = encode_result(raw, L0)
    assert shaped["resultType"] == "input_required"
    assert shaped["x"] == {"y": [1]}
    assert set(shaped["tools"][0]) == {"name", "description", "inputSchema"}


def test_every_gated_field_exists() -> None:
    """A row of the table with a wrong field would have no effect."""
    for (kind, name), since in FIELD_SINCE.items():
        assert name in kind.__struct_fields__
        assert since in KNOWN
    assert {*CONTENT_SINCE.values(), *CAPABILITY_SINCE.values()} <= set(KNOWN)


LINK = model.ResourceLink(uri="kb:x", name="x", title="The X")
AUDIO = model.AudioContent(data="QQ==", mime_type="audio/wav")
STAND_INS = [
    (LINK, "The X: kb:x", {L2, L3, M}),
    (model.ResourceLink(uri="kb:x", name="x"), "x: kb:x", {L2, L3, M}),
    (AUDIO, "(audio content)", {L1, L2, L3, M}),
]


@pytest.mark.parametrize(("content", "text", "knowing"), STAND_INS)
@pytest.mark.parametrize("version", KNOWN)
def test_content_that_a_version_does_not_know_has_a_text_in_its_place(
    content: model.ContentItem, text: str, knowing: set[str], version: str
) -> None:
    """The specification, schema.ts: audio since 2025-03-26, resource_link since
    2025-06-18; older clients refuse a kind that they do not know.
    """
    first = model.TextContent(text="first")
    result = model.ToolResult(content=(first, content))
    before, written = encode_result(result, version)["content"]
    assert before == {"type": "text", "text": "first"}
    if version in knowing:
        assert written["type"] in ("resource_link", "audio")
    else:
        assert written == {"type": "text", "text": text}


@pytest.mark.parametrize("version", KNOWN)
def test_a_prompts_message_is_shaped_like_a_tools_content(version: str) -> None:
    """The specification, schema.ts: both hold the same kinds of content."""
    message = model.PromptMessage(role="user", content=AUDIO)
    result = model.PromptResult(messages=(message,))
    (written,) = encode_result(result, version)["messages"]
    assert written["role"] == "user"
    assert written["content"]["type"] == ("text" if version == L0 else "audio")


@pytest.mark.parametrize("version", KNOWN)
def test_capabilities_are_those_the_version_knows(version: str) -> None:
    """The specification, schema.ts: completions since 2025-03-26."""
    declared = {"tools": {"listChanged": True}, "completions": {}}
    written = encode_capabilities(declared, version)
    assert written == (declared if version != L0 else {"tools": {"listChanged": True}})


@pytest.mark.parametrize("version", KNOWN)
def test_progress_has_a_message_since_2025_03_26(version: str) -> None:
    """The specification, schema.ts: ProgressNotification.message; nothing unset."""
    progress = model.Progress(progress_token="", progress=0, message="m")
    written = {"progressToken": "", "progress": 0, "message": "m"}
    if version == L0:
        del written["message"]
    assert encode(progress, version) == written


@pytest.mark.parametrize(
    ("version", "code"),
    [(L0, -32002), (L1, -32002), (L2, -32002), (L3, -32002), (M, -32602)],
)
def test_resource_not_found_was_renumbered(version: str, code: int) -> None:
    """The specification, server/resources: -32002, and -32602 from 2026-07-28 on."""
    error = errors.ResourceNotFound("No", {"uri": "x:y"})
    assert encode_error(error, version) == {
        "code": code,
        "message": "No",
        "data": {"uri": "x:y"},
    }


@pytest.mark.parametrize("version", [L2, L3, M])
def test_other_errors_keep_their_code(version: str) -> None:
    """The specification, basic: one code in every version."""
    assert encode_error(errors.InvalidParams("No"), version) == {
        "code": -32602,
        "message": "No",
    }
