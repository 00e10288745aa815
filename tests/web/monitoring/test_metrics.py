"""/metrics: numbers for permitted addresses, and no page at all for others."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families
from support.canary import CANARY
from support.docs import DocsTree
from support.knowledge import VISIBLE_COUNT, KnowledgeBase
from support.peers import EVENTS, open_app, serving
from support.site import articles_of
from support.wire import Answer, ask, dial, until

from asdlc_kb import __version__
from asdlc_kb.app import Runtime, build
from asdlc_kb.exceptions import SettingsError
from asdlc_kb.ops.auth.bearer_tokens import format_line
from asdlc_kb.ops.metrics.definitions import FAMILIES
from asdlc_kb.settings import Settings
from asdlc_kb.web.monitoring.metrics import read_gauges

FORWARDED = {
    "X-Forwarded-For": "127.0.0.1",
    "X-Forwarded-Host": "localhost",
    "X-Forwarded-Proto": "http",
    "X-Real-IP": "127.0.0.1",
    "Forwarded": "for=127.0.0.1",
    "Via": "1.1 proxy",
}


def read(answer: Answer) -> dict[str, float]:
    """Return the samples with these labels at most."""
    assert answer.status == 200
    return {
        " ".join((sample.name, *sample.labels.values())): sample.value
        for family in text_string_to_metric_families(answer.body.decode())
        for sample in family.samples
    }


async def scrape(app: Runtime, headers: Mapping[str, str] | None = None) -> Answer:
    """Request the metrics."""
    async with serving(app) as site:
        return await ask(site.port, "GET", "/metrics", headers or {})


async def test_missing_projects_are_problems(tmp_path: Path) -> None:
    """As missing folders of other sources; without projects there is no series."""
    (tmp_path / "shop").mkdir()
    app = build(Settings(project=(str(tmp_path / "shop"),)))
    (notifier,) = app.project_notifiers
    notifier.load()
    assert read(await scrape(app))["asdlc_kb_problems projects"] == 0
    (tmp_path / "shop").rmdir()
    notifier.load()
    assert read(await scrape(app))["asdlc_kb_problems projects"] == 1


async def test_this_machine_may_see_all_families(app: Runtime) -> None:
    """D-085: by default no other; what is sent is stored nowhere."""
    answer = await scrape(app)
    assert answer.headers["content-type"].startswith("text/plain; version=")
    assert answer.headers["cache-control"] == "no-store, no-transform"
    for family in FAMILIES:
        assert f"# TYPE {family.name} {family.kind}".encode() in answer.body
    shown = read(answer)
    assert shown["asdlc_kb_ready"] == 1
    assert shown["asdlc_kb_streams"] == shown["asdlc_kb_sessions"] == 0
    assert any(__version__ in name for name in shown if "asdlc_kb_info" in name)


async def test_content_is_counted_by_status_and_hidden_ones_not_at_all(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """Visible content only; no status of a hidden article has a number."""
    knowledge.write("concepts/one")
    knowledge.write("patterns/two", status="Experimental")
    docs = DocsTree(tmp_path / "docs")
    docs.write("a.md", "# A\n\ntext\n")
    docs.write("b.md", "---\ndraft: true\n---\n# B\n")
    app = open_app(knowledge, docs=docs)
    shown = read(await scrape(app))
    entries = {k: n for k, n in shown.items() if k.startswith("asdlc_kb_entries")}
    assert sum(entries.values()) == VISIBLE_COUNT + 2 + 1
    assert entries["asdlc_kb_entries articles Experimental"] >= 1
    assert entries["asdlc_kb_entries docs "] == 1
    assert len(entries) == 3
    problems = len(articles_of(app).catalog.snapshot.all_problems())
    assert shown["asdlc_kb_problems articles"] == problems > 0
    assert shown["asdlc_kb_content_reloads_total articles"] == 1


async def test_no_text_of_content_is_in_it(knowledge: KnowledgeBase) -> None:
    """Neither of hidden articles nor of others: numbers and our own names."""
    async with serving(open_app(knowledge)) as site:
        for path in ("/whale-song", "/search?q=whale-song"):
            await ask(site.port, "GET", path)
        answer = await ask(site.port, "GET", "/metrics")
    for text in (CANARY, "whale-song", "links-to-hidden"):
        assert text.encode() not in answer.body


async def test_head_is_get_without_a_body(app: Runtime) -> None:
    """As everywhere."""
    async with serving(app) as site:
        answer = await ask(site.port, "HEAD", "/metrics")
    assert (answer.status, answer.body) == (200, b"")


@pytest.mark.parametrize("name", FORWARDED)
async def test_a_request_by_an_unknown_proxy_is_a_404(app: Runtime, name: str) -> None:
    """D-085: the proxy may well be on this machine, and forward any client."""
    async with serving(app) as site:
        refused = await ask(site.port, "GET", "/metrics", {name: FORWARDED[name]})
        unknown = await ask(site.port, "GET", "/none", {name: FORWARDED[name]})
    assert refused.status == 404
    assert refused.body == unknown.body
    ours = {"date", "x-request-id"}
    assert {k: v for k, v in refused.headers.items() if k not in ours} == {
        k: v for k, v in unknown.headers.items() if k not in ours
    }


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ({"X-Forwarded-For": "10.1.2.3"}, 200),
        ({"X-Forwarded-For": "10.1.2.3", "Via": "1.1 proxy"}, 200),
        ({"X-Forwarded-For": "192.0.2.1"}, 404),
        ({"X-Forwarded-For": "10.1.2.3, 192.0.2.1"}, 404),
        ({"X-Real-IP": "10.1.2.3"}, 404),
        ({}, 404),
    ],
)
async def test_a_trusted_proxy_says_whose_request_it_is(
    knowledge: KnowledgeBase, sent: dict[str, str], status: int
) -> None:
    """D-075: then it is that address that must be allowed."""
    app = open_app(
        knowledge, trusted_proxy=("127.0.0.1",), metrics_allow=("10.0.0.0/8",)
    )
    assert (await scrape(app, sent)).status == status


@pytest.mark.parametrize(
    "entry", ["unknown", "", "192.0.2.1, unknown", "unknown, 127.0.0.1"]
)
async def test_a_trusted_proxy_that_names_nobody_is_not_taken_for_its_client(
    knowledge: KnowledgeBase, entry: str
) -> None:
    """Squid writes `unknown`, for any client."""
    here = ("127.0.0.1",)
    app = open_app(knowledge, trusted_proxy=here, metrics_allow=here)
    assert (await scrape(app, {"X-Forwarded-For": entry})).status == 404


@pytest.mark.parametrize(
    "entry", ["127.0.0.1", "::1", "::ffff:127.0.0.1", "127.9.9.9", "10.1.2.3"]
)
@pytest.mark.parametrize("trusted", [("127.0.0.1",), ("127.0.0.0/8", "10.0.0.0/8")])
async def test_a_forwarded_address_of_loopback_or_of_a_proxy_sees_nothing(
    knowledge: KnowledgeBase, entry: str, trusted: tuple[str, ...]
) -> None:
    """A client writes it if its proxy forwards the header."""
    allowed = ("127.0.0.0/8", "::1", *trusted)
    app = open_app(knowledge, trusted_proxy=trusted, metrics_allow=allowed)
    assert (await scrape(app, {"X-Forwarded-For": entry})).status == 404


@pytest.mark.parametrize(
    "given",
    [
        {"base_url": "https://kb.example.com"},
        {"allow_host": ("kb.example.com", "localhost", "127.0.0.1")},
        {"trusted_proxy": ("10.0.0.1",)},
        {"host": "0.0.0.0"},
        {"host": "::"},
        {"host": "kb.internal"},
    ],
)
async def test_nobody_sees_them_unasked_where_others_are_expected(
    knowledge: KnowledgeBase, given: dict[str, Any]
) -> None:
    """A proxy on this machine need not show that it is one."""
    assert (await scrape(open_app(knowledge, **given))).status == 404
    named = open_app(knowledge, metrics_allow=("127.0.0.1",), **given)
    assert (await scrape(named)).status == 200


async def test_a_public_address_of_this_machine_changes_nothing(
    knowledge: KnowledgeBase,
) -> None:
    """Development: links are absolute, and every client is still on this machine."""
    app = open_app(knowledge, base_url="http://localhost:8420", allow_host=())
    assert (await scrape(app)).status == 200


async def test_with_tokens_they_need_one_unless_the_address_is_named(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """D-085: as any path: 401 without a token; a token alone gives no access."""
    file = tmp_path / "tokens"
    file.write_text(format_line("ci", "akb_ci"))
    given: dict[str, Any] = {"auth_tokens_file": str(file)}
    token = {"Authorization": "Bearer akb_ci"}
    assert (await scrape(open_app(knowledge, **given))).status == 401
    assert (await scrape(open_app(knowledge, **given), token)).status == 404
    named = open_app(knowledge, metrics_allow=("127.0.0.1",), **given)
    assert (await scrape(named)).status == 200


async def test_observers_may_ask_by_any_name_of_this_machine(
    knowledge: KnowledgeBase,
) -> None:
    """Monitoring requests each server by its address, whatever the public name is."""
    public: dict[str, Any] = {"base_url": "https://kb.example.com", "allow_host": ()}
    named = open_app(knowledge, metrics_allow=("127.0.0.1",), **public)
    assert (await scrape(named, {"Host": "127.0.0.1:8420"})).status == 200
    assert (await scrape(named, {"Host": "evil.example"})).status == 403
    unnamed = open_app(knowledge, **public)
    assert (await scrape(unnamed, {"Host": "127.0.0.1:8420"})).status == 403


async def test_nobody_may_see_them_where_that_is_set(knowledge: KnowledgeBase) -> None:
    """An empty list disables the page."""
    assert (await scrape(open_app(knowledge, metrics_allow=()))).status == 404


def test_what_is_no_address_is_a_wrong_setting(knowledge: KnowledgeBase) -> None:
    """Reported at the start, by the setting's name."""
    with pytest.raises(SettingsError, match="metrics_allow 'localhost' is not an"):
        open_app(knowledge, metrics_allow=("localhost",))


