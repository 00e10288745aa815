"""Architecture rules that no linter checks."""

import ast
import re
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest
from support.processes import list_loaded
from tornado.web import RequestHandler

from asdlc_kb.app import Runtime, open_context
from asdlc_kb.web.handler import BaseHandler
from asdlc_kb.web.routes import routes

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "asdlc_kb"
MODULES = sorted(PACKAGE.rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))
BENCHMARKS = sorted((ROOT / "benchmarks").rglob("*.py"))
MAX_LINES = 400

WITHOUT_A_TEST = {
    "exceptions": "raised and read by every test",
    "files/problem": "a value; tests of every parser compare it",
    "mcp/protocol/errors": "classes with a code; tests of every era compare them",
    "mcp/dispatch/response": "a value",
    "mcp/protocol/model": "a vocabulary; shapes and providers are tested",
    "settings_descriptions": "a table; tests of settings and docs compare it",
    "articles/article": "a value",
    "ingestion/ingest_follower": "tests/store runs it with a real PostgreSQL",
    "ingestion/ingester": "tests/store runs it with a real PostgreSQL",
    "cli/check_result": "a value",
    "cli/export": "tests/store runs it with a real PostgreSQL",
    "cli/ingest": "tests/store runs it with a real PostgreSQL",
    "cli/source": "tests/store runs it with a real PostgreSQL",
    "cli/host": "what the interpreter says; tests of connect have other homes",
    "docs/generators/configuration": "a value; tests of every generator compare it",
    "connect/client_table_applications": "a table; test_clients reads every row",
    "connect/client_table_editors": "a table; test_clients reads every row",
    "connect/result": "a value",
    "connect/entry_templates": "what rows of the table share",
    "providers/project/artifact_kinds": "a table; tests of results read its rows",
    "project/artifact_file": "tests of the scanner read every kind of file",
    "project/locations": "a table; tests of every artifact read its rows",
    "ops/telemetry": "a value",
    "store/statements": "SQL; test_snapshot_writer runs every statement",
    "search/values": "values; every test of search compares them",
}
"""Modules of substance elsewhere, with the reason."""


