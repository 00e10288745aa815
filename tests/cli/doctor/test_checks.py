"""Tests of `doctor`'s checks: each result, good and bad."""

import asyncio
import platform
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import pytest
from support.answering import answering
from support.canary import Scanner
from support.knowledge import HIDDEN_COUNT, VISIBLE_COUNT, KnowledgeBase
from support.processes import serve_process
from support.resp import fake_redis
from support.rolling import find_port
from support.unusable import REFUSED_NAME

from asdlc_kb import __version__
from asdlc_kb.cli.check_result import CheckResult
from asdlc_kb.cli.doctor import checks
from asdlc_kb.cli.doctor.checks import (
    check_bus,
    check_python,
    check_semantic,
    check_server,
    check_sources,
)
from asdlc_kb.connect.host_environment import HostEnvironment
from asdlc_kb.extras import install_command
from asdlc_kb.ops.auth.bearer_tokens import format_line
from asdlc_kb.search.semantic import model_files
from asdlc_kb.settings import Settings


@pytest.fixture
def machine(folder: Path) -> HostEnvironment:
    """A host with an empty home folder."""
    return HostEnvironment("linux", folder, folder, {})


def test_the_interpreter_and_the_packages_are_named() -> None:
    """The first facts that a bug report needs."""
    python, packages = check_python()
    assert platform.python_version() in python.message
    assert platform.machine() in python.message
    assert packages.message.startswith(f"asdlc-kb {__version__}, cachetools ")
    assert f"tornado {metadata.version('tornado')}" in packages.message
    assert "hypothesis" not in packages.message
    assert (python.level, packages.level) == ("ok", "ok")


def test_the_embedding_model_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the settings ask for it; a missing extra is a failure."""
    assert list(check_semantic(Settings())) == []
    settings = Settings(semantic=True)
    (result,) = check_semantic(settings)
    assert (result.level, result.message) == ("ok", "wordllama 0.2.2.post0")
    monkeypatch.setattr(model_files, "MODEL", "package_that_is_not_installed")
    (result,) = check_semantic(settings)
    assert result.level == "failure"
    assert result.message.startswith("semantic search needs the extra `semantic`")
    assert result.hint == install_command("semantic")


def test_a_missing_package_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """A damaged installation; no other line reports it as complete."""
    installed_version = metadata.version

    def version(name: str) -> str:
        if name == "orjson":
            raise metadata.PackageNotFoundError(name)
        return installed_version(name)

    monkeypatch.setattr(metadata, "version", version)
    _, packages = check_python()
    assert (packages.level, packages.message) == ("failure", "missing: orjson")
    assert packages.hint == install_command()


def test_without_an_installation_nothing_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Run from a folder of the source."""

    def requires(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "requires", requires)
    _, packages = check_python()
    assert packages.message == f"asdlc-kb {__version__}"


