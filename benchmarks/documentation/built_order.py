"""Order of a sidebar next to the links to the next page in a site that was built.

Generators write such a link at the end of each page of their navigation: MkDocs as
`rel="next"`, Starlight too, Docusaurus and VitePress with a class.
"""

import re
from collections.abc import Iterator, Mapping
from html import unescape
from itertools import zip_longest
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urljoin, urlsplit

from asdlc_kb.docs.catalogs.catalog import DocCatalog

_LINK: Final = re.compile(r"<(?:a|link)\s[^<>]*+>")
_IS_NEXT: Final = re.compile(
    r"""\srel=["']?next\b|\sclass=["'][^"'<>]*(?:nav__link--next|pager-link next)"""
)
_GENERATED: Final = frozenset({"category", "page", "tags"})
"""Folders of lists that a generator writes itself."""
_HREF: Final = re.compile(r"""\shref=(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))""")


def read_neighbours(site: Path, catalog: DocCatalog) -> Iterator[tuple[str, str]]:
    """Yield the path of each page of a catalog with that of the next in a built site.

    Pages of the site that the catalog does not have, such as generated lists, are
    passed over.
    """
    links = dict(_read_links(site))
    paths = {address: _find_path(catalog, address) for address in links}
    for address, path in paths.items():
        following = _follow(address, links, catalog)
        if path and following not in ("", path):
            yield path, following


def find_following(catalog: DocCatalog) -> Mapping[str, str | None]:
    """Return the path of the page after each one, as our own website links them."""
    paths = [page.path for page in catalog.pages]
    following = dict(zip_longest(paths, paths[1:]))
    return {path: following.get(path) for path in catalog.by_path}


def _follow(address: str, links: Mapping[str, str], catalog: DocCatalog) -> str:
    """Return the path of the next page that the catalog has; "" if there is none."""
    seen = {address}
    while (address := links.get(address, "")) and address not in seen:
        if path := _find_path(catalog, address):
            return path
        seen.add(address)
    return ""


def _find_path(catalog: DocCatalog, address: str) -> str:
    page = catalog.find_exact(address)
    if page is None and _GENERATED.isdisjoint(address.split("/")):
        page = catalog.get_or_none(address)
    return page.path if page is not None else ""


def _read_links(site: Path) -> Iterator[tuple[str, str]]:
    """Yield the address of each page with that of the next one."""
    for file in sorted(site.rglob("*.html")):
        address = _read_address(file.relative_to(site).as_posix())
        for tag in _LINK.findall(file.read_text("utf-8")):
            href = _HREF.search(tag)
            if href is not None and _IS_NEXT.search(tag):
                target = unescape(href[1] or href[2] or href[3] or "")
                following = unquote(urlsplit(urljoin(address, target)).path)
                yield address, _read_address(following.lstrip("/"))
                break


def _read_address(path: str) -> str:
    """Return the address of a page, in one form for all generators."""
    path = path.removesuffix(".html").removesuffix("index").strip("/")
    return f"/{path}/" if path else "/"
