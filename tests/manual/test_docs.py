"""The docs list what exists."""

import json
import re
from pathlib import Path

import msgspec
import pytest
from support.knowledge import KnowledgeBase
from support.library import index_articles, loaded
from support.peers import open_app
from tornado.routing import PathMatches

from asdlc_kb.app import open_context
from asdlc_kb.cli.commands import COMMANDS as CLI_COMMANDS
from asdlc_kb.cli.config import config
from asdlc_kb.mcp.protocol.inbound import MAX_BATCH_MEMBERS
from asdlc_kb.mcp.protocol.versions import SUPPORTED
from asdlc_kb.mcp.sessions.session_store import IDLE_SECONDS
from asdlc_kb.mcp.sessions.sessions import MAX_SUBSCRIPTIONS
from asdlc_kb.mcp.subscriptions.events import METHODS
from asdlc_kb.project.artifact_places import KINDS as PLACES
from asdlc_kb.project.checks import CODES
from asdlc_kb.providers.articles.provider import TEMPLATE, ArticleProvider
from asdlc_kb.providers.docs import tools as docs_tools
from asdlc_kb.providers.docs.provider import TEMPLATE as DOC_TEMPLATE
from asdlc_kb.providers.project import tools as project_tools
from asdlc_kb.providers.project.artifact_kinds import KINDS
from asdlc_kb.providers.project.results import MAX_CONTENT_CHARS
from asdlc_kb.providers.project.views import MAX_PROBLEMS
from asdlc_kb.settings import PREFIX, Settings
from asdlc_kb.settings_descriptions import GROUPS
from asdlc_kb.web.connections.event_stream import (
    KEEP_ALIVE_SECONDS,
    MAX_STREAMS,
    MAX_STREAMS_PER_CLIENT,
    STALL_SECONDS,
)
from asdlc_kb.web.routes import routes

ROOT = Path(__file__).parents[2]
HEADER = (
    "| key | flag | environment | default | effect |",
    "| --- | --- | --- | --- | --- |",
)
DOCS = {
    path.relative_to(ROOT / "docs").as_posix(): path.read_text(encoding="utf-8")
    for path in (ROOT / "docs").rglob("*.md")
}


def test_the_tables_of_settings_are_those_in_the_code() -> None:
    """Name, flag, variable, default and description of every setting, by group."""
    flags = {
        option.name: "/".join((option.opts[-1], *option.secondary_opts))
        for option in config.params
    }
    defaults = {
        field.encode_name: field.default for field in msgspec.structs.fields(Settings)
    }
    for title, group in GROUPS.items():
        rows = (
            f"| `{name}` | `{'CONTENT' if name == 'content' else flags[name]}` "
            f"| `{PREFIX}{name.upper()}` | `{json.dumps(defaults[name])}` "
            f"| {description} |"
            for name, description in group.items()
        )
        table = "\n".join((f"### {title}\n", *HEADER, *rows))
        assert f"{table}\n\n" in DOCS["settings.md"]


@pytest.mark.parametrize("command", CLI_COMMANDS)
def test_every_command_is_documented(command: str) -> None:
    """A command that is not documented is not found."""
    assert f"`asdlc-kb {command}" in DOCS["settings.md"]


def test_every_route_is_documented(knowledge: KnowledgeBase) -> None:
    """Every existing address is in the list of addresses."""
    for route in routes(open_context(open_app(knowledge))):
        assert isinstance(route.matcher, PathMatches)
        pattern = route.matcher.regex.pattern.removesuffix("$").removesuffix("/?")
        path = re.sub(r"\\(.)", r"\1", pattern).replace("[0-9]+", "N")
        path = path.replace("[^/]+", "NAME")
        assert f"| `{path}` |" in DOCS["settings.md"]


