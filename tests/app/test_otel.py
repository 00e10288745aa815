"""Export with OpenTelemetry by real processes, to a real collector."""

import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.canary import Scanner
from support.collector import Collector, open_collector
from support.knowledge import KnowledgeBase
from support.peers import JSON, envelope, message
from support.processes import list_loaded, run_cli, serve_process, start_cli
from support.wire import Wire, ask, until
from support.workers import STRICT, find_workers, reaching

from asdlc_kb.app import add_recorder
from asdlc_kb.app.otel import require_exporters
from asdlc_kb.exceptions import OperationalError, SettingsError
from asdlc_kb.ops.otel import exporters
from asdlc_kb.ops.telemetry import Telemetry
from asdlc_kb.settings import Settings

TRACE = "0af7651916cd43dd8448eb211c80319c"
META = {"traceparent": f"00-{TRACE}-b7ad6b7169203331-01"}
CALL = "tools/call list_articles"
LISTING = message("tools/call", {"name": "list_articles", "_meta": META})
NEVER = "3600000"
"""Milliseconds until an export that is not the last one."""


@pytest.fixture
def collector(scanner: Scanner) -> Iterator[Collector]:
    """A collector."""
    with open_collector(scanner) as opened:
        yield opened


async def list_articles(wire: Wire) -> None:
    """Call a tool on a connection."""
    await wire.request("POST", headers=JSON, body=json.dumps(LISTING).encode())
    assert (await wire.answer()).status == 200


def test_without_the_setting_nothing_of_it_is_loaded() -> None:
    """Not even the module that describes operations."""
    loaded = list_loaded(
        "import asdlc_kb.cli.serve, sys\n"
        "from asdlc_kb.app import build\n"
        "from asdlc_kb.settings import Settings\n"
        "build(Settings(content='.', wait=True), is_local=True)\n"
        "print(*sys.modules)"
    )
    assert "asdlc_kb.app.otel" in loaded
    assert not {name for name in loaded if name.startswith("opentelemetry")}
    assert not {name for name in loaded if name.startswith("asdlc_kb.ops.otel")}
    assert "asdlc_kb.mcp.dispatch.operation" not in loaded


