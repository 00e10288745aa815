"""Where everything is: one function for each kind of address, all from the root."""

from typing import Final
from urllib.parse import quote, unquote

from asdlc_kb.articles.article import Article

HOME: Final = "/"
SEARCH: Final = "/search"
DOCS: Final = "/docs/"
DOCS_INDEX: Final = "/docs/llms.txt"
"""The list of all pages of documentation, for language models."""
TAGS: Final = "/tags/"
NAMED: Final = "/articles/"
"""Below it, any name of an article leads to the article."""
MAP: Final = "/map"
CONNECT: Final = "/connect"
ASSETS: Final = "/-/"
"""What the addresses of assets begin with; no category is called so."""
INDEX: Final = "/llms.txt"
FULL: Final = "/llms-full.txt"
CARD: Final = "/mcp/server-card"
"""What tells programs that there is an MCP server."""
RESULTS: Final = "/-/search.json"
"""What a search found, for the script of the pages."""
EVENTS: Final = "/-/events"
"""In development: what pages listen to."""

_RESERVED: Final = frozenset(
    "- articles connect docs health llms.txt llms-full.txt map mcp metrics problems "
    "ready robots.txt search sitemap.xml tags".split()
)
"""First parts of a path that are not a category's: such a one is below `/articles/`."""

_SAFE: Final = "/-._~!$&'*+,=:@"
"""What stands in an address as it is; brackets would end a link in Markdown."""

_APART: Final = "~"
"""No article's name has it: behind one it makes an address that nothing else has."""
_PUBLISHED: Final = frozenset({"feed.xml", "index", "llms.txt"})
_SUFFIXES: Final = (".html", ".htm", ".md")
"""What may stand behind an address: `.md` for Markdown, the others for nothing."""


def of_category(category: str) -> str:
    """Return where a category is listed."""
    top = NAMED if category in _RESERVED else HOME
    return f"{top}{escape(category)}/"


def of_article(article: Article) -> str:
    """Return where an article is."""
    return of_name(article.category, article.slug)


def of_name(category: str, slug: str) -> str:
    """Return where the article of a category and a slug is, if there is one."""
    is_taken = slug in _PUBLISHED or slug.endswith(_SUFFIXES)
    return f"{of_category(category)}{escape(slug)}{_APART if is_taken else ''}"


def of_tag(tag: str) -> str:
    """Return where a tag's articles are listed; case does not matter.

    A slash would be a folder, and dots alone a way up: browsers take them so even where
    they are percent-encoded.
    """
    name = tag.casefold().replace("/", "-")
    return f"{TAGS}{escape(name)}{'' if name.strip('.') else _APART}"


def of_page(path: str) -> str:
    """Return where a page of documentation is: without suffix, a folder's as itself."""
    stem, _, name = path.rpartition("/")
    plain = name.rpartition(".")[0]
    if plain.lower() in ("index", "readme", "_index"):
        return f"{of_file(stem)}/" if stem else DOCS
    return of_file(f"{stem}/{plain}" if stem else plain)


def of_file(path: str) -> str:
    """Return where a page of documentation is that has its whole path as address."""
    return f"{DOCS}{escape(path)}"


def as_markdown(address: str) -> str:
    """Return where the same is as Markdown."""
    return f"{address}index.md" if address.endswith("/") else f"{address}.md"


def escape(text: str) -> str:
    """Return a path with everything percent-encoded that may not stand in it."""
    return quote(text, safe=_SAFE)


def name_article(path: str) -> str:
    """Return the name of the article that an address may mean; empty if none."""
    bare = path.removeprefix(NAMED) if path.startswith(NAMED) else path[1:]
    bare = bare.removesuffix("/")
    for suffix in _SUFFIXES:
        if bare.endswith(suffix):
            bare = bare.removesuffix(suffix)
            break
    name = unquote(bare.removesuffix(_APART))
    return name if "/" in name or path.startswith(NAMED) else ""


def normalize(path: str) -> str:
    """Return a requested path as addresses here are spelled; empty if it is none."""
    try:
        return escape(unquote(path, errors="strict"))
    except UnicodeDecodeError:
        return ""