LOADED_LATE = {
    "one command runs": {
        "asdlc_kb.cli.build",
        "asdlc_kb.cli.check",
        "asdlc_kb.cli.completion",
        "asdlc_kb.cli.config",
        "asdlc_kb.cli.connect",
        "asdlc_kb.cli.doctor.command",
        "asdlc_kb.cli.evaluate",
        "asdlc_kb.cli.export",
        "asdlc_kb.cli.index",
        "asdlc_kb.cli.ingest",
        "asdlc_kb.cli.new",
        "asdlc_kb.cli.new_token",
        "asdlc_kb.cli.open_site",
        "asdlc_kb.cli.read",
        "asdlc_kb.cli.ready",
        "asdlc_kb.cli.rules",
        "asdlc_kb.cli.serve",
        "asdlc_kb.cli.source",
        "asdlc_kb.cli.stats",
    },
    "help is rarely shown: 6 % of the start": {"asdlc_kb.cli.help_page"},
    "a wrong setting ends the command": {"asdlc_kb.settings_errors"},
    "a shell rarely asks for completions": {"click.shell_completion"},
    "the lack of an extra ends the command": {"importlib.metadata"},
    "logs of servers are JSON": {"asdlc_kb.ops.logs.text_lines"},
    "documentation is an optional source: 6 % of the start": {
        "asdlc_kb.app.doc_trees",
        "asdlc_kb.docs.collection",
        "asdlc_kb.docs.commit_dates",
        "asdlc_kb.docs.documents",
        "asdlc_kb.docs.library",
        "asdlc_kb.docs.pages.page",
        "asdlc_kb.docs.recognition",
        "asdlc_kb.docs.unserved",
        "asdlc_kb.files.other_formats",
        "asdlc_kb.files.tree_listing",
        "asdlc_kb.providers.docs.events",
        "asdlc_kb.providers.docs.provider",
    },
    "projects are an optional source: 14 % of the start": {
        "asdlc_kb.app.projects",
        "asdlc_kb.project.detection",
        "asdlc_kb.providers.project.events",
    },
    "few servers require tokens": {"asdlc_kb.app.source_views"},
    "usage statistics are in memory by default": {
        "asdlc_kb.ops.insights.database",
    },
    "the tools for ChatGPT are optional": {
        "asdlc_kb.app.chatgpt",
        "asdlc_kb.app.website_urls",
    },
    "the website begins with its first page: 35 % of the start": {
        "asdlc_kb.site.finder",
        "asdlc_kb.site.layout.accent",
        "asdlc_kb.site.layout.branding",
        "asdlc_kb.site.layout.frame",
        "asdlc_kb.site.live_reload",
        "asdlc_kb.site.page_cache",
        "asdlc_kb.site.page_renderer",
        "asdlc_kb.site.pages.insights_page",
        "asdlc_kb.site.pages.project_pages",
        "asdlc_kb.site.pages.search_page",
        "rcssmin",
        "asdlc_kb.site.site_snapshot",
    },
    "one process is the default: 2 % of the start": {
        "asdlc_kb.app.membership",
        "asdlc_kb.app.workers",
        "asdlc_kb.cluster.membership",
        "asdlc_kb.cluster.pooled_metrics",
    },
    "a store is an optional source": {
        "asdlc_kb.app.store_sources",
        "asdlc_kb.store.database",
        "asdlc_kb.store.mirror_set",
        "asdlc_kb.store.mirror_writer",
        "asdlc_kb.store.snapshot_follower",
    },
    "Linux has inotify: 3 % of the start, 1 MB": {"watchfiles"},
    "TLS is optional: 1 % of the start": {"asdlc_kb.web.connections.tls_stream"},
    "a configuration file is optional: 1 % of the start": {"tomllib"},
    "a server probes no others: 1 % of the start": {"asdlc_kb.connect.server_entry"},
    "needs the extra `compression`": {"brotli"},
    "needs the extra `diagrams`": {"mmdr"},
    "needs the extra `git`": {
        "dulwich.diff_tree",
        "dulwich.errors",
        "dulwich.repo",
    },
    "needs the extra `fast`": {"uvloop"},
    "needs the extra `postgres`": {
        "asdlc_kb.cluster.postgres_transport",
        "asdlc_kb.ingestion.ingest_follower",
        "asdlc_kb.ingestion.ingester",
        "asdlc_kb.ingestion.source_names",
        "asdlc_kb.store.database",
        "asdlc_kb.store.mirror",
        "asdlc_kb.store.schema",
        "asdlc_kb.store.snapshot_reader",
        "asdlc_kb.store.snapshot_writer",
        "asdlc_kb.store.values",
    },
    "needs the extra `otel`": {
        "asdlc_kb.mcp.dispatch.operation",
        "asdlc_kb.ops.otel.exporters",
        "asdlc_kb.ops.otel.recorder",
        "asdlc_kb.web.request_spans",
        "opentelemetry.exporter.otlp.proto.http.metric_exporter",
        "opentelemetry.exporter.otlp.proto.http.trace_exporter",
        "opentelemetry.sdk.metrics.export",
        "opentelemetry.sdk.trace.export",
    },
    "needs the extra `semantic`": {
        "asdlc_kb.search.query.meaning",
        "asdlc_kb.search.semantic.semantic_search",
        "asdlc_kb.search.semantic.static_model",
        "asdlc_kb.search.semantic.vector_file",
        "asdlc_kb.search.semantic.vector_index",
    },
    "needs the extra `redis`": {"asdlc_kb.cluster.redis_transport"},
    "needs the extra `auth`": {"asdlc_kb.ops.auth.jwks", "asdlc_kb.ops.auth.jwt"},
    "tantivy, until the first full-text search: 5 % of the start, 5 MB": {
        "asdlc_kb.providers.shared.passages",
        "asdlc_kb.search.index.directory",
        "asdlc_kb.search.index.integrity",
        "asdlc_kb.search.index.read_only_directory",
        "asdlc_kb.search.index.index_snapshot",
        "asdlc_kb.search.index.index_store",
        "asdlc_kb.search.query.execution",
        "asdlc_kb.search.query.explanation",
        "asdlc_kb.search.unmatched_synonyms",
    },
    "ruamel.yaml, until frontmatter is not plain: 4 % of the start, 2 MB": {
        "asdlc_kb.connect.yaml_edit",
        "asdlc_kb.frontmatter.yaml_document",
        "asdlc_kb.frontmatter.yaml_full",
    },
    "prometheus-client, until the first scrape: 6 % of the start, 2 MB": {
        "asdlc_kb.ops.metrics.exposition"
    },
    "markdown-it-py, until a text needs the grammar: 8 % of the start": {
        "asdlc_kb.docs.pages.page_anchors",
        "asdlc_kb.markup.formulas",
        "asdlc_kb.markup.grammar",
        "markdown_it",
        "markdown_it.rules_core",
        "markdown_it.token",
    },
    "the first full-text search, or an article in chunks: 1 % of the start": {
        "asdlc_kb.providers.shared.passages",
        "asdlc_kb.markup.plain_text",
        "asdlc_kb.markup.section_selection",
        "asdlc_kb.markup.sections",
    },
}
"""D-141: why some modules are imported inside functions, measured for `serve`."""


