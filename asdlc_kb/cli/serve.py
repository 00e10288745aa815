"""The commands `serve` and `stdio`."""

import logging
import os
import shlex
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from asdlc_kb import __version__, app
from asdlc_kb.articles.unserved import describe_unserved
from asdlc_kb.cli.config_file import warn_of_unread
from asdlc_kb.cli.hidden_count import describe_hidden
from asdlc_kb.cli.options import CommandSettings, settings_options
from asdlc_kb.cli.server_address import find_address
from asdlc_kb.cli.standard_streams import STORAGE_FAULTS, discard_output
from asdlc_kb.cli.suggestion import suggest_command
from asdlc_kb.cli.terminal import (
    HelpCommand,
    display_path,
    escape,
    has_styles,
    warn,
)
from asdlc_kb.corpus import CorpusSource
from asdlc_kb.exceptions import SettingsError
from asdlc_kb.ops.logs import structured
from asdlc_kb.ops.logs.structured import LogForm
from asdlc_kb.ops.process.systemd import SystemdNotifier
from asdlc_kb.ops.telemetry import Telemetry
from asdlc_kb.project.registry import Project
from asdlc_kb.settings import Settings

if TYPE_CHECKING:
    from asdlc_kb.app.store_sources import Store

logger = logging.getLogger(__name__)

_HEADER: Final = ' --header "Authorization: Bearer TOKEN"'
"""Further option of the connect command, where tokens are required."""


@click.command(cls=HelpCommand)
@settings_options(without="include_home")
def serve(given: CommandSettings) -> int | None:
    """Serve CONTENT over HTTP."""
    settings, file = given.settings, given.file
    banner: Callable[[app.Runtime, int], str]
    announce: Callable[[str], None]
    banner, announce = partial(startup_banner, file=file.path), print_banner
    if settings.log_format == "json":
        banner, announce = _find_website, _log_start
    reader = partial(_read_checked, given)
    telemetry = Telemetry()
    # The parent of workers answers no requests, and forks.
    access_log = telemetry.access_log if settings.workers == 1 else None
    form = _choose_log_form(settings)
    structured.configure(settings.log_level, access_log, form=form)
    if file.path is not None:
        logger.info("configuration file", extra={"file": file.describe()})
    file.require_private()
    app.require_own_insights(settings)
    if settings.workers > 1:
        from asdlc_kb.app.workers import WorkerParent

        parent = WorkerParent(settings, reader, banner, announce, form)
        return parent.run()
    telemetry = app.add_recorder(telemetry, settings)
    membership = None
    if settings.bus_url is not None or settings.session_key_file is not None:
        # Imported late: a single process needs none of it.
        from asdlc_kb.app.membership import open_membership

        membership = open_membership(settings, telemetry.metrics)
    notifier = SystemdNotifier(os.environ)
    with notifier.staying_alive():
        store = _open_store(settings)
    built = app.build(
        settings,
        store=store,
        sessions=None if membership is None else membership.sessions,
        telemetry=telemetry,
    )

    def announce_port(port: int) -> None:
        announce(banner(built, port))

    app.run(app.serve(built, announce_port, reader, membership, notifier))
    return None


@click.command(cls=HelpCommand)
@settings_options(
    "docs",
    "dialect",
    "language",
    "project",
    "store",
    "store_source",
    "store_max_age",
    "include_home",
    "poll",
    "cache_dir",
    "max_search_results",
    "snippet_length",
    "changelog",
    "synonyms",
    "semantic",
    "max_body",
    "missing_grace",
    "max_files",
    "title",
    "server_name",
    "wait",
    "instructions",
    "topics",
    "chatgpt_tools",
    "tool_errors",
    "structured_results",
    "dev",
    "log_level",
    "log_format",
    "log_queries",
    "otel",
    finds_file=False,
)
def stdio(given: CommandSettings) -> None:
    """Serve CONTENT over stdin and stdout, for a client that starts this command.

    A configuration file and a content folder in the working directory, which is the
    client's open project, are read only if they are named.
    """
    sink = app.claim_stdout()
    telemetry = Telemetry()
    settings = given.settings
    form = _choose_log_form(settings)
    structured.configure(settings.log_level, telemetry.access_log, form=form)
    if given.file.path is None:
        warn_of_unread()
    if sys.stdin.isatty():
        command = suggest_command("connect", "--stdio")
        warn(f"waiting for an MCP client on stdin: connect one with '{command}'")
    telemetry = app.add_recorder(telemetry, settings)
    store = _open_store(settings)
    built = app.build(settings, is_local=True, telemetry=telemetry, store=store)
    app.run(app.serve_stdio(built, 0, sink))