def test_each_source_is_counted_watched_and_indexed(
    knowledge: KnowledgeBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the locations."""
    monkeypatch.setattr(checks, "find_watch_obstacle", lambda root, find: None)
    monkeypatch.setattr(checks, "find_limit", lambda: 8192)
    tree = tmp_path / "docs"
    (tree / "guide").mkdir(parents=True)
    (tree / "guide" / "a.md").write_text("# A\n")
    settings = Settings(
        content=str(knowledge.root),
        docs=(str(tree),),
        cache_dir=str(tmp_path / "not" / "yet"),
    )
    articles, problems, watching, index, docs, watching_docs, _ = check_sources(
        settings
    )
    hidden = f"{HIDDEN_COUNT} hidden, 1 of them without a known status"
    counts = f"{VISIBLE_COUNT} served, {hidden} ({knowledge.root})"
    assert articles == CheckResult("Articles", "ok", counts)
    assert (problems.level, problems.subject) == ("warning", "Articles")
    assert problems.hint == "asdlc-kb check with the same sources lists them"
    message = "with file-system events; folders: 3 (limit 8,192)"
    assert watching == CheckResult("Watching articles", "ok", message)
    assert index.message.startswith(f"in {tmp_path}/not/yet/articles-")
    assert docs == CheckResult("Docs", "ok", f"1 served, 0 hidden ({tree})")
    assert watching_docs.message.startswith("with file-system events; folders: 2 (")
    assert not (tmp_path / "not").exists()


def test_what_keeps_the_kernel_silent_is_a_warning(
    knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Except where events are not used anyway."""
    monkeypatch.setattr(checks, "find_watch_obstacle", lambda root, find: "no watches")
    settings = Settings(content=str(knowledge.root), cache_dir="off")
    *_, watching, index = check_sources(settings)
    assert (watching.level, index.message) == ("warning", "in memory")
    assert watching.message == "no watches: changes are noticed within 2 seconds"
    assert watching.hint == "--poll checks every 0.3 seconds"
    settings = Settings(content=str(knowledge.root), cache_dir="off", poll=True)
    *_, watching, _ = check_sources(settings)
    assert (watching.level, watching.message) == (
        "ok",
        "polling every 0.3 seconds",
    )


def test_an_index_that_cannot_be_kept_is_a_warning(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """A file is in its place."""
    (tmp_path / "cache").touch()
    settings = Settings(
        content=str(knowledge.root), cache_dir=str(tmp_path / "cache" / "x")
    )
    *_, index = check_sources(settings)
    assert index.level == "warning"
    assert index.message.startswith(f"{tmp_path}/cache is not writable: ")


def test_a_folder_that_cannot_be_opened_ends_no_check(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """As that of another user, in whose home the index would be."""
    cache = str(tmp_path / REFUSED_NAME)
    settings = Settings(content=str(knowledge.root), cache_dir=cache)
    *_, index = check_sources(settings)
    assert index.subject == "Index of articles"


def test_a_project_is_named_and_checked(folder: Path, tmp_path: Path) -> None:
    """Files that strict tools would lose are a warning."""
    rules = tmp_path / "shop" / ".cursor" / "rules"
    rules.mkdir(parents=True)
    settings = Settings(project=(str(tmp_path / "shop"),))
    assert list(check_sources(settings)) == [
        CheckResult("Project", "ok", f"shop ({tmp_path}/shop)")
    ]
    (rules / "a.mdc").write_text("---\nglobs: *.py\n---\nText.\n")
    _, problem = check_sources(settings)
    assert (problem.level, problem.message) == (
        "warning",
        "shop: 1 problem in 1 file",
    )
    (finding,) = check_sources(Settings(project=("gone",)))
    message, advice = f"no such folder: {folder}/gone", "name a project, as in "
    assert (finding.level, finding.subject) == ("failure", "Sources")
    assert (finding.message, finding.hint[: len(advice)]) == (message, advice)


def test_a_folder_without_articles_is_a_warning(folder: Path) -> None:
    """With the reason, as for documentation."""
    (folder / "content").mkdir()
    (folder / "content" / "a.rst").write_text("Text\n")
    result = CheckResult(
        "Articles",
        "warning",
        "no article is served",
        "1 .rst file is not read, only Markdown is",
    )
    assert result in list(check_sources(Settings(content=str(folder / "content"))))


def test_no_source_is_a_failure(folder: Path) -> None:
    """Nothing named and nothing found, or a missing folder."""
    (finding,) = check_sources(Settings())
    assert (finding.level, finding.message) == ("failure", "no content")
    assert finding.hint.startswith("name a folder of documentation")
    missing, _ = check_sources(Settings(content="gone"))
    assert (missing.level, missing.message) == (
        "failure",
        f"no such folder: {folder}/gone",
    )
    assert missing.hint.startswith("create it, or start with --wait")


def test_synonyms_that_are_wrong_are_a_failure(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """With the line; a server would not start."""
    words = tmp_path / "words.txt"
    words.write_text("a, b\nalone\n")
    settings = Settings(content=str(knowledge.root), synonyms=str(words))
    (finding,) = check_sources(settings)
    assert (finding.level, finding.subject) == ("failure", "synonyms")
    assert finding.message.startswith(f"{words}:2: a group has at least two words")


def test_a_free_port_is_well(machine: HostEnvironment) -> None:
    """With how to start the server."""
    port = find_port()
    port_check, server = check_server(Settings(port=port), machine, None)
    assert port_check == CheckResult(f"Port {port}", "ok", "free on 127.0.0.1")
    assert (server.level, server.message) == ("ok", "no server is running")
    any_port, _ = check_server(Settings(port=0), machine, None)
    assert any_port.message == "a free port is chosen at each start"
    (only,) = check_server(Settings(port=port, mcp_enabled=False), machine, None)
    assert only == port_check


def test_our_own_server_is_asked_in_both_eras(
    machine: HostEnvironment, knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """On the port, and at an address."""
    with serve_process(knowledge.root, scanner=scanner) as served:
        settings = Settings(port=served.port)
        port, modern, old = check_server(settings, machine, None)
        url = f"http://127.0.0.1:{served.port}/mcp"
        results = list(check_server(Settings(), machine, url))
        public = Settings(port=0, base_url=url.removesuffix("/mcp"))
        _, *reached = check_server(public, machine, None)
    assert port == CheckResult(f"Port {served.port}", "ok", "in use by asdlc-kb")
    assert modern.message.startswith(f"{url}: supports 2026-07-28, ")
    assert old.message == (
        f"{url}: asdlc-knowledge-base {__version__}, agreed on 2025-11-25"
    )
    assert results == reached == [modern, old]


def test_our_own_server_with_a_public_address_is_asked_by_that_name(
    machine: HostEnvironment, knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """On the port here; under the local name it would serve nothing."""
    port = find_port()
    public = f"http://kb.example.com:{port}"
    options = ("--port", str(port), "--base-url", public)
    with serve_process(knowledge.root, *options, scanner=scanner):
        settings = Settings(port=port, base_url=public)
        first = next(iter(check_server(settings, machine, None)))
    assert first == CheckResult(f"Port {port}", "ok", "in use by asdlc-kb")


def test_a_server_that_asks_for_a_token_is_no_failure(
    machine: HostEnvironment, knowledge: KnowledgeBase, scanner: Scanner, tmp_path: Path
) -> None:
    """Without a token the probe ends there; with one it is like any other."""
    file = tmp_path / "tokens"
    file.write_text(format_line("me", "akb_mine"))
    known = replace(machine, variables={"ASDLC_KB_TOKEN": "akb_mine"})
    with serve_process(
        knowledge.root, "--auth-tokens-file", str(file), scanner=scanner
    ) as served:
        settings = Settings(port=served.port)
        other = list(check_server(settings, machine, None))
        friend = list(check_server(settings, known, None))
    assert [finding.level for finding in other] == ["warning"] * 3
    assert other[0].message == "in use by a server that requires a token on 127.0.0.1"
    assert {f.hint for f in other} == {"put your token in ASDLC_KB_TOKEN"}
    assert [finding.level for finding in friend] == ["ok"] * 3
    assert friend[0].message == "in use by asdlc-kb"


def test_a_bus_that_cannot_be_used_is_a_failure() -> None:
    """With its address and what to do, but without the password."""
    assert list(check_bus(Settings())) == []
    (away,) = check_bus(Settings(bus_url="redis://:hunter2@127.0.0.1:1"))
    (invalid,) = check_bus(Settings(bus_url="redis://:hunter2@host:port"))
    assert (away.level, away.message) == ("failure", "127.0.0.1:1: Connection refused")
    assert "bus_url" in away.hint
    assert "bus_url is not a valid address" in invalid.message
    assert "hunter2" not in f"{away}{invalid}"


async def test_a_bus_that_can_be_used_is_well() -> None:
    """It answers a ping."""
    async with fake_redis() as server:
        settings = Settings(bus_url=server.url)
        (result,) = await asyncio.to_thread(lambda: list(check_bus(settings)))
    assert result == CheckResult("Bus", "ok", "it can be used")


def test_a_port_of_another_program_is_a_failure(machine: HostEnvironment) -> None:
    """With what to do."""
    with answering(lambda *_: (404, {}, b"")) as url:
        port = int(url.split(":")[2].split("/")[0])
        port_check, server = check_server(Settings(port=port), machine, None)
    assert (port_check.level, port_check.message) == (
        "failure",
        "in use by another program on 127.0.0.1",
    )
    assert port_check.hint == "stop it, or choose another port with --port"
    assert server.message == "no server is running"


def test_an_address_of_another_machine_is_a_failure(machine: HostEnvironment) -> None:
    """This machine cannot listen there."""
    settings = Settings(host="203.0.113.1")
    port, server = check_server(settings, machine, None)
    assert port.level == "failure"
    assert port.message.startswith("cannot listen on 203.0.113.1: ")
    assert "--host" in port.hint
    assert server.message == "no server is running"


def test_an_address_that_does_not_answer_is_a_failure(machine: HostEnvironment) -> None:
    """In each era, with the error."""
    with answering(lambda *_: (404, {}, b"nothing here")) as url:
        results = list(check_server(Settings(), machine, url))
    assert [finding.level for finding in results] == ["failure"] * 2
    assert results[0].subject == "Server, server/discover"
    assert results[0].message == f"{url}: HTTP status 404: nothing here"
