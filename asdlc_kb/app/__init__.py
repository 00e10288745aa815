"""The composition root: from settings to wired objects, and their life. No policy."""

from asdlc_kb.app.admission import asks_for_tokens, open_bearer, open_limits
from asdlc_kb.app.life import claim_stdout, run, serve, serve_stdio
from asdlc_kb.app.sources import (
    Sources,
    find_content,
    find_home,
    find_index,
    find_projects,
    open_documents,
    open_index,
    open_sources,
)
from asdlc_kb.app.website import identify, open_site
from asdlc_kb.app.wiring import App, build, open_door, open_guard, rebuild

__all__ = [
    "App",
    "Sources",
    "asks_for_tokens",
    "build",
    "claim_stdout",
    "find_content",
    "find_home",
    "find_index",
    "find_projects",
    "identify",
    "open_bearer",
    "open_documents",
    "open_door",
    "open_guard",
    "open_index",
    "open_limits",
    "open_site",
    "open_sources",
    "rebuild",
    "run",
    "serve",
    "serve_stdio",
]
