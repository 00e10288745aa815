"""Checks of `doctor`: interpreter, sources, port and server. Changes nothing."""

import errno
import os
import platform
import re
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from asdlc_kb import __version__, app
from asdlc_kb.app.certificate import inspect_certificate
from asdlc_kb.app.identity import NAME
from asdlc_kb.app.sources import missing_folder
from asdlc_kb.app.tls import open_tls
from asdlc_kb.articles.unserved import describe_unserved
from asdlc_kb.cli import terminal
from asdlc_kb.cli.check_result import CheckResult, Severity
from asdlc_kb.cli.hidden_count import describe_hidden
from asdlc_kb.cli.server_address import find_address, find_local_address
from asdlc_kb.cli.suggestion import suggest_command
from asdlc_kb.connect.host_environment import HostEnvironment
from asdlc_kb.connect.probe import ProbeStep, probe
from asdlc_kb.connect.server_entry import TOKEN_VARIABLE, ServerAddress
from asdlc_kb.corpus import CorpusSource, SourceKind
from asdlc_kb.docs.unserved import list_notes
from asdlc_kb.exceptions import KnowledgeBaseError, OperationalError, SettingsError
from asdlc_kb.extras import install_command, list_requirements
from asdlc_kb.files.inotify_check import find_limit, find_watch_obstacle
from asdlc_kb.files.problem import Problem
from asdlc_kb.files.tree_listing import find_tree_folders
from asdlc_kb.files.watcher import (
    POLL_SECONDS,
    SWEEP_SECONDS,
    Folders,
    find_folders,
)
from asdlc_kb.project.checks import check_project
from asdlc_kb.project.registry import Project
from asdlc_kb.search.semantic.model_files import require_model
from asdlc_kb.settings import Settings

if TYPE_CHECKING:
    from asdlc_kb.search.index.integrity import IntegrityReport

_FOLDERS: Final[Mapping[SourceKind, Callable[[Path], Folders]]] = {
    "articles": find_folders,
    "docs": find_tree_folders,
}
"""Finder of the watched folders for each kind of source."""

_TOKEN_HINT: Final = f"put your token in {TOKEN_VARIABLE}"


def check_python() -> Iterator[CheckResult]:
    """Report the interpreter, the machine, and the required packages."""
    system = f"{platform.system()} {platform.machine()}"
    version = f"{platform.python_implementation()} {platform.python_version()}"
    yield CheckResult("Python", "ok", f"{version} on {system}")
    installed, missing = [f"asdlc-kb {__version__}"], []
    for requirement in list_requirements():
        name = re.split(r"[^\w.-]", requirement)[0]
        try:
            installed.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            missing.append(name)
    if missing:
        message = f"missing: {', '.join(missing)}"
        yield CheckResult("Packages", "failure", message, install_command())
        return
    yield CheckResult("Packages", "ok", ", ".join(installed))


def check_sources(settings: Settings) -> Iterator[CheckResult]:
    """Report content, change detection and index folder of each source."""
    try:
        sources = app.open_sources(settings)
        app.require_projects(sources.projects)
    except SettingsError as error:
        # Of a file of synonyms: the others are known to be valid.
        hint = "correct the file, or remove the setting"
        yield CheckResult("synonyms", "failure", str(error), hint)
        return
    except OperationalError as error:
        yield CheckResult("Sources", "failure", error.reason, error.advice)
        return
    for indexed in sources.indexed:
        for source in sources.corpus:
            if source.kind == indexed.kind:
                yield from _check_folder(settings, source)
        yield _check_index(settings, indexed)
    if (articles := sources.articles) is not None:
        if note := describe_unserved(articles.root, articles.catalog):
            yield _warn("Articles", note)
    for tree in sources.trees:
        yield from (_warn("Docs", note) for note in list_notes(tree.library))
    for project in sources.projects:
        yield from _check_project(project)


def check_semantic(settings: Settings) -> Iterator[CheckResult]:
    """Report the embedding model, if the settings ask for it."""
    if settings.semantic:
        try:
            yield CheckResult("Semantic search", "ok", require_model().identity)
        except OperationalError as error:
            reason, advice = error.reason, error.advice
            yield CheckResult("Semantic search", "failure", reason, advice)


def _check_folder(settings: Settings, source: CorpusSource) -> Iterator[CheckResult]:
    yield from _check_content(source)
    if source.catalog.snapshot.was_seen:
        yield _check_watching(settings, source)


