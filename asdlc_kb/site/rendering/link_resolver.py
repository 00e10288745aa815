"""Resolution of links in a text to addresses of the site.

Independent of existence and visibility of the target: a text is rendered once for each
of its versions.
"""

from collections.abc import Mapping
from typing import Final
from urllib.parse import unquote, urljoin, urlsplit

from asdlc_kb.articles.article import Article
from asdlc_kb.articles.links import URI_PREFIX, ArticleTarget, locate
from asdlc_kb.docs.links import follow_link
from asdlc_kb.site import urls
from asdlc_kb.site.layout.frame import SiteIdentity

_DOC_URI: Final = "kb://doc/"
_NOWHERE: Final = frozenset({"", ".", ".."})
"""Path segments that are not part of an article's name."""
_SUFFIXES: Final = (".md", ".mdx", ".markdown", ".html", ".htm")


def article_link_resolver(article: Article, href: str, prefix: str) -> str | None:
    """Return the address of a link in an article, with `prefix` before every path."""
    if href.startswith("#"):
        return href
    if href.startswith(_DOC_URI):
        return _find_page(href, prefix)
    target = locate(article.id, href)
    if target is not None:
        return _find_article(target, prefix) or href
    is_path = href.startswith("/") and not href.startswith("//")
    return f"{prefix}{href}" if is_path else href


def remote_link_resolver(
    article: Article, href: str, identity: SiteIdentity
) -> str | None:
    """Return the absolute address of a link in an article, or None."""
    address = article_link_resolver(article, href, identity.prefix)
    if address is None:
        return None
    try:
        return urljoin(identity.locate(urls.of_article(article)), address)
    except ValueError:
        return None


def page_link_resolver(
    source: str, href: str, prefix: str, overrides: Mapping[str, str] | None = None
) -> str | None:
    """Return the address of a link in the page `source`; None outside the tree.

    `overrides` has the addresses of pages that are not at their default address.
    """
    if href.startswith(_DOC_URI):
        return _find_page(href, prefix, overrides)
    if href.startswith(URI_PREFIX):
        target = locate("", href)
        return (target and _find_article(target, prefix)) or href
    name = follow_link(href, source)
    if name is None:
        return None if _leads_out(href) else href
    where = (overrides or {}).get(name) or _name_page(name)
    return f"{prefix}{where}{_mark(urlsplit(href).fragment)}"


def _leads_out(href: str) -> bool:
    """Whether a link that is not a page is a path nevertheless."""
    try:
        parts = urlsplit(href)
    except ValueError:
        return False
    return bool(parts.path) and not (parts.scheme or parts.netloc)


def _find_article(target: ArticleTarget, prefix: str) -> str:
    """Return the address of an article; empty if it cannot be one."""
    category, slash, slug = target.id.partition("/")
    if target.is_name and not slash:
        where = f"{urls.NAMED}{urls.escape(target.id)}"
    elif _NOWHERE.isdisjoint(target.id.split("/")) and slug and _is_sure(target):
        where = urls.of_name(category, slug)
    else:
        return ""
    return f"{prefix}{where}{_mark(target.anchor)}"


def _is_sure(target: ArticleTarget) -> bool:
    return target.is_certain or target.is_name


def _find_page(
    uri: str, prefix: str, overrides: Mapping[str, str] | None = None
) -> str | None:
    """Return the address of the page that a resource URI names."""
    path, _, fragment = uri.removeprefix(_DOC_URI).partition("#")
    return page_link_resolver("", f"/{path}#{fragment}", prefix, overrides)


def _name_page(name: str) -> str:
    """Return the address of a page by its name below the root."""
    if name == "/":
        return urls.DOCS
    if name.endswith("/"):
        return urls.of_page(f"{name}index.md")
    return urls.of_page(name if name.lower().endswith(_SUFFIXES) else f"{name}.md")


def _mark(anchor: str) -> str:
    """Return an anchor as the fragment of an address."""
    return f"#{urls.escape(unquote(anchor))}" if anchor else ""
