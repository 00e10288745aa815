"""Error answers by situation and version, with their HTTP status."""

from typing import Any

import pytest
from interaction.raw import Connect, compose, send_raw, tool_value
from support.knowledge import KnowledgeBase
from support.peers import open_app
from support.shelf import SECRET, SampleProvider

from asdlc_kb.app import Runtime


@pytest.mark.behaviour("errors-method", "tools-messages")
@pytest.mark.parametrize(
    "method", ["no/such/method", "", "tools/List", "resources", "__class__"]
)
async def test_an_unknown_method_is_named(
    app: Runtime, connect: Connect, method: str
) -> None:
    """Method 'x' not found; names are case-sensitive."""
    async with connect(app) as peer:
        response = await send_raw(peer, compose(peer, method))
        status = 404 if peer.is_stateless else 200
    assert response.error["code"] == -32601
    assert response.error["message"] == f"Method '{method}' not found"
    assert response.is_status(status)


@pytest.mark.behaviour("errors-call")
@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({}, "Invalid params: name must be a string"),
        ({"name": 5}, "Invalid params: name must be a string"),
        ({"name": None}, "Invalid params: name must be a string"),
        (
            {"name": "get_article", "arguments": []},
            "Invalid params: arguments must be an object",
        ),
        (
            {"name": "get_article", "arguments": "x"},
            "Invalid params: arguments must be an object",
        ),
    ],
)
async def test_a_call_that_cannot_be_read_is_a_protocol_error(
    app: Runtime, connect: Connect, params: dict[str, Any], message: str
) -> None:
    """-32602; an error of the call itself travels with HTTP 200."""
    async with connect(app) as peer:
        response = await send_raw(peer, compose(peer, "tools/call", params))
    assert response.error == {"code": -32602, "message": message}
    assert response.is_status(200)


@pytest.mark.behaviour("errors-resource")
@pytest.mark.parametrize("name", ["does-not-exist", "known-draft", "../x", "a/b/c"])
async def test_an_unknown_resource_has_the_code_of_the_era(
    app: Runtime, connect: Connect, name: str
) -> None:
    """With its URI, and never with empty contents."""
    uri = f"kb://article/{name}"
    async with connect(app) as peer:
        response = await send_raw(peer, compose(peer, "resources/read", {"uri": uri}))
        code = -32602 if peer.is_stateless else -32002
    message = f"Article '{name}' not found"
    assert response.error == {"code": code, "message": message, "data": {"uri": uri}}
    assert response.is_status(200)


@pytest.mark.behaviour("errors-resource")
@pytest.mark.parametrize("params", [{}, {"uri": 5}, {"uri": None}, {"uri": ["x"]}])
async def test_a_read_without_a_uri_is_a_protocol_error(
    app: Runtime, connect: Connect, params: dict[str, Any]
) -> None:
    """-32602 in every version: nothing was requested, so nothing is missing."""
    async with connect(app) as peer:
        response = await send_raw(peer, compose(peer, "resources/read", params))
    message = "Invalid params: uri must be a string"
    assert response.error == {"code": -32602, "message": message}
    assert response.is_status(200)


@pytest.mark.behaviour("errors-prompt")
@pytest.mark.parametrize(
    ("params", "message", "data"),
    [
        ({"name": "no_such_prompt"}, "Unknown prompt: no_such_prompt", None),
        ({}, "Invalid params: name must be a string", None),
        (
            {"name": "explain_concept"},
            "Missing required argument: slug",
            {"argument": "slug"},
        ),
        (
            {"name": "apply_pattern", "arguments": {"slug": "links-to-hidden"}},
            "Missing required argument: task",
            {"argument": "task"},
        ),
        (
            {"name": "review_against_practice", "arguments": {"slug": "x"}},
            "Unknown prompt: review_against_practice",
            None,
        ),
        (
            {"name": "explain_concept", "arguments": {"slug": 5}},
            "Invalid params: arguments must hold strings",
            None,
        ),
        (
            {"name": "explain_concept", "arguments": {"slug": "known-draft"}},
            "Article 'known-draft' not found",
            {"slug": "known-draft"},
        ),
    ],
)
async def test_a_prompt_that_cannot_be_filled_is_a_protocol_error(
    knowledge: KnowledgeBase,
    connect: Connect,
    params: dict[str, Any],
    message: str,
    data: Any,
) -> None:
    """-32602 with the name of the missing argument."""
    knowledge.write("patterns/fence")
    async with connect(open_app(knowledge)) as peer:
        response = await send_raw(peer, compose(peer, "prompts/get", params))
    assert response.error.pop("data", None) == data
    assert response.error == {"code": -32602, "message": message}
    assert response.is_status(200)


