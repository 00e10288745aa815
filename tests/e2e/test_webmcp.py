"""Tools for an agent in the browser (WebMCP), with a stand-in of the browser's API."""

from collections.abc import Iterator
from typing import Any

import pytest
from e2e.conftest import Read
from e2e.reader import Reader
from playwright.sync_api import Error, Page

STAND_IN = """
{
  const tools = new Map();
  const isName = (text) => /^[A-Za-z0-9_.-]{1,128}$/.test(text);
  document.modelContext = {
    async registerTool(tool) {
      if (tools.has(tool.name) || !isName(tool.name) || !tool.description)
        throw new DOMException("refused", "InvalidStateError");
      if (typeof tool.execute !== "function") throw new TypeError("no execute");
      JSON.stringify(tool.inputSchema);
      tools.set(tool.name, tool);
    },
  };
  window.listTools = () => [...tools.values()].map(({ execute, ...tool }) => tool);
  window.callTool = (name, input) => tools.get(name).execute(input);
}
"""
"""The checks of registerTool in the draft of 20 October 2026, and two ways to look."""


@pytest.fixture
def agent(read: Read) -> Iterator[Reader]:
    """A reader whose browser offers tools to an agent."""
    reader = read()
    reader.context.add_init_script(STAND_IN)
    yield reader


def list_tools(page: Page) -> dict[str, Any]:
    """Return the registered tools by name, once they are."""
    page.wait_for_function("listTools().length === 2")
    return {tool["name"]: tool for tool in page.evaluate("listTools()")}


def call(page: Page, name: str, **given: str) -> Any:
    """Return the result of a tool."""
    list_tools(page)
    return page.evaluate("([name, given]) => callTool(name, given)", [name, given])


def test_tools_are_described_for_models(agent: Reader) -> None:
    """They only read, and what they return is data."""
    tools = list_tools(agent.open("/docs/guide/first-steps"))
    assert tools.keys() == {"search", "get_page_markdown"}
    for tool in tools.values():
        assert tool["annotations"] == {
            "readOnlyHint": True,
            "untrustedContentHint": True,
        }
        assert tool["title"]
        assert tool["description"].endswith(".")
        for parameter in tool["inputSchema"]["properties"].values():
            assert parameter["description"]
    assert tools["search"]["inputSchema"]["required"] == ["query"]


def test_an_agent_searches_and_reads_what_it_found(agent: Reader) -> None:
    """Passages with absolute addresses, which the other tool takes."""
    page = agent.open()
    answer = call(page, "search", query="habit")
    assert answer["total"] >= len(answer["results"]) > 0
    first = answer["results"][0]
    assert first["address"].startswith(f"{agent.site}/")
    assert first["title"]
    assert first["passage"]
    text = call(page, "get_page_markdown", address=first["address"])
    assert first["title"] in text.partition("\n\n")[0]
    assert "<html" not in text


@pytest.mark.parametrize("path", ["/docs/guide/first-steps", "/concepts/sampler"])
def test_an_agent_reads_the_open_page(agent: Reader, path: str) -> None:
    """As Markdown, the same as at its own address."""
    page = agent.open(path)
    text = call(page, "get_page_markdown")
    assert text == page.request.get(f"{agent.site}{path}.md").text()


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("https://evil.example/", "https://evil.example/ is not a page of this site"),
        ("/search", "/search has no Markdown"),
        ("/concepts/none", "/concepts/none: 404"),
    ],
)
def test_a_failure_says_what_is_wrong(
    agent: Reader, address: str, message: str
) -> None:
    """Nothing of another site is requested."""
    page = agent.open()
    with pytest.raises(Error) as caught:
        call(page, "get_page_markdown", address=address)
    assert message in caught.value.message
    if "404" in message:
        agent.excuse("404")


def test_a_browser_without_the_api_loads_nothing(reader: Reader) -> None:
    """The script is requested only where it has a use."""
    page = reader.context.new_page()
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    page.goto(f"{reader.site}/")
    page.wait_for_load_state("networkidle")
    assert any("/-/site." in url for url in requested)
    assert not any("/-/webmcp." in url for url in requested)
    assert "/-/webmcp." in str(page.locator("body").get_attribute("data-tools"))
