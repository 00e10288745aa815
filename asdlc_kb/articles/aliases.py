"""Aliases of an article: further names by which it is found as by its tags (D-191).

Aliases that are addresses are former ones, at which the article is still found. Both
are read from the metadata, where they also stay. Codes:

- KB019 an alias is not searched: not a string, empty, too long, or one too many
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from asdlc_kb.files.problem import Problem
from asdlc_kb.frontmatter import nodes
from asdlc_kb.frontmatter.search_terms import (
    MAX_TERM_CHARS,
    MAX_TERMS,
    is_address,
    select_terms,
)
from asdlc_kb.unicode.invisible import strip_invisible

FIELD: Final = "aliases"


def read_aliases(metadata: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the aliases in the metadata of an article; `a, b` is a list too."""
    return select_terms(_list_texts(metadata))


def read_former_addresses(metadata: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the former addresses among the aliases, within the limits of terms."""
    texts = (text for text in _list_texts(metadata) if len(text) <= MAX_TERM_CHARS)
    return tuple(islice(filter(is_address, texts), MAX_TERMS))


def _list_texts(metadata: Mapping[str, Any]) -> Iterator[str]:
    """Yield the texts of the field that are not empty."""
    value = metadata.get(FIELD)
    texts: Sequence[object] = ()
    if isinstance(value, str):
        texts = value.split(",")
    elif isinstance(value, list):
        texts = value
    words = (" ".join(text.split()) for text in texts if isinstance(text, str))
    return filter(None, words)


def check_aliases(path: str, value: nodes.Value) -> Iterator[Problem]:
    """Yield what is not searched of the aliases in a file's frontmatter."""
    if isinstance(value, nodes.Scalar):
        if value.is_null:
            return
        texts = [(text, value) for text in value.text.split(",")]
    elif isinstance(value, nodes.Sequence):
        texts = [(i.text, i) for i in value.items if isinstance(i, nodes.Scalar)]
        if len(texts) < len(value.items):
            yield _problem(path, value, "write each alias as a string: [a, b]")
    else:
        yield _problem(path, value, "aliases must be a list of strings: [a, b]")
        return
    terms: dict[str, None] = {}
    for text, node in texts:
        term = " ".join(strip_invisible(text).split())
        if not term or (isinstance(value, nodes.Sequence) and node.is_null):
            yield _problem(path, node, "an alias is empty: remove it")
        elif len(term) > MAX_TERM_CHARS:
            message = (
                f"an alias has {len(term)} characters and is not searched: "
                f"at most {MAX_TERM_CHARS}"
            )
            yield _problem(path, node, message)
        elif not is_address(term):
            terms[term] = None
    if len(terms) > MAX_TERMS:
        message = f"{len(terms)} aliases: only the first {MAX_TERMS} are searched"
        yield _problem(path, value, message)


def _problem(path: str, where: nodes.Value, message: str) -> Problem:
    return Problem(path, where.line, where.column, "KB019", message)
