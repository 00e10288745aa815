"""The composition root: from settings to a running server. No policy."""

from asdlc_kb.app.access_policy import open_bearer, open_limits, requires_tokens
from asdlc_kb.app.branding import open_branding
from asdlc_kb.app.http_context import open_context
from asdlc_kb.app.identity import identify_server
from asdlc_kb.app.insights import require_own_insights
from asdlc_kb.app.lifecycle import (
    claim_stdout,
    run,
    run_until_signal,
    serve,
    serve_stdio,
)
from asdlc_kb.app.otel import add_recorder
from asdlc_kb.app.sources import (
    ConfiguredSources,
    IndexedSource,
    find_content,
    find_home,
    find_index,
    find_projects,
    open_documents,
    open_index,
    open_sources,
    require_projects,
)
from asdlc_kb.app.website import open_site, site_identity
from asdlc_kb.app.wiring import Runtime, build, rebuild

__all__ = [
    "ConfiguredSources",
    "IndexedSource",
    "Runtime",
    "add_recorder",
    "build",
    "claim_stdout",
    "find_content",
    "find_home",
    "find_index",
    "find_projects",
    "identify_server",
    "open_bearer",
    "open_branding",
    "open_context",
    "open_documents",
    "open_index",
    "open_limits",
    "open_site",
    "open_sources",
    "rebuild",
    "require_own_insights",
    "require_projects",
    "requires_tokens",
    "run",
    "run_until_signal",
    "serve",
    "serve_stdio",
    "site_identity",
]
