"""The page that explains how to connect each client."""

from html import unescape

from support.knowledge import KnowledgeBase
from support.publishing import LOCAL, find_page, open_site

from asdlc_kb.connect.client_table import CLIENTS
from asdlc_kb.connect.config_snippet import render
from asdlc_kb.connect.server_entry import ServerAddress

NAME = "knowledge-base"


def read(knowledge: KnowledgeBase, base_url: str | None) -> str:
    """Return the page's HTML."""
    return find_page(open_site(knowledge, base_url=base_url), "/connect").body.decode()


def test_every_client_of_the_table_has_its_snippet(knowledge: KnowledgeBase) -> None:
    """The page, the command line and the documentation agree."""
    page = unescape(read(knowledge, "https://kb.example.com/x"))
    endpoint = ServerAddress("https://kb.example.com/x/mcp")
    for client in CLIENTS:
        assert f'<section class="client" id="{client.id}"' in page
        assert render(client, "user", NAME, endpoint) in page
    command = f"claude mcp add --transport http --scope user {NAME} {endpoint.url}"
    assert f"<code>{command}</code>" in page
    link = "cursor://anysphere.cursor-deeplink/mcp/install?name="
    assert f'href="{link}{NAME}' in page
    assert 'data-example=""' in page


def test_an_unknown_address_is_the_browsers_to_fill_in(
    knowledge: KnowledgeBase,
) -> None:
    """D-076: nothing is taken from the request; links that need it are left out.

    Without scripts the address is that of the server's own machine.
    """
    page = read(knowledge, None)
    assert f'data-example="{LOCAL}"' in page
    assert f"{LOCAL}/mcp" in page
    for link in page.split('<a class="button"')[1:]:
        assert link.split(">")[0].endswith(" hidden")


def test_questions_are_about_what_is_there(knowledge: KnowledgeBase) -> None:
    """Only visible articles are named."""
    knowledge.write("concepts/newest", title="The Newest", lastUpdated="2026-01-01")
    assert "What does the knowledge base say about The Newest?" in read(knowledge, None)


def test_where_tokens_are_asked_for_the_page_says_how_to_send_one(
    knowledge: KnowledgeBase,
) -> None:
    """Each client gets an address that refuses it otherwise."""
    header = "Authorization: Bearer TOKEN"
    assert header not in read(knowledge, None)
    site = open_site(knowledge, needs_token=True)
    page = unescape(find_page(site, "/connect").body.decode())
    assert f"<code>{header}</code>" in page
    endpoint = ServerAddress(f"{LOCAL}/mcp", "ASDLC_KB_TOKEN")
    for client in CLIENTS:
        assert render(client, "user", NAME, endpoint) in page
    assert "--header 'Authorization: Bearer ${ASDLC_KB_TOKEN}'" in page
    assert f"codex mcp add {NAME} --url {LOCAL}/mcp --bearer-token-env-var" in page
    unknown = "not known to read tokens from variables"
    lacking = [client for client in CLIENTS if client.lacks_token(endpoint)]
    assert page.count(unknown) == len(lacking) > 0
    for client in lacking:
        scheme = (client.link or "none").partition(":")[0]
        assert f'href="{scheme}:' not in page
    assert "<li>401: " in page