def test_every_tool_prompt_and_template_is_documented(
    knowledge: KnowledgeBase,
) -> None:
    """The tools' arguments too."""
    library = loaded(knowledge)
    provider = ArticleProvider(library, index_articles(library))
    page = DOCS["mcp.md"]
    for listed in (
        *provider.tools(),
        *docs_tools.tool_definitions(10),
        *project_tools.tool_definitions(),
    ):
        row = next(r for r in page.splitlines() if f"| `{listed.item.name}` |" in r)
        for argument in listed.item.input_schema["properties"]:
            assert f"`{argument}`" in row
    for prompt in provider.prompts():
        arguments = ", ".join(f"`{a.name}`" for a in prompt.item.arguments)
        assert f"| `{prompt.item.name}` | {arguments} |" in page
    for template in (TEMPLATE, DOC_TEMPLATE):
        assert template in page
    for kind in KINDS.values():
        address = f"ace://{kind.plural}/{{{kind.parameter}}}"
        assert f"| `{address}` | `{kind.mime_type}` |" in page


def test_every_problem_code_is_documented() -> None:
    """A code in a report can be looked up, and no documented one is gone."""
    used = set()
    for path in (ROOT / "asdlc_kb").rglob("*.py"):
        used |= set(re.findall(r'"(KB\d{3})"', path.read_text(encoding="utf-8")))
    documented = set(
        re.findall(r"^\| (KB\d{3}) \|", DOCS["troubleshooting.md"], re.MULTILINE)
    )
    assert used == documented


def test_every_code_of_projects_is_documented_with_them() -> None:
    """Their own codes, and the folders that are read."""
    page = " ".join(DOCS["projects.md"].split())
    for code in CODES:
        assert f"| {code} |" in page
    for place in (place for kind in PLACES for place in kind.places):
        assert f"`{place.folder}`" in page
        row = f"[{place.documentation.as_of}]({place.documentation.address})"
        assert row in page
        forms = ", ".join(f"`{form}`" for form in place.placeholders)
        assert not forms or f"| {forms} | {row} |" in page
    assert f"the first {MAX_PROBLEMS}" in page
    assert f"end after {MAX_CONTENT_CHARS:,} characters" in page


def test_every_kind_of_notification_is_documented() -> None:
    """The notifications, the interval of keepalives, and the limits of streams."""
    page = " ".join(DOCS["mcp.md"].split())
    for method in METHODS.values():
        assert f"`{method.removeprefix('notifications/')}`" in page
    for sentence in (
        f"every {KEEP_ALIVE_SECONDS:.0f} seconds",
        f"takes nothing for {STALL_SECONDS:.0f} seconds",
        f"At most {MAX_STREAMS_PER_CLIENT} streams go to one address and "
        f"{MAX_STREAMS:,} in all",
        f"at most {MAX_SUBSCRIPTIONS:,} subscriptions",
        f"at most {MAX_BATCH_MEMBERS} |",
        f"used within the last {IDLE_SECONDS // 60} minutes",
    ):
        assert sentence in page
    for version in SUPPORTED:
        assert version in page


PAGES_OF_TEXT = ("CHANGELOG.md", "CONTRIBUTING.md", "README.md", *DOCS)
MAX_COLUMNS = 100


@pytest.mark.parametrize("name", PAGES_OF_TEXT)
def test_text_has_lines_of_at_most_100_columns(name: str) -> None:
    """Outside code and tables; a code span or address that is longer stands alone."""
    path = ROOT / ("docs" if name in DOCS else "") / name
    text = re.sub(r"(?ms)^```.*?^```$", "", path.read_text(encoding="utf-8"))
    for line in text.splitlines():
        words = re.sub(r"`[^`]*`", "`code`", line).split()
        if not line.startswith("|") and len(words) > 1:
            assert len(line) <= MAX_COLUMNS, line


def test_the_changelog_knows_this_version() -> None:
    """A release needs notes for its users."""
    text = (ROOT / "asdlc_kb" / "__init__.py").read_text(encoding="utf-8")
    version = re.search(r'__version__ = "(.+)"', text)
    assert version is not None
    assert f"## [{version[1]}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