def _open_store(settings: Settings) -> "Store | None":
    """Return the store of the settings, mirrored on disk; None without one."""
    if settings.store is None:
        if settings.store_source:
            raise SettingsError("store_source names sources of a store: add --store")
        return None
    # Imported late: folders are served without it.
    from asdlc_kb.app.store_sources import open_store

    return open_store(settings)


def _choose_log_form(settings: Settings) -> LogForm:
    """Return how log lines are written: for people on a terminal, else as JSON."""
    log_format = settings.log_format
    if log_format == "auto":
        log_format = "text" if sys.stderr.isatty() else "json"
    if log_format == "json":
        return "json"
    return "colored text" if has_styles(err=True) else "text"


def _read_checked(given: CommandSettings) -> Settings:
    """Return the present settings; raise OperationalError if others can change them."""
    again = given.read_again()
    again.file.require_private()
    return again.settings


def _find_website(built: app.Runtime, port: int) -> str:
    """Return the address of the website."""
    return find_address(built.settings, port).removesuffix("mcp")


def _log_start(url: str) -> None:
    """Log the address instead of the banner, so that all lines are JSON."""
    logger.info("serving", extra={"url": url})


def print_banner(text: str) -> None:
    """Print the banner; serve without it if the disk of the output is full."""
    try:
        click.echo(text)
    except OSError as error:
        if error.errno not in STORAGE_FAULTS:
            raise
        discard_output()
        logger.warning("banner not printed", extra={"reason": error.strerror})


def startup_banner(built: app.Runtime, port: int, file: Path | None = None) -> str:
    """Return the banner: addresses, sources, and the command to connect a client."""
    settings = built.settings
    address = escape(find_address(settings, port))
    website = f"  Website   {escape(_find_website(built, port))}\n"
    sources = ""
    if (articles := built.sources.articles) is not None:
        sources += f"  {_describe(articles)}\n"
    for tree in built.sources.trees:
        editions = tree.library.configuration.editions.describe()
        line = _describe(tree.library, tree.name)
        sources += f"  {line}{f'; {escape(editions)}' if editions else ''}\n"
    sources += "".join(
        f"  {_describe_project(project)}\n" for project in built.sources.projects
    )
    sources += "".join(f"  Note      {note}\n" for note in _list_notes(built))
    if file is not None:
        sources += f"  Settings  {escape(str(file.absolute()))}\n"
    if not settings.mcp_enabled:
        off = f"asdlc-kb {__version__}\n  MCP       off\n{website}{sources}"
        return off.rstrip("\n")
    return (
        f"asdlc-kb {__version__}\n"
        f"  MCP       {address}\n"
        f"{website}"
        f"{sources}"
        f"  Connect   claude mcp add --transport http --scope user "
        f"{_entry(built)} {address}"
        f"{_HEADER if built.admission.bearer is not None else ''}"
    )


def _list_notes(built: app.Runtime) -> Iterator[str]:
    """Yield what the operator should know; of an empty folder, what to do."""
    yield from built.sources.notes
    for source in built.corpus:
        if note := source.catalog.snapshot.seen.note:
            yield f"{source.kind}: {note}"
    for tree in built.sources.trees:
        # Imported late: documentation is an optional source.
        from asdlc_kb.docs.unserved import describe_unserved as describe_unserved_docs

        if hint := describe_unserved_docs(tree.library.root, tree.library.catalog):
            yield hint
    articles = built.sources.articles
    if articles is None or articles.catalog.articles:
        return
    if hint := describe_unserved(articles.root, articles.catalog):
        yield hint
    elif not articles.catalog.snapshot.entries:
        folder = shlex.quote(str(display_path(articles.root)))
        yield (
            "no article yet: write CATEGORY/NAME.md with a title and 'status: Live' in "
            "its frontmatter, or begin with "
            f"'asdlc-kb new concepts \"A title\" {folder}'"
        )


def _entry(built: app.Runtime) -> str:
    """Return the name of the server's entry in clients."""
    return app.identify_server(built.settings, built.sources).entry


def _describe(source: CorpusSource, name: str = "") -> str:
    """Return the banner's line of a source; `name` is that of a tree."""
    served = sum(source.catalog.statuses.values())
    hidden = describe_hidden(source)
    root = escape(str(source.root))
    kind = f"{source.kind.capitalize():9}"
    kind += f" {escape(name)}:" if name else ""
    if file := source.recognized_by:
        pages = "page" if served == 1 else "pages"
        return f"{kind} {served} {pages} of {root} ({escape(file)}), {hidden}"
    return f"{kind} {served} served, {hidden} ({root})"


def _describe_project(project: Project) -> str:
    """Return the banner's line of a project."""
    return f"{'Project':9} {escape(project.name)} ({escape(str(project.root))})"
