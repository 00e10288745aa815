"""The two indexes as tantivy knows them: fields, analyzers, rows.

Pages and sections are apart, because how rare a word is among the ones says nothing of
the others. One weighted field holds a page's whole text; the rest serves titles,
phrases, operators and the speller.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from typing import Final

import tantivy
from tantivy import Filter, SchemaBuilder, TextAnalyzerBuilder, Tokenizer

from asdlc_kb.search.document import Document, Section
from asdlc_kb.search.policy import Policy
from asdlc_kb.search.words import normalise

VERSION: Final = 3
"""Raised whenever an index that is kept on disk would be another one."""

_LONGEST: Final = 60
"""Bytes beyond which a run of letters is no word."""
_BREAK: Final = " .\n"
"""Between parts of one field: no phrase reaches over it by chance."""


def _make_analyzer(*, stems: bool) -> tantivy.TextAnalyzer:
    builder = (
        TextAnalyzerBuilder(Tokenizer.simple())
        .filter(Filter.remove_long(_LONGEST))
        .filter(Filter.lowercase())
        .filter(Filter.ascii_fold())
    )
    return (builder.filter(Filter.stemmer("english")) if stems else builder).build()


_WORDS: Final = _make_analyzer(stems=False)
_STEMS: Final = _make_analyzer(stems=True)


def cut(text: str) -> list[str]:
    """Return the words of a normalised text, in lower case and without accents."""
    return _WORDS.analyze(text)


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Return a word as it is indexed."""
    return next(iter(_STEMS.analyze(word)), word)


def _make_pages() -> tantivy.Schema:
    builder = SchemaBuilder()
    for name in ("all", "title", "head", "tags"):
        builder.add_text_field(name, tokenizer_name="stems")
    builder.add_text_field("body", tokenizer_name="stems", index_option="basic")
    builder.add_text_field("words", tokenizer_name="words", index_option="basic")
    for name in ("category", "exact"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("slot", indexed=True, fast=True)
    builder.add_bytes_field("row", stored=True)
    return builder.build()


def _make_sections() -> tantivy.Schema:
    builder = SchemaBuilder()
    for name in ("all", "head"):
        builder.add_text_field(name, tokenizer_name="stems")
    builder.add_text_field("exact", tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("slot", indexed=True, fast=True)
    builder.add_bytes_field("row", stored=True)
    return builder.build()


PAGES: Final = _make_pages()
SECTIONS: Final = _make_sections()


def make_index(schema: tantivy.Schema, path: str | None) -> tantivy.Index:
    """Return a new index, or the one that is at a path."""
    index = tantivy.Index(schema, path=path)
    # Tokenizers belong to the object, not to the files.
    index.register_tokenizer("stems", _STEMS)
    index.register_tokenizer("words", _WORDS)
    return index


def at_slot(schema: tantivy.Schema, slot: int) -> tantivy.Query:
    """Return a query for what belongs to a slot."""
    return tantivy.Query.term_query(schema, "slot", slot)


def at_slots(schema: tantivy.Schema, slots: Iterable[int]) -> tantivy.Query:
    """Return a query for what belongs to any of some slots."""
    return tantivy.Query.term_set_query(schema, "slot", list(slots))


@dataclass(frozen=True, slots=True)
class PageRow:
    """What a page's row gives back."""

    key: str
    title: str
    description: str
    tags: tuple[str, ...]
    category: str


def identify(policy: Policy) -> tuple[str, ...]:
    """Return what tells an index of this schema, engine and policy from others."""
    return str(VERSION), version("tantivy"), policy.identity()


def write_page(slot: int, document: Document, policy: Policy) -> tantivy.Document:
    """Return the row of a page."""
    heads = _BREAK.join(s.heading for s in document.sections if s.heading)
    texts = _BREAK.join(s.text for s in document.sections)
    title, tags, description, heads, texts = map(
        normalise,
        (document.title, " , ".join(document.tags), document.description, heads, texts),
    )
    weighted = (
        *(title,) * policy.title_copies,
        *(tags,) * policy.tag_copies,
        *(description, heads, texts),
    )
    # Where a word stands does not matter to these: each once is quicker.
    body = {*description.split(), *texts.split()}
    words = body.union(title.split(), tags.split(), heads.split())
    row = (
        document.key,
        document.title,
        document.description,
        document.tags,
        document.category,
    )
    fields = {
        "all": _BREAK.join(weighted),
        "title": title,
        "head": heads,
        "tags": tags,
        "body": " ".join(body),
        "words": " ".join(words),
        "category": document.category.casefold(),
        "exact": _name(document.title),
        "slot": slot,
        "row": json.dumps(row).encode(),
    }
    return tantivy.Document.from_dict(fields, PAGES)


def _name(title: str) -> str:
    """Return a whole title or heading as one term."""
    return " ".join(stem(word) for word in cut(normalise(title)))


def write_section(
    slot: int, document: Document, number: int, policy: Policy
) -> tantivy.Document:
    """Return the row of the section of this number."""
    section = document.sections[number]
    parts = [document.title, *(section.heading,) * policy.heading_copies]
    if not number:
        parts += (document.description, " , ".join(document.tags))
    row = (section.heading, section.anchor, section.level, section.line, section.text)
    fields = {
        "all": normalise(_BREAK.join([*parts, section.text])),
        "head": normalise(section.heading),
        "exact": _name(section.heading),
        "slot": slot,
        "row": json.dumps([number, *row]).encode(),
    }
    return tantivy.Document.from_dict(fields, SECTIONS)


def read_page(row: tantivy.Document) -> PageRow:
    """Return what a page's row holds."""
    key, title, description, tags, category = json.loads(_bytes(row))
    return PageRow(key, title, description, tuple(tags), category)


def read_section(row: tantivy.Document) -> tuple[int, Section]:
    """Return the number of a section in its page, and the section."""
    number, *fields = json.loads(_bytes(row))
    return number, Section(*fields)


def _bytes(row: tantivy.Document) -> bytes:
    value = row.get_first("row")
    return bytes(value) if value is not None else b"[]"