def name_of(path: Path) -> str:
    """Return a module's path without its ending, as `package/module`."""
    return path.relative_to(PACKAGE).with_suffix("").as_posix()


def test_a_module_says_its_job_and_stays_readable() -> None:
    """Every module opens with a docstring and has at most 400 lines."""
    silent, long = [], []
    for path in [*MODULES, *TESTS, *BENCHMARKS]:
        text = path.read_text(encoding="utf-8")
        if not ast.get_docstring(ast.parse(text)):
            silent.append(path)
        if len(text.splitlines()) > MAX_LINES:
            long.append(path)
    assert not silent, "a module opens with a docstring that says its job"
    assert not long, f"a module has at most {MAX_LINES} lines"


def test_a_module_of_substance_has_a_test_file_of_its_name() -> None:
    """A reader finds the tests of any module in one guess."""
    missing = []
    for name in map(name_of, MODULES):
        if name.endswith(("__init__", "__main__")) or name in WITHOUT_A_TEST:
            continue
        package, _, module = name.rpartition("/")
        if not list((ROOT / "tests" / package).glob(f"test_{module}*.py")):
            missing.append(f"tests/{package}/test_{module}.py")
    assert not missing


def test_every_exempt_module_exists() -> None:
    """The list of exemptions does not outlive its modules."""
    assert WITHOUT_A_TEST.keys() <= {name_of(path) for path in MODULES}


def test_every_route_derives_from_the_base_handler(app: Runtime) -> None:
    """No handler can skip the host check, the limits or the log line."""
    table = routes(open_context(app))
    assert table
    for route in table:
        assert issubclass(route.target, BaseHandler)
        assert issubclass(route.target, RequestHandler)


def test_no_module_is_a_catch_all() -> None:
    """Names that mean nothing are not used."""
    fog = {"utils", "util", "helpers", "helper", "common", "misc", "core", "manager"}
    assert not {path.stem for path in [*MODULES, *BENCHMARKS]} & fog


NAMED_LIKE_THE_STANDARD_LIBRARY = {
    "site": "the field's word; the other one is loaded by the interpreter alone",
    "web/site": "the handlers of the package `site`, under the same name",
}
"""Packages whose name the standard library has too, with the reason."""


def test_no_module_is_named_like_one_of_the_standard_library() -> None:
    """An import statement means one thing."""
    packages = {
        path.parent.relative_to(PACKAGE).as_posix()
        for path in MODULES
        if path.stem == "__init__" and path.parent != PACKAGE
    }
    names = packages | {name_of(path) for path in MODULES}
    shadowing = {
        name for name in names if name.rpartition("/")[2] in sys.stdlib_module_names
    }
    assert shadowing == NAMED_LIKE_THE_STANDARD_LIBRARY.keys()


def test_a_class_name_has_one_meaning() -> None:
    """No two modules define public classes of one name."""
    found: dict[str, str] = {}
    for path in MODULES:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                assert found.setdefault(node.name, name_of(path)) == name_of(path)


