"""The table of dialects."""

from collections.abc import Mapping
from typing import Final

from asdlc_kb.markup.dialects.dialect import GITHUB, Dialect
from asdlc_kb.markup.dialects.docfx import DOCFX
from asdlc_kb.markup.dialects.docsify import DOCSIFY
from asdlc_kb.markup.dialects.docusaurus import DOCUSAURUS
from asdlc_kb.markup.dialects.gitbook import GITBOOK
from asdlc_kb.markup.dialects.hugo import HUGO
from asdlc_kb.markup.dialects.jekyll import JEKYLL
from asdlc_kb.markup.dialects.mdbook import MDBOOK
from asdlc_kb.markup.dialects.mdx import MDX
from asdlc_kb.markup.dialects.mintlify import MINTLIFY
from asdlc_kb.markup.dialects.mkdocs import MKDOCS
from asdlc_kb.markup.dialects.myst import MYST
from asdlc_kb.markup.dialects.obsidian import OBSIDIAN
from asdlc_kb.markup.dialects.starlight import STARLIGHT, STARLIGHT_MARKDOWN
from asdlc_kb.markup.dialects.vitepress import VITEPRESS

DIALECTS: Final[Mapping[str, Dialect]] = {
    dialect.name: dialect
    for dialect in (
        GITHUB,
        DOCUSAURUS,
        MDX,
        STARLIGHT,
        VITEPRESS,
        MINTLIFY,
        MKDOCS,
        HUGO,
        JEKYLL,
        MDBOOK,
        GITBOOK,
        DOCSIFY,
        DOCFX,
        OBSIDIAN,
        MYST,
    )
}
"""The dialects that a tree can have, by name."""


def find_dialect(name: str, path: str) -> Dialect:
    """Return the dialect of a page: an `.mdx` file of a GitHub tree is MDX.

    An `.md` file of a Starlight tree is no MDX. An unknown name is GitHub's.
    """
    dialect = DIALECTS.get(name, GITHUB)
    is_mdx = path.lower().endswith(".mdx")
    if dialect is GITHUB and is_mdx:
        return MDX
    return STARLIGHT_MARKDOWN if dialect is STARLIGHT and not is_mdx else dialect
