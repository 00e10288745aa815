"""Tests of `serve` and `stdio` as real processes, from first line to exit code."""

import http.client
import json
import re
import shlex
import signal
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from support.canary import Scanner
from support.knowledge import HIDDEN_COUNT, VISIBLE_COUNT, KnowledgeBase
from support.loglines import captured
from support.peers import message, open_app
from support.processes import BOUND, run_cli, serve_process, start_cli

from asdlc_kb import __version__
from asdlc_kb.app import build
from asdlc_kb.cli.serve import startup_banner
from asdlc_kb.connect.client_table import find_client
from asdlc_kb.connect.server_entry import ServerAddress
from asdlc_kb.connect.subprocess_runner import fill_words
from asdlc_kb.settings import MEMORY, Settings

Invoke = Callable[..., Result]

HIDDEN = f"{HIDDEN_COUNT} hidden, 1 of them without a known status"


def get(port: int, path: str) -> tuple[int, dict[str, object]]:
    """Make one GET request; return the status and the JSON."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=BOUND)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()


def test_serve_says_where_it_is_and_how_to_connect(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """D-131: the MCP address, how many are served and hidden, a command to connect."""
    title = ("--title", "My handbook")
    with serve_process(knowledge.root, *title, scanner=scanner) as served:
        address = f"http://127.0.0.1:{served.port}/mcp"
        lines = [served.running.read_line() for _ in range(3)]
        done = served.stop()
    assert done.out.splitlines() == [
        f"asdlc-kb {__version__}",
        f"  MCP       {address}",
        f"  Website   {address.removesuffix('mcp')}",
        f"  Articles  {VISIBLE_COUNT} served, {HIDDEN} ({knowledge.root})",
        "  Connect   claude mcp add --transport http --scope user my-handbook "
        f"{address}",
    ]
    command = lines[-1].decode().removeprefix("  Connect   ")
    # The same as on the website's /connect, and as `asdlc-kb connect` runs it.
    client = find_client("claude-code")
    assert client is not None
    assert client.program is not None
    words = client.program.call(ServerAddress(address))
    assert words is not None
    values = {"{name}": "my-handbook", "{scope}": "user", "{url}": address}
    assert shlex.split(command) == ["claude", *fill_words(words, values)]


def test_the_address_that_is_told_answers(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """D-131: port 0 picks a free port and prints it."""
    with serve_process(knowledge.root, scanner=scanner) as served:
        assert get(served.port, "/ready") == (200, {"ready": True})
        status, health = get(served.port, "/health")
        assert (status, health["articles"]) == (200, VISIBLE_COUNT)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_peace(
    knowledge: KnowledgeBase, scanner: Scanner, number: int
) -> None:
    """D-094: SIGTERM drains, and so does Ctrl-C."""
    with serve_process(knowledge.root, scanner=scanner) as served:
        done = served.stop(number)
    assert done.code == 0
    assert b"Traceback" not in done.stderr
    for line in done.stderr.splitlines():
        assert json.loads(line)["level"] in ("info", "warning")


def test_a_named_folder_that_is_missing_is_waited_for(
    tmp_path: Path, scanner: Scanner
) -> None:
    """D-130: start, `/ready` is 503 until it was read once, then serve."""
    later = tmp_path / "later"
    with serve_process(later, "--wait", scanner=scanner) as served:
        assert b"Website" in served.running.read_line()
        assert b"0 served, 0 hidden" in served.running.read_line()
        assert get(served.port, "/ready") == (503, {"ready": False})
        status, health = get(served.port, "/health")
        assert (status, health["status"], health["ready"]) == (200, "degraded", False)
        KnowledgeBase(later)
        deadline = time.monotonic() + BOUND
        while get(served.port, "/ready")[0] == 503:
            assert time.monotonic() < deadline, "the folder was never noticed"
        assert get(served.port, "/ready") == (200, {"ready": True})


def test_a_project_that_is_missing_is_waited_for_and_missed(
    tmp_path: Path, scanner: Scanner
) -> None:
    """D-130, D-272: by `/ready` at first; later by `/health`, log and metric."""

    def await_health(status: str) -> None:
        deadline = time.monotonic() + BOUND
        while get(served.port, "/health")[1]["status"] != status:
            assert time.monotonic() < deadline, f"never {status}"

    later, away = tmp_path / "later", tmp_path / "away"
    options = ("--project", str(later), "--wait")
    with serve_process(None, *options, scanner=scanner, cwd=tmp_path) as served:
        assert get(served.port, "/ready") == (503, {"ready": False})
        later.mkdir()
        await_health("ok")
        assert get(served.port, "/ready") == (200, {"ready": True})
        later.rename(away)
        await_health("degraded")
        assert get(served.port, "/health")[1]["problems"] == 1
        assert get(served.port, "/ready") == (200, {"ready": True})
        done = served.stop()
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    found = [line for line in lines if line["event"].startswith("project folder")]
    assert [line["event"] for line in found] == [
        "project folder is missing",
        "project folder found",
        "project folder is missing",
    ]
    assert {line["folder"] for line in found} == {str(later)}


@pytest.mark.parametrize("command", ["serve", "stdio"])
def test_without_any_folder_it_does_not_start(
    tmp_path: Path, scanner: Scanner, command: str
) -> None:
    """D-130: no folder named and none found: exit code 3 and how to get one."""
    done = run_cli(command, scanner=scanner, cwd=tmp_path)
    assert (done.code, done.out) == (3, "")
    assert done.err == (
        "asdlc-kb: no content: name a folder of documentation (--docs path/to/docs), "
        "of articles in categories (path/to/content) "
        "or of a project (--project path/to/project)\n"
    )


def test_a_port_that_is_taken_is_the_machine_s_refusal(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """D-127: exit code 3, environment; the message says what to do."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        args = ("serve", knowledge.root, "-p", str(port))
        done = run_cli(*args, scanner=scanner, cwd=knowledge.root.parent)
    assert (done.code, done.out) == (3, "")
    assert done.err == (
        f"asdlc-kb: port {port} of 127.0.0.1 is taken: "
        "stop the other server, or pick a free port with --port 0\n"
    )


