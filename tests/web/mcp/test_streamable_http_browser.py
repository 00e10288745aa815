"""The answer of the endpoint to a person with a browser."""

from support.knowledge import KnowledgeBase
from support.peers import open_app, serving
from support.wire import ask


async def test_a_browser_is_led_to_the_page_that_says_how_to_connect(
    knowledge: KnowledgeBase,
) -> None:
    """D-041: 303 if a client accepts pages and not events; below the public path."""
    browser = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    app = open_app(knowledge, base_url="https://example.com/kb")
    async with serving(app) as site:
        answer = await ask(site.port, "GET", headers=browser)
    assert (answer.status, answer.headers["location"]) == (303, "/kb/connect")
    assert "content-type" not in answer.headers


async def test_a_browser_is_led_to_no_other_host(knowledge: KnowledgeBase) -> None:
    """Two slashes in the public address begin no host name."""
    app = open_app(knowledge, base_url="https://example.com//evil.example")
    async with serving(app) as site:
        answer = await ask(site.port, "GET", headers={"Accept": "text/html"})
    assert answer.headers["location"] == "/evil.example/connect"
