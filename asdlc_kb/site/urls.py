"""Addresses of the site: one function for each kind, all from the root."""

from collections.abc import Iterator, Mapping
from typing import Final, TypeVar
from urllib.parse import quote, unquote, urlsplit

from asdlc_kb.articles.article import Article
from asdlc_kb.attachments.references import INDEX_STEMS

V = TypeVar("V")

HOME: Final = "/"
SEARCH: Final = "/search"
DOCS: Final = "/docs/"
DOCS_INDEX: Final = "/docs/llms.txt"
"""llms.txt of the documentation."""
TAGS: Final = "/tags/"
NAMED: Final = "/articles/"
"""Prefix of addresses by any name of an article; they redirect to the article."""
MAP: Final = "/map"
CONNECT: Final = "/connect"
PROJECTS: Final = "/projects/"
"""Prefix of the pages of projects."""
INSIGHTS: Final = "/insights"
"""Usage statistics, for observers only."""
ASSETS: Final = "/-/"
"""Prefix of asset addresses; no category can have this name."""
DIAGRAMS: Final = "/-/diagrams/"
INDEX: Final = "/llms.txt"
FULL: Final = "/llms-full.txt"
CARD: Final = "/mcp/server-card"
"""The MCP server card."""
RESULTS: Final = "/-/search.json"
"""Search results as JSON, for the script of the pages."""
SEARCH_INDEX: Final = "/search/index.json"
"""The index of a static build, for the script of the pages."""
EVENTS: Final = "/-/events"
"""The live-reload event stream, in development."""

_RESERVED: Final = frozenset(
    "- articles connect docs health insights llms.txt llms-full.txt map mcp metrics "
    "problems projects ready robots.txt search sitemap.xml tags".split()
)
"""First path segments that are reserved: such a category is below `/articles/`."""

_SAFE: Final = "/-._~!$&'*+,=:@"
"""Characters that are not escaped; brackets would end a link in Markdown."""

_APART: Final = "~"
"""Suffix that makes an article's address unique; no article's name has it."""
_PUBLISHED: Final = frozenset({"feed.xml", "index", "llms.txt"})
_SUFFIXES: Final = (".html", ".htm", ".md")
"""Optional suffixes of an address: `.md` for Markdown, the others are ignored."""


def path_prefix(base_url: str | None) -> str:
    """Return the path of a public address, quoted and without a trailing slash."""
    # One leading slash: two would begin a host.
    bare = urlsplit(base_url or "").path.strip("/")
    return f"/{quote(unquote(bare))}" if bare else ""


def of_category(category: str) -> str:
    """Return the address of a category's list."""
    top = NAMED if category in _RESERVED else HOME
    return f"{top}{escape(category)}/"


def of_article(article: Article) -> str:
    """Return the address of an article."""
    return of_name(article.category, article.slug)


def of_name(category: str, slug: str) -> str:
    """Return the address for a category and a slug, existing or not."""
    is_taken = slug in _PUBLISHED or slug.endswith(_SUFFIXES)
    return f"{of_category(category)}{escape(slug)}{_APART if is_taken else ''}"


def of_index_part(digest: str) -> str:
    """Return the address of a part of the index of a static build."""
    return f"{SEARCH_INDEX.rpartition('/')[0]}/{digest}.json"


def of_diagram(name: str, theme: str) -> str:
    """Return the address of a diagram as a picture."""
    return f"{DIAGRAMS}{name}.{theme}.svg"


def of_tag(tag: str) -> str:
    """Return the address of a tag's list; ignores case.

    Slashes and names of dots alone are replaced: browsers treat them as path segments
    even when they are percent-encoded.
    """
    name = tag.casefold().replace("/", "-")
    return f"{TAGS}{escape(name)}{'' if name.strip('.') else _APART}"


def of_page(path: str) -> str:
    """Return the default address of a page: without suffix, the folder of an index."""
    stem, _, name = path.rpartition("/")
    plain = name.rpartition(".")[0]
    if plain.lower() in INDEX_STEMS:
        return f"{of_file(stem)}/" if stem else DOCS
    return of_file(f"{stem}/{plain}" if stem else plain)


def of_file(path: str) -> str:
    """Return the address of a page made of its whole path."""
    return f"{DOCS}{escape(path)}"


def of_index(source: str) -> str:
    """Return the address of llms.txt of a tree; of all of them for the unnamed one."""
    return f"{of_file(source)}/llms.txt" if source else DOCS_INDEX


def of_full_part(number: int) -> str:
    """Return the address of a part of llms-full.txt; they count from 1."""
    return f"/llms-full-{number}.txt"


def of_attachment(name: str) -> str:
    """Return the address of an attachment of articles, by its name."""
    return f"{NAMED}{escape(name)}"


def as_markdown(address: str) -> str:
    """Return the address of a page's Markdown."""
    return f"{address}index.md" if address.endswith("/") else f"{address}.md"


class MarkdownAddresses(Mapping[str, V]):
    """The values of pages by the addresses of their Markdown, which take no memory."""

    def __init__(self, by_address: Mapping[str, V]) -> None:
        """Hold values by the addresses of the pages."""
        self._by_address = by_address

    def find_page(self, address: str) -> str | None:
        """Return the address of the page with this address of its Markdown, or None."""
        for suffix in (".md", "index.md"):
            where = address.removesuffix(suffix)
            if where in self._by_address and as_markdown(where) == address:
                return where
        return None

    def __getitem__(self, address: str) -> V:
        where = self.find_page(address)
        if where is None:
            raise KeyError(address)
        return self._by_address[where]

    def __iter__(self) -> Iterator[str]:
        return map(as_markdown, self._by_address)

    def __len__(self) -> int:
        return len(self._by_address)


def escape(text: str) -> str:
    """Return a path with unsafe characters percent-encoded."""
    return quote(text, safe=_SAFE)


def name_article(path: str) -> str:
    """Return the name of the article that an address can mean; empty if none."""
    bare = path.removeprefix(NAMED) if path.startswith(NAMED) else path[1:]
    bare = bare.removesuffix("/")
    for suffix in _SUFFIXES:
        if bare.endswith(suffix):
            bare = bare.removesuffix(suffix)
            break
    name = unquote(bare.removesuffix(_APART))
    return name if "/" in name or path.startswith(NAMED) else ""


def normalize(path: str) -> str:
    """Return a requested path in canonical encoding; empty if it is invalid."""
    try:
        return escape(unquote(path, errors="strict"))
    except UnicodeDecodeError:
        return ""
