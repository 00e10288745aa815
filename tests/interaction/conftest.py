"""Fixtures of the interaction suite: runs by behaviour, and our own content."""

import pytest
from interaction.behaviour import TRANSPORTS
from interaction.content import FOLDER
from interaction.raw import Connect
from interaction.requirements import BY_ID
from support.canary import Scanner
from support.knowledge import settled_clock
from support.peers import VERSIONS, connecting
from support.site import articles_of

from asdlc_kb.app import ConfiguredSources, Runtime, build
from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.settings import MEMORY, Settings


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test over the transports and versions that all its behaviours apply to."""
    if "connect" not in metafunc.fixturenames:
        return
    runs = {(transport, version) for transport in TRANSPORTS for version in VERSIONS}
    for marker in metafunc.definition.iter_markers("behaviour"):
        for claimed in marker.args:
            runs &= BY_ID[claimed].runs
    names = [f"{transport}-{version}" for transport, version in sorted(runs)]
    metafunc.parametrize("connect", names, indirect=True)


@pytest.fixture
def connect(request: pytest.FixtureRequest, scanner: Scanner) -> Connect:
    """Connect a peer to an application: over one transport, in one version."""
    return connecting(request.param, scanner)


@pytest.fixture(scope="session")
def project_app() -> Runtime:
    """The application over the project's own content."""
    library = ArticleLibrary(FOLDER, clock=settled_clock)
    settings = Settings(
        content=str(FOLDER),
        title="ASDLC Knowledge Base",
        port=0,
        cache_dir=MEMORY,
        rate_limit="off",
        page_rate_limit="off",
    )
    app = build(settings, (), ConfiguredSources(articles=library))
    articles_of(app).load()
    return app
