"""Pages for observers: by one rule, each with its own setting."""

from pathlib import Path
from typing import Any

import pytest
from support.knowledge import KnowledgeBase
from support.peers import open_app, serving
from support.wire import Answer, ask

from asdlc_kb.app import Runtime
from asdlc_kb.exceptions import SettingsError
from asdlc_kb.ops.auth.bearer_tokens import format_line

PAGES = [("/metrics", "metrics_allow"), ("/insights", "insights_allow")]

Given = dict[str, Any]
"""Settings of a server."""

pages = pytest.mark.parametrize(("path", "setting"), PAGES)


def given(setting: str, addresses: tuple[str, ...]) -> Given:
    """Return a setting."""
    return {setting: addresses}


async def request(
    app: Runtime, path: str, headers: dict[str, str] | None = None
) -> Answer:
    """Request a page."""
    async with serving(app) as site:
        return await ask(site.port, "GET", path, headers or {})


@pages
async def test_this_machine_is_an_observer_until_others_are_expected(
    knowledge: KnowledgeBase, path: str, setting: str
) -> None:
    """D-085, D-209: a proxy on this machine need not show that it is one."""
    assert (await request(open_app(knowledge), path)).status == 200
    public: Given = {"base_url": "https://kb.example.com"}
    headers = {"Host": "kb.example.com"}
    assert (await request(open_app(knowledge, **public), path, headers)).status == 404
    named = open_app(knowledge, **public, **given(setting, ("127.0.0.1",)))
    assert (await request(named, path, headers)).status == 200


@pages
async def test_each_page_has_its_own_setting(
    knowledge: KnowledgeBase, path: str, setting: str
) -> None:
    """An empty list turns off one page, and the other one stays."""
    others: Given = {other: () for _, other in PAGES if other != setting}
    assert (await request(open_app(knowledge, **others), path)).status == 200
    assert (
        await request(open_app(knowledge, **given(setting, ())), path)
    ).status == 404


@pages
async def test_for_others_the_page_does_not_exist(
    knowledge: KnowledgeBase, path: str, setting: str
) -> None:
    """The response is the one to any unknown path."""
    app = open_app(knowledge, **given(setting, ("192.0.2.1",)))
    async with serving(app) as site:
        answers = [await ask(site.port, "GET", each) for each in (path, "/unknown")]
    assert answers[0].status == 404
    assert answers[0].body == answers[1].body


@pages
@pytest.mark.parametrize("header", ["X-Forwarded-For", "Via", "Forwarded"])
async def test_a_proxy_is_no_observer(
    knowledge: KnowledgeBase, path: str, setting: str, header: str
) -> None:
    """Whatever it sends; unless a trusted one names its client."""
    sent = {header: "127.0.0.1"}
    assert (await request(open_app(knowledge), path, sent)).status == 404
    trusted = open_app(
        knowledge, trusted_proxy=("127.0.0.1",), **given(setting, ("10.0.0.0/8",))
    )
    sent = {"X-Forwarded-For": "10.1.2.3", header: "10.1.2.3"}
    assert (await request(trusted, path, sent)).status == 200


@pages
async def test_tokens_are_needed_unless_the_address_is_named(
    knowledge: KnowledgeBase, tmp_path: Path, path: str, setting: str
) -> None:
    """A token alone gives no access."""
    file = tmp_path / "tokens"
    file.write_text(format_line("ci", "akb_ci"))
    tokens: Given = {"auth_tokens_file": str(file)}
    token = {"Authorization": "Bearer akb_ci"}
    assert (await request(open_app(knowledge, **tokens), path)).status == 401
    assert (await request(open_app(knowledge, **tokens), path, token)).status == 404
    named = open_app(knowledge, **tokens, **given(setting, ("127.0.0.1",)))
    assert (await request(named, path)).status == 200


@pages
def test_an_invalid_address_is_a_wrong_setting(
    knowledge: KnowledgeBase, path: str, setting: str
) -> None:
    """Reported at the start, by the setting's name."""
    with pytest.raises(SettingsError, match=f"{setting} 'localhost' is not an"):
        open_app(knowledge, **given(setting, ("localhost",)))
