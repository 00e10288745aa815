"""Tantivy schemas of the page and the section index: fields, analyzers, rows.

Pages and sections have separate indexes, because document frequencies differ between
them. One weighted field holds a page's whole text; the others serve titles, phrases,
operators and the speller.
"""

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Final

import msgspec
import tantivy
from tantivy import SchemaBuilder

from asdlc_kb.search.analyzer import BLANKS, Stems, tokenize, tokenize_long
from asdlc_kb.search.languages import find_stemmer
from asdlc_kb.search.policy import IndexPolicy
from asdlc_kb.search.values import IndexedSection, SearchDocument

VERSION: Final = 9
"""Incremented whenever the content of an index on disk changes."""

_SECTION_ROWS: Final = msgspec.json.Decoder(tuple[int, str, str, int, int, str])
"""Decodes the stored row of a section, several times as fast as `json`."""

_PRETOKENIZED: Final = "cut"
"""Tokenizer name of fields that hold terms separated by blanks."""


def _make_pages() -> tantivy.Schema:
    builder = SchemaBuilder()
    for name in ("all", "title", "head", "tags"):
        builder.add_text_field(name, tokenizer_name=_PRETOKENIZED)
    builder.add_text_field("body", tokenizer_name=_PRETOKENIZED, index_option="basic")
    builder.add_text_field("words", tokenizer_name=_PRETOKENIZED, index_option="basic")
    for name in ("category", "exact", "stemmer"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("slot", indexed=True, fast=True)
    builder.add_bytes_field("row", stored=True)
    return builder.build()


def _make_sections() -> tantivy.Schema:
    builder = SchemaBuilder()
    for name in ("all", "head"):
        builder.add_text_field(name, tokenizer_name=_PRETOKENIZED)
    for name in ("exact", "stemmer"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("slot", indexed=True, fast=True)
    builder.add_bytes_field("row", stored=True)
    return builder.build()


PAGES: Final = _make_pages()
SECTIONS: Final = _make_sections()


def make_index(schema: tantivy.Schema, path: str | None) -> tantivy.Index:
    """Create an index, or open the one at a path."""
    index = tantivy.Index(schema, path=path)
    # Otherwise a thread of the engine reloads it some time after each change, and then
    # creates a lock file in its folder, which may be about to be deleted.
    index.config_reader("manual")
    # Tokenizers belong to the object, not to the files.
    index.register_tokenizer(_PRETOKENIZED, BLANKS)
    return index


def slot_query(schema: tantivy.Schema, slot: int) -> tantivy.Query:
    """Return a query for the rows of a slot."""
    return tantivy.Query.term_query(schema, "slot", slot)


def slots_query(schema: tantivy.Schema, slots: Iterable[int]) -> tantivy.Query:
    """Return a query for the rows of some slots."""
    return tantivy.Query.term_set_query(schema, "slot", list(slots))


def in_languages(
    schema: tantivy.Schema, query: tantivy.Query, stemmers: Collection[str]
) -> tantivy.Query:
    """Restrict a query to the documents of some stemmers; without any, do not."""
    if not stemmers:
        return query
    languages = [
        (
            tantivy.Occur.Should,
            tantivy.Query.term_query(schema, "stemmer", stemmer, index_option="basic"),
        )
        for stemmer in stemmers
    ]
    unscored = tantivy.Query.const_score_query(
        tantivy.Query.boolean_query(languages), 0.0
    )
    return tantivy.Query.boolean_query(
        [(tantivy.Occur.Must, query), (tantivy.Occur.Must, unscored)]
    )


@dataclass(frozen=True, slots=True)
class PageRow:
    """The stored fields of a page."""

    key: str
    title: str
    description: str
    tags: tuple[str, ...]
    category: str
    language: str
    folders: tuple[str, ...]


def index_identity(policy: IndexPolicy) -> tuple[str, ...]:
    """Return the versions of schema, engine and policy that an index depends on."""
    return str(VERSION), tantivy.tantivy.__version__, policy.identity()


class Rows:
    """Builds the rows of documents."""

    def __init__(self, policy: IndexPolicy) -> None:
        self._policy = policy
        self._stems: dict[str, Stems] = {}

    def write(
        self, slot: int, document: SearchDocument
    ) -> tuple[tantivy.Document, list[tantivy.Document]]:
        """Return the row of a page, and those of its sections."""
        stemmer = find_stemmer(document.language)
        if stemmer not in self._stems:
            self._stems[stemmer] = Stems(stemmer)
        parts = _Parts(document, stemmer, self._stems[stemmer])
        page = _write_page(slot, document, parts, self._policy)
        return page, [
            _write_section(slot, section, number, parts, self._policy)
            for number, section in enumerate(document.sections)
        ]


class _Parts:
    """The tokens and stems of the parts of a document, each tokenized once."""

    def __init__(self, document: SearchDocument, stemmer: str, stems: Stems) -> None:
        self.stemmer = stemmer
        sections = document.sections
        title = tokenize(document.title)
        tags = list(chain.from_iterable(map(tokenize, document.tags)))
        path = tokenize(document.path)
        aliases = list(chain.from_iterable(map(tokenize, document.aliases)))
        heads = [tokenize(section.heading) for section in sections]
        description = tokenize_long(document.description)
        texts = [tokenize_long(section.text) for section in sections]
        self.title = stems.join(title)
        self.tags = stems.join(tags)
        self.path = stems.join(path)
        name = document.path.rpartition("/")[2]
        names = (document.title, name, *document.aliases)
        self.names = [stems.join(tokenize(each)) for each in names if each]
        self.aliases = stems.join(aliases)
        self.heads = [stems.join(words) for words in heads]
        self.description = stems.join(description)
        self.texts = [stems.join(words) for words in texts]
        # These fields have no positions: distinct words are faster.
        body = set(description).union(*texts)
        self.body = stems.join(body)
        self.words = " ".join(body.union(title, tags, aliases, path, *heads))


def _write_page(
    slot: int, document: SearchDocument, parts: _Parts, policy: IndexPolicy
) -> tantivy.Document:
    weighted = (
        *(parts.title,) * policy.title_copies,
        *(parts.tags, parts.aliases) * policy.tag_copies,
        *(parts.path,) * policy.path_copies,
        *(parts.description, *parts.heads, *parts.texts),
    )
    row = (
        document.key,
        document.title,
        document.description,
        document.tags,
        document.category,
        document.language,
        document.folders,
    )
    fields = {
        "all": " ".join(weighted),
        "title": parts.title,
        "head": " ".join(parts.heads),
        "tags": parts.tags,
        "body": parts.body,
        "words": parts.words,
        "category": list(
            dict.fromkeys((document.category.casefold(), *document.folders))
        ),
        "exact": list(dict.fromkeys(parts.names)),
        "stemmer": parts.stemmer,
        "slot": slot,
        "row": json.dumps(row).encode(),
    }
    return tantivy.Document.from_dict(fields, PAGES)


def _write_section(
    slot: int, section: IndexedSection, number: int, parts: _Parts, policy: IndexPolicy
) -> tantivy.Document:
    heading = parts.heads[number]
    texts = [parts.title, *(heading,) * policy.heading_copies]
    if not number:
        texts += (parts.description, parts.tags, parts.aliases)
        texts += (parts.path,) * policy.path_copies
    row = (
        number,
        *(section.heading, section.anchor, section.level, section.line),
        section.text,
    )
    fields = {
        "all": " ".join([*texts, parts.texts[number]]),
        "head": heading,
        "exact": heading,
        "stemmer": parts.stemmer,
        "slot": slot,
        "row": json.dumps(row).encode(),
    }
    return tantivy.Document.from_dict(fields, SECTIONS)


def read_page(row: tantivy.Document) -> PageRow:
    """Decode the row of a page."""
    key, title, description, tags, *place = json.loads(_stored_row(row))
    category, language, folders = place
    return PageRow(
        key, title, description, tuple(tags), category, language, tuple(folders)
    )


def read_section(row: tantivy.Document) -> tuple[int, IndexedSection]:
    """Decode the row of a section; return its number in the page, and the section."""
    number, heading, anchor, level, line, text = _SECTION_ROWS.decode(_stored_row(row))
    return number, IndexedSection(heading, anchor, level, line, text)


def _stored_row(row: tantivy.Document) -> bytes:
    value = row.get_first("row")
    return bytes(value) if value is not None else b"[]"