async def test_levels_are_numbers_that_others_understand(app: Runtime) -> None:
    """Another process reads them: a truth value would be no number."""
    async with serving(app) as site:
        levels = read_gauges(site.context)
    assert levels["asdlc_kb_ready"] == 1
    assert {type(value) for value in levels.values()} <= {int, float}


async def test_connections_are_counted_while_they_are_open(app: Runtime) -> None:
    """The connection of the scrape is one of them."""
    async with serving(app) as site:
        async with dial(site.port):
            await until(lambda: site.web.manager.connections == 1)
            answer = await ask(site.port, "GET", "/metrics")
    assert read(answer)["asdlc_kb_connections"] == 2


async def test_who_is_sent_away_is_counted_by_the_reason(
    knowledge: KnowledgeBase,
) -> None:
    """As in the log, but each time."""
    name = "asdlc_kb_connections_refused_total most"
    app = open_app(knowledge, max_connections=1)
    async with serving(app) as site:
        before = read(await ask(site.port, "GET", "/metrics")).get(name, 0)
        await until(lambda: site.web.manager.connections == 0)
        async with dial(site.port) as wire:
            # An idle one would give way.
            await wire.request("GET", headers=EVENTS)
            assert (await wire.head()).status == 200
            for _ in range(3):
                assert (await ask(site.port, "GET", "/metrics")).status == 503
        await until(lambda: site.web.manager.connections == 0)
        after = read(await ask(site.port, "GET", "/metrics"))
    assert after[name] == before + 3


@pytest.mark.parametrize("sent", [{}, {"Via": "1.1 proxy"}])
async def test_a_trusted_proxy_that_does_not_say_whose_it_is_gets_nothing(
    knowledge: KnowledgeBase, sent: dict[str, str]
) -> None:
    """D-085: by default nginx and HAProxy add no header, whatever their client is."""
    here = ("127.0.0.1",)
    app = open_app(knowledge, trusted_proxy=here, metrics_allow=here)
    assert (await scrape(app, sent)).status == 404


def test_what_writes_them_is_not_loaded_before_the_first_scrape() -> None:
    """A start loads only what it needs."""
    script = (
        "import sys, asdlc_kb.app\n"
        "assert 'asdlc_kb.web.monitoring.metrics' in sys.modules\n"
        "assert 'prometheus_client' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=30)