def test_without_the_setting_there_is_no_recorder() -> None:
    """The telemetry stays the same object."""
    telemetry = Telemetry()
    assert add_recorder(telemetry, Settings()) is telemetry
    require_exporters(Settings())


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything of the packages is imported."""
    monkeypatch.setattr(exporters, "find_spec", lambda name: None)
    monkeypatch.setitem(sys.modules, "asdlc_kb.ops.otel.recorder", None)
    with pytest.raises(OperationalError, match="needs the extra `otel`"):
        add_recorder(Telemetry(), Settings(otel=True))


def test_what_cannot_be_exported_is_refused_at_the_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In the process that answers, and before in the parent of several."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
    with pytest.raises(SettingsError):
        require_exporters(Settings(otel=True))
    with pytest.raises(SettingsError):
        add_recorder(Telemetry(), Settings(otel=True))


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_wrong_variable_is_a_usage_error(
    knowledge: KnowledgeBase, scanner: Scanner, workers: str
) -> None:
    """Once, whatever the number of processes."""
    options = ("--otel", "--port", "0", "--workers", workers, "--cache-dir", "off")
    env = {"OTEL_TRACES_EXPORTER": "zipkin"}
    done = run_cli("serve", knowledge.root, *options, scanner=scanner, env=env)
    assert done.code == 2
    assert done.err.count("OTEL_TRACES_EXPORTER: 'zipkin' is not supported") == 1


async def test_a_server_continues_the_client_s_trace_and_exports_the_rest_at_its_end(
    knowledge: KnowledgeBase, scanner: Scanner, collector: Collector
) -> None:
    """After SIGTERM, without waiting for the next time."""
    env = collector.environment | {
        "OTEL_BSP_SCHEDULE_DELAY": NEVER,
        "OTEL_METRIC_EXPORT_INTERVAL": NEVER,
    }
    options = ("--otel", "--cache-dir", "off")
    with serve_process(knowledge.root, *options, scanner=scanner, env=env) as served:
        body = json.dumps(LISTING).encode()
        await ask(served.port, "POST", "/mcp", JSON, body)
        await ask(served.port, "GET", "/health")
        assert not collector.requests
        assert served.stop().code == 0
    request, call, _ = collector.await_spans("POST /mcp", CALL, "GET /health")
    assert (call.trace, call.links) == (TRACE, (request.id,))
    (point,) = collector.await_points("mcp.server.operation.duration", 1)
    assert point.attributes["gen_ai.tool.name"] == "list_articles"
    assert point.resource == call.resource


async def test_every_worker_exports_as_an_instance(
    knowledge: KnowledgeBase, scanner: Scanner, collector: Collector
) -> None:
    """Its threads begin after the fork; a worker that replaces another exports too."""
    options = ("--workers", "2", "--otel", "--cache-dir", "off")
    env = {**STRICT, **collector.environment}
    with serve_process(knowledge.root, *options, scanner=scanner, env=env) as served:
        pids = find_workers(served, 2)
        async with reaching(served.port, pids) as wires:
            for wire in wires:
                for _ in range(5):
                    await list_articles(wire)

        def has_all() -> bool:
            calls = [span for span in collector.spans if span.name == CALL]
            found = {span.resource["process.pid"] for span in calls}
            return len(calls) == 10 and found == set(pids)

        # A killed process loses what it has not exported yet.
        await until(has_all)
        os.kill(pids[0], signal.SIGKILL)
        pids = find_workers(served, 2, gone=pids[:1])
        async with reaching(served.port, pids) as wires:
            for wire in wires:
                await list_articles(wire)
        assert served.stop().code == 0
    assert set(pids) < {span.resource["process.pid"] for span in collector.spans}
    calls = [span for span in collector.spans if span.name == CALL]
    assert len(calls) >= 12
    assert len({span.id for span in calls}) == len(calls)
    assert len({span.resource["service.instance.id"] for span in calls}) == 3


def test_stdio_exports_operations_without_requests(
    knowledge: KnowledgeBase, scanner: Scanner, collector: Collector, tmp_path: Path
) -> None:
    """The parent process gets nothing but its answers."""
    listing = {"name": "list_articles", "_meta": {**META, **envelope("2026-07-28")}}
    with start_cli(
        *("stdio", knowledge.root, "--otel", "--cache-dir", "off"),
        scanner=scanner,
        cwd=tmp_path,
        env=collector.environment,
    ) as running:
        for number in (1, 2):
            sent = message("tools/call", listing, number)
            running.send(json.dumps(sent).encode() + b"\n")
            assert json.loads(running.read_line())["id"] == number
        running.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        running.close_stdin()
        done = running.wait()
    assert done.code == 0
    assert done.stdout.count(b"\n") == 2
    (call,) = collector.await_spans(CALL)
    collector.await_spans("notifications/initialized")
    assert (call.trace, call.links) == (TRACE, ())
    assert call.attributes["network.transport"] == "pipe"
    assert call.attributes["mcp.protocol.version"] == "2026-07-28"
    assert {span.attributes.get("jsonrpc.request.id") for span in collector.spans} == {
        *("1", "2"),
        None,
    }
    assert "http.server.request.duration" not in {p.metric for p in collector.points}


async def test_a_collector_that_hangs_delays_neither_answers_nor_the_end(
    knowledge: KnowledgeBase, scanner: Scanner, collector: Collector
) -> None:
    """The log says that something was not exported."""
    collector.is_hanging = True
    options = ("--otel", "--cache-dir", "off")
    with serve_process(
        knowledge.root, *options, scanner=scanner, env=collector.environment
    ) as served:
        body = json.dumps(LISTING).encode()
        for _ in range(50):
            assert (await ask(served.port, "POST", "/mcp", JSON, body)).status == 200
        collector.await_requests(1)
        done = served.stop()
    assert done.code == 0
    assert "not everything was exported before the exit" in done.err
    assert "Traceback" not in done.err