TEMPLATE = {"type": "ref/resource", "uri": "kb://article/{slug}"}
PROMPT = {"type": "ref/prompt", "name": "explain_concept"}


@pytest.mark.behaviour("errors-completion")
@pytest.mark.parametrize(
    "params",
    [
        {"argument": {"name": "slug", "value": ""}},
        {"ref": TEMPLATE},
        {"ref": TEMPLATE, "argument": {"name": "slug"}},
        {"ref": TEMPLATE, "argument": {"name": "slug", "value": 5}},
        {"ref": TEMPLATE, "argument": "slug"},
        {"ref": {"type": "ref/prompt"}, "argument": {"name": "slug", "value": ""}},
        {
            "ref": {"type": "ref/prompt", "name": "no_such"},
            "argument": {"name": "slug", "value": ""},
        },
        {
            "ref": {"type": "ref/resource", "uri": "kb://article/x"},
            "argument": {"name": "slug", "value": ""},
        },
        {
            "ref": {"type": "ref/tool", "name": "get_article"},
            "argument": {"name": "slug", "value": ""},
        },
    ],
)
async def test_a_completion_of_nothing_we_have_is_a_protocol_error(
    app: Runtime, connect: Connect, params: dict[str, Any]
) -> None:
    """-32602 for arguments that are missing, ill-typed or unknown."""
    async with connect(app) as peer:
        response = await send_raw(peer, compose(peer, "completion/complete", params))
    assert response.error["code"] == -32602
    assert response.error["message"].startswith("Invalid params: ")
    assert response.is_status(200)


@pytest.mark.behaviour("errors-completion")
@pytest.mark.parametrize("ref", [TEMPLATE, PROMPT])
async def test_an_unknown_argument_has_no_values(
    app: Runtime, connect: Connect, ref: dict[str, str]
) -> None:
    """Nothing to propose is no error."""
    params = {"ref": ref, "argument": {"name": "colour", "value": ""}}
    async with connect(app) as peer:
        result = await peer.result("completion/complete", params)
    assert result["completion"]["values"] == []


PAGED = ("tools/list", "resources/list", "resources/templates/list", "prompts/list")


@pytest.mark.behaviour("errors-cursor")
@pytest.mark.parametrize("cursor", ["", "x", "WzAsIngiXQ", "bm90IGpzb24=", 5, [], {}])
async def test_a_foreign_cursor_is_refused(
    app: Runtime, connect: Connect, cursor: Any
) -> None:
    """-32602: a client that starts over is better off than one that misses items."""
    async with connect(app) as peer:
        for method in PAGED:
            response = await send_raw(peer, compose(peer, method, {"cursor": cursor}))
            assert response.error["code"] == -32602
            assert response.error["message"] == "Invalid params"
            assert response.is_status(200)


@pytest.mark.behaviour("errors-internal")
async def test_an_unforeseen_failure_says_nothing_of_the_inside(
    knowledge: KnowledgeBase, connect: Connect
) -> None:
    """D-033: Internal server error; -32603, HTTP 200; the next call is served."""
    async with connect(open_app(knowledge, SampleProvider())) as peer:
        call = compose(peer, "tools/call", {"name": "break"}, "b")
        response = await send_raw(peer, call)
        (article,) = tool_value(await peer.call("list_articles"))
    assert article["slug"] == "links-to-hidden"
    assert response.answer == {
        "jsonrpc": "2.0",
        "id": "b",
        "error": {"code": -32603, "message": "Internal server error"},
    }
    assert SECRET not in str(response.answer)
    assert response.is_status(200)
