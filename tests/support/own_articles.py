"""The articles of this repository, read without the package, and commands on them."""

import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token
from ruamel.yaml import YAML

ROOT: Final = Path(__file__).parents[2]
CONTENT: Final = ROOT / "content"

_VISIBLE: Final = ("Live", "Experimental")
_MARKDOWN: Final = MarkdownIt("commonmark").enable("table")


class CodeBlock(NamedTuple):
    """A fenced code block."""

    info: tuple[str, ...]
    """Language and marks."""
    code: str
    line: int
    """Its first line in the body, from 1."""
    end: int
    """Its last line."""

    @property
    def language(self) -> str:
        """The language; empty if none is named."""
        return self.info[0] if self.info else ""


@dataclass(frozen=True)
class OwnArticle:
    """An article: its frontmatter as YAML gives it, and its Markdown."""

    id: str
    fields: dict[str, Any]
    body: str

    @property
    def category(self) -> str:
        """The folder."""
        return self.id.partition("/")[0]

    @property
    def is_visible(self) -> bool:
        """Whether it is served."""
        return self.fields.get("status") in _VISIBLE

    @property
    def references(self) -> list[dict[str, Any]]:
        """The references of the frontmatter."""
        references: list[dict[str, Any]] = self.fields.get("references", [])
        return references

    @cached_property
    def tokens(self) -> list[Token]:
        """The body as Markdown tokens."""
        return _MARKDOWN.parse(self.body)

    @cached_property
    def code_blocks(self) -> tuple[CodeBlock, ...]:
        """The fenced code blocks, those in callouts and lists included."""
        return tuple(
            CodeBlock(
                tuple(token.info.split()), token.content, token.map[0] + 1, token.map[1]
            )
            for token in self.tokens
            if token.type == "fence" and token.map
        )

    @cached_property
    def headings(self) -> tuple[str, ...]:
        """The headings, as Markdown."""
        return tuple(
            inline.content
            for opening, inline in pairwise(self.tokens)
            if opening.type == "heading_open"
        )

    @cached_property
    def links(self) -> tuple[str, ...]:
        """The targets of links."""
        return tuple(
            str(child.attrs["href"])
            for token in self.tokens
            for child in token.children or ()
            if child.type == "link_open"
        )

    @property
    def web_addresses(self) -> set[str]:
        """The addresses of other sites that it links or refers to."""
        cited = {str(reference.get("url", "")) for reference in self.references}
        return {a for a in (*self.links, *cited) if a.startswith(("http:", "https:"))}


class Source(NamedTuple):
    """An entry of `content/sources`: what an author read before citing it."""

    file: str
    entry: dict[str, Any]

    @property
    def address(self) -> str:
        """The address that was read."""
        return str(self.entry.get("address", ""))

    @property
    def articles(self) -> tuple[str, ...]:
        """The ids of the articles that cite it."""
        return tuple(self.entry.get("articles", ()))


@cache
def read_own_articles() -> tuple[OwnArticle, ...]:
    """Return every article, hidden or not, sorted by id."""
    return tuple(
        _read(path) for path in sorted(CONTENT.glob("*/*.md")) if path.is_file()
    )


def visible_articles() -> list[OwnArticle]:
    """Return the articles that are served."""
    return [article for article in read_own_articles() if article.is_visible]


@cache
def read_sources() -> tuple[Source, ...]:
    """Return the sources that authors recorded."""
    return tuple(_read_sources())


def run_command(
    *arguments: str | Path,
) -> subprocess.CompletedProcess[str]:
    """Run a command of `asdlc-kb` on the articles, without a configuration file."""
    return subprocess.run(
        (sys.executable, "-m", "asdlc_kb", *arguments, CONTENT),
        cwd=CONTENT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
    )


def _read_sources() -> Iterator[Source]:
    for path in sorted((CONTENT / "sources").glob("*.toml")):
        for entry in tomllib.loads(path.read_text(encoding="utf-8"))["source"]:
            yield Source(path.name, entry)


def _read(path: Path) -> OwnArticle:
    head, body = path.read_text(encoding="utf-8").split("\n---\n", 1)
    fields = YAML(typ="safe").load(head.removeprefix("---\n"))
    return OwnArticle(f"{path.parent.name}/{path.stem}", fields, body)
