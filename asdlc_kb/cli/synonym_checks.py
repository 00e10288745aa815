"""Checks of `asdlc-kb check --synonyms`: rules that have no effect."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from asdlc_kb.app import ConfiguredSources, open_documents
from asdlc_kb.files.problem import Problem

CODES: Final[Mapping[str, str]] = {
    "KB060": "a line of the synonyms of which no visible text has a word",
}
"""Every code that is reported here, with its meaning. They are warnings."""


def check_synonyms(
    sources: ConfiguredSources, name: str | None
) -> Iterator[tuple[Path, Problem]]:
    """Yield the folder and the lines of a file of synonyms that find nothing visible.

    `sources` have its rules.
    """
    if name is None:
        return
    from asdlc_kb.search.unmatched_synonyms import find_unmatched

    file = Path(name).absolute()
    documents = map(open_documents, sources.indexed)
    for rule in find_unmatched(sources.synonyms, documents):
        words = ", ".join(f"'{phrase}'" for phrase in rule.searched)
        message = f"no visible text has {words}: correct or remove the line"
        yield file.parent, Problem(file.name, rule.line, 1, "KB060", message)