def test_an_address_of_another_machine_cannot_be_had(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """D-127: exit code 3, environment, whatever prevents listening."""
    options = ("--host", "203.0.113.1", "--port", "0")
    args = ("serve", knowledge.root, *options)
    done = run_cli(*args, scanner=scanner, cwd=knowledge.root.parent)
    assert (done.code, done.out) == (3, "")
    assert done.err.startswith("asdlc-kb: cannot listen on 203.0.113.1:0: ")


@pytest.mark.parametrize("workers", ["1", "2"])
def test_statistics_are_not_written_into_another_program_s_file(
    knowledge: KnowledgeBase, scanner: Scanner, tmp_path: Path, workers: str
) -> None:
    """It is left as it is."""
    file = tmp_path / "notes.md"
    file.write_text("notes")
    options = ("--port", "0", "--workers", workers, "--insights", file)
    args = ("serve", knowledge.root, *options)
    done = run_cli(*args, scanner=scanner, cwd=knowledge.root.parent)
    assert (done.code, done.out) == (3, "")
    assert done.err == (
        f"asdlc-kb: {file} is no file of insights, and left as it is: "
        "name another --insights file\n"
    )
    assert file.read_text() == "notes"


def test_a_wrong_setting_keeps_it_from_starting(
    invoke: Invoke, knowledge: KnowledgeBase
) -> None:
    """D-127: exit code 2, usage, before anything listens."""
    root = str(knowledge.root)
    assert invoke("serve", root, "--max-body", "10").exit_code == 2
    assert invoke("stdio", root, "--tool-errors", "x").exit_code == 2


@pytest.mark.parametrize(
    ("settings", "address"),
    [
        ({}, "http://127.0.0.1:8123/mcp"),
        ({"host": "localhost"}, "http://localhost:8123/mcp"),
        ({"host": "0.0.0.0"}, "http://127.0.0.1:8123/mcp"),
        ({"host": ""}, "http://127.0.0.1:8123/mcp"),
        ({"host": "::"}, "http://[::1]:8123/mcp"),
        ({"host": "::1"}, "http://[::1]:8123/mcp"),
        ({"host": "192.0.2.7"}, "http://192.0.2.7:8123/mcp"),
        ({"base_url": "https://kb.example.com"}, "https://kb.example.com/mcp"),
        ({"base_url": "https://kb.example.com/a/"}, "https://kb.example.com/a/mcp"),
    ],
)
def test_the_address_is_one_that_a_client_can_use(
    knowledge: KnowledgeBase, settings: dict[str, Any], address: str
) -> None:
    """An address to listen on is not always one to connect to."""
    banner = startup_banner(open_app(knowledge, **settings), 8123)
    found = re.findall(r"\S+/mcp$", banner, re.MULTILINE)
    assert found == [address, address]


def test_where_tokens_are_asked_for_the_command_has_a_header(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """The client would be refused without it."""
    file = tmp_path / "tokens"
    file.write_text("")
    banner = startup_banner(open_app(knowledge, auth_tokens_file=str(file)), 8123)
    command = banner.splitlines()[-1].removeprefix("  Connect   ")
    assert shlex.split(command) == [
        *("claude", "mcp", "add", "--transport", "http", "--scope", "user", "asdlc"),
        *("http://127.0.0.1:8123/mcp", "--header", "Authorization: Bearer TOKEN"),
    ]


def test_without_mcp_no_client_is_told_to_connect(
    knowledge: KnowledgeBase,
) -> None:
    """A disabled endpoint has no address."""
    banner = startup_banner(open_app(knowledge, mcp_enabled=False), 8123)
    assert banner.splitlines()[1:] == [
        "  MCP       off",
        "  Website   http://127.0.0.1:8123/",
        f"  Articles  {VISIBLE_COUNT} served, {HIDDEN} ({knowledge.root})",
    ]


def test_a_folder_s_name_cannot_command_the_terminal(tmp_path: Path) -> None:
    """D-083: the banner is escaped too."""
    banner = startup_banner(open_app(KnowledgeBase(tmp_path / "a\x1b[31m\rb")), 1)
    assert r"/a\x1b[31m\rb)" in banner
    assert banner.replace("\n", "").isprintable()


def test_the_banner_of_a_folder_without_articles_says_what_to_do(
    tmp_path: Path,
) -> None:
    """Write one, or serve the files as what they are; hidden ones are there already."""

    def note(is_docs: bool = False) -> str:
        settings = Settings(content=str(tmp_path), cache_dir=MEMORY)
        if is_docs:
            settings = Settings(docs=(str(tmp_path),), cache_dir=MEMORY)
        runtime = build(settings)
        for source in runtime.corpus:
            source.load()
        lines = startup_banner(runtime, 1).splitlines()
        return "".join(line for line in lines if line.startswith("  Note "))

    assert "no article yet: write CATEGORY/NAME.md with" in note()
    (tmp_path / "a.md").write_text("---\nstatus: Live\n---\n# A\n")
    assert "not at CATEGORY/NAME.md: serve them with --docs" in note()
    (tmp_path / "a.md").rename(tmp_path / "a.rst")
    assert "no article is served: 1 .rst file is not read" in note()
    assert "no documentation page is served: 1 .rst file" in note(is_docs=True)
    (tmp_path / "patterns").mkdir()
    (tmp_path / "patterns" / "x.md").write_text("---\nstatus: Draft\n---\n# A\n")
    assert note() == ""


INITIALIZE = message(
    "initialize",
    {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "tests", "version": "1"},
    },
    "one",
)


def test_stdio_answers_a_fixed_input_and_ends(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """The specification, basic/transports: answers on stdout, logs on stderr."""
    lines = [INITIALIZE, message("ping", request_id=0)]
    stdin = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    done = run_cli("stdio", knowledge.root, scanner=scanner, stdin=stdin)
    answers = [json.loads(line) for line in done.out.splitlines()]
    assert done.code == 0
    assert [answer["id"] for answer in answers] == ["one", 0]
    assert answers[0]["result"]["protocolVersion"] == "2025-11-25"
    assert answers[1]["result"] == {}
    assert all(json.loads(line)["event"] for line in done.err.splitlines())


def test_stdio_ends_on_sigterm(knowledge: KnowledgeBase, scanner: Scanner) -> None:
    """D-099: exit code 0, also while the client's pipe is open."""
    with start_cli("stdio", knowledge.root, scanner=scanner) as running:
        running.send(json.dumps(INITIALIZE).encode() + b"\n")
        assert json.loads(running.read_line())["id"] == "one"
        running.signal(signal.SIGTERM)
        done = running.wait()
    assert done.code == 0
    assert b"Traceback" not in done.stderr


def test_files_beyond_the_limit_are_in_the_banner_and_the_log(
    knowledge: KnowledgeBase,
) -> None:
    """D-061: the operator learns of them from one line in each."""
    note = "2 of more files are served: raise max_files to serve the rest"
    with captured("asdlc_kb.files.live_library") as lines:
        settings = Settings(content=str(knowledge.root), cache_dir=MEMORY, max_files=2)
        app = build(settings)
        for source in app.corpus:
            source.load()
    assert f"  Note      articles: {note}" in startup_banner(app, 8123).splitlines()
    assert [row["event"] for row in lines.rows].count(note) == 1
    assert "max_files" not in startup_banner(open_app(knowledge), 8123)
