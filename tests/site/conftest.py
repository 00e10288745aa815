"""One site of content that is hard to render, made once."""

import pytest
from support.publication import SIDEBAR, TOPBAR, fill_both
from support.publishing import BASE, open_site

from asdlc_kb.site.page_renderer import PageRenderer


@pytest.fixture(scope="module")
def local_site(tmp_path_factory: pytest.TempPathFactory) -> PageRenderer:
    """Return a site without a public address."""
    knowledge, tree = fill_both(tmp_path_factory.mktemp("odd"))
    tree.write("sidebar.md", SIDEBAR)
    tree.write("topbar.md", TOPBAR)
    return open_site(knowledge, tree)


@pytest.fixture(scope="module")
def public_site(tmp_path_factory: pytest.TempPathFactory) -> PageRenderer:
    """Return the same with a public address below a path."""
    knowledge, tree = fill_both(tmp_path_factory.mktemp("public"))
    tree.write("sidebar.md", SIDEBAR)
    tree.write("topbar.md", TOPBAR)
    return open_site(knowledge, tree, f"{BASE}/kb")