def _check_content(source: CorpusSource) -> Iterator[CheckResult]:
    subject = source.kind.capitalize()
    source.load()
    if source.catalog.snapshot.is_missing:
        error = missing_folder(source.root)
        yield CheckResult(subject, "failure", error.reason, error.advice)
        return
    served = sum(source.catalog.statuses.values())
    message = f"{served} served, {describe_hidden(source)} ({source.root})"
    yield CheckResult(subject, "ok", message)
    problems = source.catalog.snapshot.all_problems()
    if problems:
        hint = "asdlc-kb check with the same sources lists them"
        yield CheckResult(subject, "warning", _count_problems(problems), hint)


def _count_problems(problems: Sequence[Problem]) -> str:
    files = len({problem.path for problem in problems})
    number = terminal.count_noun(len(problems), "problem")
    return f"{number} in {terminal.count_noun(files, 'file')}"


def _warn(subject: str, note: str) -> CheckResult:
    """Return a note on what of a source is not read."""
    message, _, hint = note.partition(": ")
    return CheckResult(subject, "warning", message, hint)


def _check_project(project: Project) -> Iterator[CheckResult]:
    """Report a project's folder, and its files that strict tools would not read."""
    yield CheckResult("Project", "ok", f"{project.name} ({project.root})")
    problems = list(check_project(project))
    if problems:
        message = f"{project.name}: {_count_problems(problems)}"
        hint = f"asdlc-kb check --project {project.root} lists them"
        yield CheckResult("Project", "warning", message, hint)


def _check_watching(settings: Settings, source: CorpusSource) -> CheckResult:
    subject = f"Watching {source.kind}"
    if settings.poll:
        message = f"polling every {POLL_SECONDS:g} seconds"
        return CheckResult(subject, "ok", message)
    find = _FOLDERS[source.kind]
    obstacle = find_watch_obstacle(source.root, find)
    if obstacle is not None:
        message = f"{obstacle}: changes are noticed within {SWEEP_SECONDS:g} seconds"
        hint = f"--poll checks every {POLL_SECONDS:g} seconds"
        return CheckResult(subject, "warning", message, hint)
    limit = find_limit()
    suffix = "" if limit is None else f" (limit {limit:,})"
    message = f"with file-system events; folders: {len(find(source.root)):,}{suffix}"
    return CheckResult(subject, "ok", message)


def _check_index(settings: Settings, source: app.IndexedSource) -> CheckResult:
    subject = f"Index of {source.kind}"
    folder = app.find_index(settings, source)
    if folder is None:
        return CheckResult(subject, "ok", "in memory")
    place = folder
    while not os.path.exists(place) and place != place.parent:
        place = place.parent
    if place.is_dir() and os.access(place, os.W_OK | os.X_OK):
        return CheckResult(subject, "ok", f"in {folder}")
    report = _inspect_readable(folder, source) if place == folder else None
    if report is not None and report.is_current:
        message = f"in {folder}, read-only: changes are kept in memory"
        return CheckResult(subject, "ok", message)
    if report is not None and report.is_there and report.fault is None:
        message = f"in {folder}, read-only: later changes are read at each start"
        hint = "asdlc-kb index build with the same sources"
        return CheckResult(subject, "warning", message, hint)
    message = f"{place} is not writable: the index is rebuilt at each start"
    hint = "name another folder with --cache-dir"
    return CheckResult(subject, "warning", message, hint)


def _inspect_readable(
    folder: Path, source: app.IndexedSource
) -> "IntegrityReport | None":
    """Return the state of an index that is not writable; None if it is not read."""
    # The engine is loaded for that.
    from asdlc_kb.search.index.integrity import inspect_index
    from asdlc_kb.search.index.read_only_directory import ReadOnlyDirectory

    try:
        ReadOnlyDirectory(folder)
    except OperationalError:
        return None
    return inspect_index(folder, app.open_documents(source).digests())


def check_certificate(settings: Settings) -> Iterator[CheckResult]:
    """Report whether clients will accept the certificate, if there is one."""
    try:
        context = open_tls(settings)
    except KnowledgeBaseError as error:
        yield CheckResult("Certificate", "failure", str(error))
        return
    if context is None or settings.tls_cert is None:
        return
    report = inspect_certificate(context, settings.tls_cert, settings.base_url, time())
    for problem in report.problems:
        hint = "renew it, or correct base_url, and reload the server"
        yield CheckResult("Certificate", "warning", problem, hint)
    if not report.problems:
        yield CheckResult("Certificate", "ok", settings.tls_cert)


