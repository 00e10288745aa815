"""Where everything is: one function for each kind of address, all from the root."""

from typing import Final
from urllib.parse import quote, unquote

from asdlc_kb.articles.article import Article

HOME: Final = "/"
SEARCH: Final = "/search"
DOCS: Final = "/docs/"
TAGS: Final = "/tags/"
MAP: Final = "/map"
CONNECT: Final = "/connect"

_RESERVED: Final = frozenset(
    "articles connect docs health llms.txt llms-full.txt map mcp metrics problems "
    "ready robots.txt search sitemap.xml tags".split()
)
"""First parts of a path that are not a category's: such a one is below `/articles/`."""

_SAFE: Final = "/-._~!$&'()*+,;=:@"


def of_category(category: str) -> str:
    """Return where a category is listed."""
    top = "/articles/" if category in _RESERVED else "/"
    return f"{top}{_quote(category)}/"


def of_article(article: Article) -> str:
    """Return where an article is."""
    return f"{of_category(article.category)}{_quote(article.slug)}"


def of_tag(tag: str) -> str:
    """Return where a tag's articles are listed; case does not matter."""
    return f"{TAGS}{_quote(tag.casefold())}"


def of_page(path: str) -> str:
    """Return where a page of documentation is: without suffix, a folder's as itself."""
    stem, _, name = path.rpartition("/")
    plain = name.rpartition(".")[0]
    if plain.lower() in ("index", "readme", "_index"):
        return f"{DOCS}{_quote(stem)}/" if stem else DOCS
    return f"{DOCS}{_quote(f'{stem}/{plain}' if stem else plain)}"


def as_markdown(address: str) -> str:
    """Return where the same is as Markdown."""
    return f"{address}index.md" if address.endswith("/") else f"{address}.md"


def _quote(text: str) -> str:
    return quote(text, safe=_SAFE)


def normalise(path: str) -> str:
    """Return a requested path as addresses here are spelled; empty if it is none."""
    try:
        return _quote(unquote(path, errors="strict"))
    except UnicodeDecodeError:
        return ""