def test_the_package_does_not_know_the_conformance_suite() -> None:
    """The server that passes the suite is the one in use."""
    suite = re.compile(r"test_[a-z_]+_content|test_simple|test://|conformance", re.I)
    for path in MODULES:
        assert not suite.search(path.read_text(encoding="utf-8")), path


def import_statements(tree: ast.AST) -> Iterator[str]:
    """Yield the modules that statements below a node import from."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def late_imports(path: Path) -> Iterator[str]:
    """Yield the modules that are imported in functions, or only for their types."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if is_function or (
            isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        ):
            yield from import_statements(node)


def test_each_module_that_is_imported_late_has_a_reason() -> None:
    """D-141: the others are imported at the top, and every reason is still needed."""
    found = set(chain.from_iterable(map(late_imports, MODULES)))
    assert found == set(chain.from_iterable(LOADED_LATE.values()))


@pytest.mark.parametrize("start", ["asdlc_kb.cli", "asdlc_kb.cli.serve"])
def test_a_start_loads_nothing_that_is_imported_late(start: str) -> None:
    """D-141: an ordinary import elsewhere would make the late ones pointless."""
    loaded = list_loaded(f"import {start}, sys; print(*sys.modules)")
    late = set(chain.from_iterable(LOADED_LATE.values())) - {start}
    assert not late & loaded


STARTS_A_PROGRAM = {"markup/render_process": "asdlc_kb.markup.render_worker"}
"""Modules that run as programs of their own."""


def test_no_module_of_ours_is_loaded_by_its_name() -> None:
    """D-141: linters and readers see import statements, not strings."""
    ours = {f"asdlc_kb/{name_of(path)}".replace("/", ".") for path in MODULES}
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                named = {node.value.partition(":")[0]} & ours
                assert named <= {STARTS_A_PROGRAM.get(name_of(path))}, path
            if isinstance(node, ast.Call) and re.search(
                r"\b(import_module|__import__)$", ast.unparse(node.func)
            ):
                (name,) = node.args
                assert isinstance(name, ast.Constant), path


REACHES_OUT = {
    "cli/ready": {"http.client"},
    "connect/subprocess_runner": {"subprocess"},
    "connect/probe_client": {"subprocess", "tornado.httpclient"},
    "markup/render_process": {"subprocess"},
    "ops/otel/exporters": {
        "opentelemetry.exporter.otlp.proto.http.metric_exporter",
        "opentelemetry.exporter.otlp.proto.http.trace_exporter",
    },
}
"""Commands that make connections or start programs for their user: no server imports
these, as the boundary of `connect` in setup.cfg states. The renderer starts one
program, our own module, which is connected to its parent only. The exporters connect
to the collector that the operator configured, and are loaded with `--otel` only.
"""


EXPORTERS = ("http.metric_exporter", "http.trace_exporter", "grpc")


def test_nothing_reaches_out() -> None:
    """The server opens no connection and starts no other program."""
    reaching = {"subprocess", "urllib.request", "http.client", "pickle", "ftplib"}
    reaching |= {f"opentelemetry.exporter.otlp.proto.{name}" for name in EXPORTERS}
    reaching |= {"tornado.httpclient", "tornado.tcpclient", "tornado.curl_httpclient"}
    for path in MODULES:
        forbidden = reaching - REACHES_OUT.get(name_of(path), set())
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assert not forbidden & set(import_statements(tree)), path


def test_no_file_names_a_machine() -> None:
    """A clone elsewhere has only itself and the package registries."""
    machine = re.compile(r"(?<!\w)/(?:root|work|Users|home/(?!you/))/")
    folders = ("asdlc_kb", "benchmarks", "deploy", "docs", "tests")
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*.*")]
    top = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "setup.cfg", "tox.ini")
    for path in [*paths, *(ROOT / name for name in top)]:
        if "node_modules" in path.parts:
            continue
        if path.suffix in {".py", ".md", ".cfg", ".ini", ".conf", ".service", ".js"}:
            text = path.read_text(encoding="utf-8")
            if path != Path(__file__):
                assert not machine.search(text), path
