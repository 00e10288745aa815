"""The two indexes as tantivy knows them: fields, analyzers, rows.

Pages and sections are apart, because how rare a word is among the ones says nothing of
the others. One weighted field holds a page's whole text; the rest serves titles,
phrases, operators and the speller.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Final

import tantivy
from tantivy import SchemaBuilder

from asdlc_kb.search.analyzer import BLANKS, Stems, tokenize, tokenize_long
from asdlc_kb.search.policy import SearchPolicy
from asdlc_kb.search.values import IndexedSection, SearchDocument

VERSION: Final = 6
"""Raised whenever an index that is kept on disk would be another one."""

_CUT: Final = "cut"
"""How the engine knows fields whose texts are terms with blanks between them."""


def _make_pages() -> tantivy.Schema:
    builder = SchemaBuilder()
    for name in ("all", "title", "head", "tags"):
        builder.add_text_field(name, tokenizer_name=_CUT)
    builder.add_text_field("body", tokenizer_name=_CUT, index_option="basic")
    builder.add_text_field("words", tokenizer_name=_CUT, index_option="basic")
    for name in ("category", "exact"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("slot", indexed=True, fast=True)
    builder.add_bytes_field("row", stored=True)
    return builder.build()


def _make_sections() -> tantivy.Schema:
    builder = SchemaBuilder()
    for name in ("all", "head"):
        builder.add_text_field(name, tokenizer_name=_CUT)
    builder.add_text_field("exact", tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("slot", indexed=True, fast=True)
    builder.add_bytes_field("row", stored=True)
    return builder.build()


PAGES: Final = _make_pages()
SECTIONS: Final = _make_sections()


def make_index(schema: tantivy.Schema, path: str | None) -> tantivy.Index:
    """Return a new index, or the one that is at a path."""
    index = tantivy.Index(schema, path=path)
    # Else a thread of the engine reads it anew some time after each change, and makes a
    # lock in its folder then, which may be about to be deleted.
    index.config_reader("manual")
    # Tokenizers belong to the object, not to the files.
    index.register_tokenizer(_CUT, BLANKS)
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


def index_identity(policy: SearchPolicy) -> tuple[str, ...]:
    """Return what tells an index of this schema, engine and policy from others."""
    return str(VERSION), tantivy.tantivy.__version__, policy.identity()


class Rows:
    """Makes the rows of documents, one after the other."""

    def __init__(self, policy: SearchPolicy) -> None:
        self._policy = policy
        self._stems = Stems()

    def write(
        self, slot: int, document: SearchDocument
    ) -> tuple[tantivy.Document, list[tantivy.Document]]:
        """Return the row of a page, and those of its sections."""
        parts = _Parts(document, self._stems)
        page = _write_page(slot, document, parts, self._policy)
        return page, [
            _write_section(slot, section, number, parts, self._policy)
            for number, section in enumerate(document.sections)
        ]


class _Parts:
    """The words of the parts of a document, each part cut once, and their stems."""

    def __init__(self, document: SearchDocument, stems: Stems) -> None:
        sections = document.sections
        title = tokenize(document.title)
        tags = list(chain.from_iterable(map(tokenize, document.tags)))
        heads = [tokenize(section.heading) for section in sections]
        description = tokenize_long(document.description)
        texts = [tokenize_long(section.text) for section in sections]
        self.title = stems.join(title)
        self.tags = stems.join(tags)
        self.heads = [stems.join(words) for words in heads]
        self.description = stems.join(description)
        self.texts = [stems.join(words) for words in texts]
        # Where a word stands does not matter to these: each once is quicker.
        body = set(description).union(*texts)
        self.body = stems.join(body)
        self.words = " ".join(body.union(title, tags, *heads))


def _write_page(
    slot: int, document: SearchDocument, parts: _Parts, policy: SearchPolicy
) -> tantivy.Document:
    weighted = (
        *(parts.title,) * policy.title_copies,
        *(parts.tags,) * policy.tag_copies,
        *(parts.description, *parts.heads, *parts.texts),
    )
    row = (
        document.key,
        document.title,
        document.description,
        document.tags,
        document.category,
    )
    fields = {
        "all": " ".join(weighted),
        "title": parts.title,
        "head": " ".join(parts.heads),
        "tags": parts.tags,
        "body": parts.body,
        "words": parts.words,
        "category": document.category.casefold(),
        "exact": parts.title,
        "slot": slot,
        "row": json.dumps(row).encode(),
    }
    return tantivy.Document.from_dict(fields, PAGES)


def _write_section(
    slot: int, section: IndexedSection, number: int, parts: _Parts, policy: SearchPolicy
) -> tantivy.Document:
    heading = parts.heads[number]
    texts = [parts.title, *(heading,) * policy.heading_copies]
    if not number:
        texts += (parts.description, parts.tags)
    row = (
        number,
        *(section.heading, section.anchor, section.level, section.line),
        section.text,
    )
    fields = {
        "all": " ".join([*texts, parts.texts[number]]),
        "head": heading,
        "exact": heading,
        "slot": slot,
        "row": json.dumps(row).encode(),
    }
    return tantivy.Document.from_dict(fields, SECTIONS)


def read_page(row: tantivy.Document) -> PageRow:
    """Return what a page's row holds."""
    key, title, description, tags, category = json.loads(_bytes(row))
    return PageRow(key, title, description, tuple(tags), category)


def read_section(row: tantivy.Document) -> tuple[int, IndexedSection]:
    """Return the number of a section in its page, and the section."""
    number, *fields = json.loads(_bytes(row))
    return number, IndexedSection(*fields)


def _bytes(row: tantivy.Document) -> bytes:
    value = row.get_first("row")
    return bytes(value) if value is not None else b"[]"
