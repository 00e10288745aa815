"""The commands of `asdlc-kb`, each imported when it runs."""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

import click

_Commands: TypeAlias = tuple[click.Command, ...]


def _build() -> _Commands:
    from asdlc_kb.cli.build import build, graph

    return build, graph


def _check() -> _Commands:
    from asdlc_kb.cli.check import check

    return (check,)


def _completion() -> _Commands:
    from asdlc_kb.cli.completion import completion

    return (completion,)


def _config() -> _Commands:
    from asdlc_kb.cli.config import config

    return (config,)


def _connect() -> _Commands:
    from asdlc_kb.cli.connect import connect

    return (connect,)


def _doctor() -> _Commands:
    from asdlc_kb.cli.doctor.command import doctor

    return (doctor,)


def _evaluate() -> _Commands:
    from asdlc_kb.cli.evaluate import evaluate

    return (evaluate,)


def _export() -> _Commands:
    from asdlc_kb.cli.export import export

    return (export,)


def _index() -> _Commands:
    from asdlc_kb.cli.index import index

    return (index,)


def _ingest() -> _Commands:
    from asdlc_kb.cli.ingest import ingest

    return (ingest,)


def _new() -> _Commands:
    from asdlc_kb.cli.new import new

    return (new,)


def _new_token() -> _Commands:
    from asdlc_kb.cli.new_token import token

    return (token,)


def _open() -> _Commands:
    from asdlc_kb.cli.open_site import open_site

    return (open_site,)


def _read() -> _Commands:
    from asdlc_kb.cli.read import list_articles, search, show

    return list_articles, search, show


def _ready() -> _Commands:
    from asdlc_kb.cli.ready import ready

    return (ready,)


def _rules() -> _Commands:
    from asdlc_kb.cli.rules import rules

    return (rules,)


def _serve() -> _Commands:
    from asdlc_kb.cli.serve import serve, stdio

    return serve, stdio


def _source() -> _Commands:
    from asdlc_kb.cli.source import source

    return (source,)


def _stats() -> _Commands:
    from asdlc_kb.cli.stats import stats

    return (stats,)


COMMANDS: Final[Mapping[str, Callable[[], _Commands]]] = {
    "build": _build,
    "check": _check,
    "completion": _completion,
    "config": _config,
    "connect": _connect,
    "doctor": _doctor,
    "eval": _evaluate,
    "export": _export,
    "graph": _build,
    "index": _index,
    "ingest": _ingest,
    "list": _read,
    "new": _new,
    "open": _open,
    "ready": _ready,
    "rules": _rules,
    "search": _read,
    "serve": _serve,
    "show": _read,
    "source": _source,
    "stats": _stats,
    "stdio": _serve,
    "token": _new_token,
}
"""By name, the function that imports the command's module (D-141)."""


SECTIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "Serve": {
        "serve": "Serve CONTENT over HTTP",
        "stdio": "Serve CONTENT over stdin and stdout, for a client that starts this "
        "command",
        "open": "Open the website of the running server in your browser",
        "connect": "Add the server to MCP clients",
        "build": "Write the website of CONTENT to FOLDER as static files",
    },
    "Read": {
        "list": "List visible articles, newest first, then pages in sidebar order",
        "show": "Show the article or page NAME: a slug, category/slug, or a path",
        "search": "Search articles and pages for QUERY, best match first",
        "rules": "Show which instructions apply to a file, nearest first",
        "graph": "Print the graph of related articles in CONTENT",
    },
    "Write": {
        "new": "Create a draft article in CATEGORY of CONTENT; drafts are not served",
        "check": "Report problems in the served files; exit 1 if there are any",
        "eval": "Test search with the queries of FILE; exit 1 if a case fails",
        "index": "Manage the full-text indexes: build, validate, info, invalidate",
    },
    "Store": {
        "ingest": "Write CONTENT and documentation into a store, for servers elsewhere",
        "source": "Manage the sources of a store: list, add, remove, rebuild",
        "export": "Write the visible files of the source NAME of a store to FOLDER",
    },
    "Operate": {
        "doctor": "Check the installation and suggest fixes",
        "ready": "Report whether the running server is ready; exit 1 if not",
        "config": "Show the configuration file, and every setting with its value and "
        "origin",
        "stats": "Summarize a server log: LOGFILE, or standard input",
        "token": "Generate a bearer token for NAME, and its line for "
        "--auth-tokens-file",
        "completion": "Print the completion script for SHELL, by default for yours",
    },
}
"""Commands by the title of their section in the help, and the first sentence of each,
so that the help imports none of them."""


SYNONYMS: Final[Mapping[str, str]] = {
    "create": "new",
    "init": "new",
    "run": "serve",
    "start": "serve",
}
"""Commands by names that they have in other programs."""


def load_command(name: str) -> click.Command:
    """Import a command of `COMMANDS`, and none of another module."""
    return next(command for command in COMMANDS[name]() if command.name == name)
