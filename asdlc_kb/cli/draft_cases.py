"""The command `eval draft`: cases to judge, from the queries of an access log."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from typing import BinaryIO, Final

import click

from asdlc_kb.cli import terminal
from asdlc_kb.cli.options import CommandSettings, settings_options
from asdlc_kb.cli.search_sources import FoundItem, SearchQuery, SourceSearch
from asdlc_kb.cli.sources import open_sources
from asdlc_kb.cli.terminal import HelpCommand
from asdlc_kb.exceptions import KnowledgeBaseError
from asdlc_kb.ops.insights.log_report import LogReport
from asdlc_kb.search.policy import MAX_QUERY_CHARS

_RESULTS: Final = 5
"""Results of a query that are shown, of each source."""

_UNPRINTABLE: Final = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Characters that a string of TOML must not have, or that a terminal escapes."""

_HEAD: Final = """\
# Cases for asdlc-kb eval. Write what answers each query into must_include: the
# category/slug of an article, the path of a page. Delete queries that do not matter.
# A case without must_include is not judged."""


@click.command("draft", cls=HelpCommand)
@click.argument("log", type=click.File("rb"), help="Log of a server, or - for stdin")
@settings_options("docs", "dialect", "language", "cache_dir", "max_files")
@click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    metavar="N",
    default=50,
    show_default=True,
    help="Maximum number of queries",
)
def draft(given: CommandSettings, log: BinaryIO, limit: int) -> None:
    """Write cases for eval from the most frequent queries of LOG, or of - for stdin.

    The server must have run with --log-queries. The first results of each query are
    comments.
    """
    statistics = LogReport(limit)
    statistics.read(log)
    if not statistics.has_queries:
        raise KnowledgeBaseError(
            f"{log.name}: no queries in this log: start the server with --log-queries"
        )
    counted = [
        (query.strip(), times)
        for query, times in statistics.queries
        if 0 < len(query.strip()) <= MAX_QUERY_CHARS
    ]
    sources = open_sources(given.settings)
    with closing(SourceSearch(sources, given.settings)) as finder:
        terminal.report(None, _write_cases(counted, finder), as_json=False)


def _write_cases(
    counted: Iterable[tuple[str, int]], finder: SourceSearch
) -> Iterator[str]:
    """Yield the lines of a file of cases."""
    yield from _HEAD.splitlines()
    for query, times in counted:
        found = finder.find(SearchQuery(query, _RESULTS))
        items = [item for findings in found for item in findings.items]
        yield from _write_case(query, times, items)


def _write_case(query: str, times: int, items: Sequence[FoundItem]) -> Iterator[str]:
    asked = "once" if times == 1 else f"{times:,} times"
    yield from ("", f"# Asked {asked}.{'' if items else ' No results.'}", "[[case]]")
    yield f"query = {_quote(query)}"
    for number, item in enumerate(items, 1):
        title = terminal.escape(item.entry.title)
        yield f"# {number}. {terminal.escape(item.name)}: {title}"
    yield "must_include = []"


def _quote(text: str) -> str:
    """Return a text as a string of TOML."""
    # A lone surrogate is in no string of TOML.
    text = text.encode("utf-8", "replace").decode()
    quoted = json.dumps(text, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)
