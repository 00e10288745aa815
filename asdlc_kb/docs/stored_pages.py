"""How parsed pages are stored (D-178, D-179)."""

import time
from collections.abc import Callable, Mapping, Set
from typing import Any

from msgspec.structs import force_setattr

from asdlc_kb.docs.pages.page import (
    DocPage,
    DocPageText,
    FolderRule,
    Navigation,
    PageContent,
)
from asdlc_kb.docs.pages.publication import select_published
from asdlc_kb.files.lazy_value import LazyValue
from asdlc_kb.files.parsed_cache import ParsedCacheFormat


def make_format(
    describe_rules: Callable[[], str], clock: Callable[[], float] = time.time
) -> ParsedCacheFormat[PageContent]:
    """Return the format of pages that are read by the rules that are described."""

    def find_served(values: Mapping[str, PageContent | None]) -> Set[str]:
        """Return the paths of the pages that are visible now."""
        published = select_published(values.values(), clock())
        return {page.path for page in published.pages}

    return ParsedCacheFormat(
        values=DocPage | Navigation | FolderRule,
        texts=DocPageText,
        find_text=_find_text,
        adopt=_adopt,
        find_served=find_served,
        packages=("docs", "files", "frontmatter", "markup", "unicode"),
        describe_rules=describe_rules,
    )


def _find_text(value: PageContent | None) -> LazyValue[Any] | None:
    return value.stored_text if isinstance(value, DocPage) else None


def _adopt(value: PageContent | None, path: str, digest: bytes) -> None:
    if isinstance(value, DocPage):
        force_setattr(value, "path", path)
        if value.digest == digest:
            force_setattr(value, "digest", digest)
