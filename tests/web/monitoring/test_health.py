"""/health and /ready: alive, and able to serve."""

import shutil
from pathlib import Path

from support.knowledge import VISIBLE_COUNT, KnowledgeBase
from support.peers import open_app, serving
from support.site import articles_of
from support.wire import ask

from asdlc_kb import __version__
from asdlc_kb.app import Runtime, build
from asdlc_kb.settings import Settings


async def test_health_tells_numbers(knowledge: KnowledgeBase) -> None:
    """D-272: of visible articles and their problems; hidden ones are not counted."""
    knowledge.write("concepts/one", body="Zero\u200bwidth.\n")
    knowledge.write("patterns/two", status="Experimental")
    knowledge.write("concepts/three", status="Draft", lastUpdated="never")
    app = open_app(knowledge)
    problems = len(articles_of(app).catalog.snapshot.all_problems())
    assert problems > 1
    async with serving(app) as site:
        answer = await ask(site.port, "GET", "/health")
    assert answer.status == 200
    assert answer.json == {
        "status": "degraded",
        "ready": True,
        "version": __version__,
        "articles": VISIBLE_COUNT + 2,
        "problems": 1,
    }


async def test_health_counts_what_is_compared_by_meaning(
    knowledge: KnowledgeBase,
) -> None:
    """If the setting is on: none until the first vectors were computed."""
    app = open_app(knowledge, semantic=True)
    (indexer,) = app.indexers.values()
    async with serving(app) as site:
        before = await ask(site.port, "GET", "/health")
        await indexer.ready()
        indexer.index.embed()
        after = await ask(site.port, "GET", "/health")
    assert before.json["semanticSections"] == 0
    assert after.json["semanticSections"] > 0


async def test_health_is_ok_without_problems(tmp_path: Path) -> None:
    """A valid folder is not degraded."""
    (tmp_path / "content" / "concepts").mkdir(parents=True)
    app = build(Settings(content=str(tmp_path / "content")))
    articles_of(app).load()
    async with serving(app) as site:
        answer = await ask(site.port, "GET", "/health")
    assert (answer.status, answer.json["status"]) == (200, "ok")
    assert answer.json["problems"] == 0


async def test_health_names_no_file(knowledge: KnowledgeBase) -> None:
    """Numbers only: broken files are reported by check, not to clients."""
    knowledge.write("concepts/broken-one", lastUpdated="never")
    async with serving(open_app(knowledge)) as site:
        answer = await ask(site.port, "GET", "/health")
    assert answer.json["status"] == "degraded"
    kept = {"status", "version"}
    for key in answer.json.keys() - kept:
        assert isinstance(answer.json[key], int), key
    assert b"broken" not in answer.body


async def test_ready_once_content_was_seen(app: Runtime) -> None:
    """D-093: a load balancer sends requests from now on."""
    async with serving(app) as site:
        answer = await ask(site.port, "GET", "/ready")
    assert (answer.status, answer.json) == (200, {"ready": True})


async def test_not_ready_before_content_was_seen(knowledge: KnowledgeBase) -> None:
    """D-093: a named folder that is missing: alive, but 503 until it was read once."""
    missing = knowledge.root.parent / "later"
    app = build(Settings(content=str(missing), wait=True))
    articles_of(app).load()
    async with serving(app) as site:
        ready = await ask(site.port, "GET", "/ready")
        health = await ask(site.port, "GET", "/health")
        assert (ready.status, ready.json) == (503, {"ready": False})
        assert ready.headers["retry-after"] == "30"
        assert (health.status, health.json["ready"]) == (200, False)
        shutil.copytree(knowledge.root, missing)
        articles_of(app).load()
        ready = await ask(site.port, "GET", "/ready")
        assert (ready.status, ready.json) == (200, {"ready": True})
        assert "retry-after" not in ready.headers


async def test_not_ready_while_draining(app: Runtime) -> None:
    """D-093: a load balancer must stop sending before we stop listening."""
    async with serving(app) as site:
        site.web.state.is_draining = True
        ready = await ask(site.port, "GET", "/ready")
        health = await ask(site.port, "GET", "/health")
    assert (ready.status, ready.json) == (503, {"ready": False})
    assert (health.status, health.json["ready"]) == (200, False)


async def test_head_is_get_without_a_body(app: Runtime) -> None:
    """Monitoring systems send HEAD."""
    async with serving(app) as site:
        for path in ("/health", "/ready"):
            full = await ask(site.port, "GET", path)
            head = await ask(site.port, "HEAD", path)
            assert (head.status, head.body) == (200, b"")
            assert head.headers["content-length"] == str(len(full.body))


async def test_a_probe_is_answered_in_full(app: Runtime) -> None:
    """Without an ETag, so that no client sends one back."""
    async with serving(app) as site:
        for path in ("/health", "/ready"):
            answer = await ask(site.port, "GET", path, {"If-None-Match": "*"})
            assert answer.status == 200
            assert "etag" not in answer.headers


async def test_other_methods_are_refused_with_allow(app: Runtime) -> None:
    """405 lists the allowed methods."""
    async with serving(app) as site:
        for path in ("/health", "/ready"):
            for method in ("POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"):
                answer = await ask(site.port, method, path, body=b"{}")
                assert answer.status == 405
                assert answer.headers["allow"] == "GET, HEAD"
                assert answer.json == {"error": "Method Not Allowed"}