def check_bus(settings: Settings) -> Iterator[CheckResult]:
    """Report whether the bus can be used, if there is one."""
    if settings.bus_url is None:
        return
    # Imported late: most servers have no bus.
    from asdlc_kb.app.membership import find_bus_fault

    try:
        fault = find_bus_fault(settings)
    except KnowledgeBaseError as error:
        fault = str(error)
    if fault is None:
        yield CheckResult("Bus", "ok", "it can be used")
    else:
        hint = "correct bus_url, or make that server reachable from this machine"
        yield CheckResult("Bus", "failure", fault, hint)


def check_server(
    settings: Settings, machine: HostEnvironment, url: str | None
) -> Iterator[CheckResult]:
    """Report the owner of the port, and whether the MCP endpoint answers in both eras.

    The endpoint is the given address, `base_url`, or the port.
    """
    local = find_local_address(settings, settings.port)
    steps: tuple[ProbeStep, ...] = ()
    if url is None:
        result, steps = check_port(settings, machine, local)
        yield result
    public = url or (settings.base_url and find_address(settings, settings.port))
    if steps and not public and settings.tls_cert is not None:
        # Clients verify the certificate, too.
        public = local
    if public:
        steps = probe(ServerAddress(public), machine, is_brief=True, is_ours=True)
    if steps:
        yield from _describe_steps(public or local, steps)
    elif settings.mcp_enabled and url is None:
        message = "no server is running"
        hint = f"start one with {suggest_command('serve')}"
        yield CheckResult("Server", "ok", message, hint)


def check_port(
    settings: Settings, machine: HostEnvironment, local: str
) -> tuple[CheckResult, tuple[ProbeStep, ...]]:
    """Return the owner of the port, and the answers if it is our server."""
    subject = f"Port {settings.port}"
    if settings.port == 0:
        return CheckResult(subject, "ok", "a free port is chosen at each start"), ()
    error = _try_port(settings.host, settings.port)
    if error is None:
        return CheckResult(subject, "ok", f"free on {settings.host}"), ()
    if error.errno != errno.EADDRINUSE:
        message = f"cannot listen on {settings.host}: {error.strerror or error}"
        hint = (
            "choose an address of this machine with --host or another port with --port"
        )
        return CheckResult(subject, "failure", message, hint), ()
    # With a public base URL it serves no other host name.
    public = urlsplit(settings.base_url).netloc if settings.base_url else None
    address = ServerAddress(local, host=public, verifies=False)
    steps = probe(address, machine, is_brief=True, is_ours=True)
    name = settings.server_name or NAME
    if any(_is_ours(step, name) for step in steps):
        return CheckResult(subject, "ok", "in use by asdlc-kb"), steps
    if any(_needs_token(step) for step in steps):
        message = f"in use by a server that requires a token on {settings.host}"
        return CheckResult(subject, "warning", message, _TOKEN_HINT), steps
    message = f"in use by another program on {settings.host}"
    hint = "stop it, or choose another port with --port"
    return CheckResult(subject, "failure", message, hint), ()


def _try_port(host: str, port: int) -> OSError | None:
    """Return the error of listening on the port; None if it is free."""
    try:
        for family, kind, protocol, _, address in socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        ):
            with socket.socket(family, kind, protocol) as tried:
                tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                if family == socket.AF_INET6:
                    tried.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                tried.bind(address)
    except OSError as error:
        return error
    return None


def _is_ours(step: ProbeStep, name: str) -> bool:
    server = step.facts.get("server")
    return isinstance(server, dict) and server.get("name") == name


def _needs_token(step: ProbeStep) -> bool:
    return step.facts.get("needsToken") is True


def _describe_steps(
    address: str, steps: tuple[ProbeStep, ...]
) -> Iterator[CheckResult]:
    for step in steps:
        level: Severity = "ok"
        hint = ""
        if _needs_token(step):
            level, hint = "warning", _TOKEN_HINT
        elif not step.is_ok:
            command = suggest_command("connect", "--check")
            level, hint = "failure", f"{command} runs every test"
        message = f"{address}: {step.message}"
        yield CheckResult(f"Server, {step.name}", level, message, hint)
