"""Checks of the store that a server would serve."""

from collections.abc import Iterator

from asdlc_kb.cli import terminal
from asdlc_kb.cli.check_result import CheckResult
from asdlc_kb.cli.source import read_sources
from asdlc_kb.exceptions import KnowledgeBaseError
from asdlc_kb.settings import Settings


def check_store(settings: Settings) -> Iterator[CheckResult]:
    """Report whether the store can be read, and what a server has of it."""
    try:
        stored = {each.name for each in read_sources(settings)}
    except KnowledgeBaseError as error:
        yield CheckResult("Store", "failure", str(error))
        return
    if not stored:
        hint = "write some into it with asdlc-kb ingest"
        yield CheckResult("Store", "failure", "it has no source", hint)
        return
    served = stored.intersection(settings.store_source) or stored
    names = terminal.escape(", ".join(sorted(served)))
    message = f"{terminal.count_noun(len(served), 'source')}: {names}"
    yield CheckResult("Store", "ok", message)
    for name in settings.store_source:
        if name not in stored:
            hint = "write it with asdlc-kb ingest, or correct --store-source"
            yield CheckResult("Store", "warning", f"no source '{name}'", hint)
