"""A server with the role of readers, and a database that logs all statements."""

from pathlib import Path

from store.postgres import postgres_server
from store.test_serve import CALLS, PAGES, call, fill, read_store, send, wait_until
from support.canary import CANARY, Scanner
from support.processes import serve_process

ROLE = "visitor"
LOGGED = {"log_statement": "all", "log_line_prefix": "%u: ", "log_duration": "on"}
FORMS = (CANARY, CANARY.encode().hex())
"""The canary as text and as PostgreSQL writes bytes."""


def test_no_statement_and_no_answer_has_hidden_content(
    tmp_path: Path, scanner: Scanner
) -> None:
    """The writer, which sends hidden files, needs a setting for that."""
    with postgres_server(**LOGGED) as postgres:
        postgres.query("ALTER ROLE postgres SET log_parameter_max_length = 0")
        source = fill(tmp_path, postgres.url)
        postgres.create_role(ROLE, "asdlc_reader")
        options = ("--store", postgres.url_for(ROLE))
        cache = ("--cache-dir", str(tmp_path / "cache"))
        with serve_process(
            None, *options, *cache, scanner=scanner, cwd=tmp_path
        ) as served:
            source.docs.write("index.md", "# Handbook\n\nOf the next snapshot.\n")
            source.docs.write("guide/hidden.md", f"# {CANARY}\n")
            snapshots = source.ingest()
            wait_until(lambda: read_store(served.port)["snapshots"] == snapshots)
            for path in PAGES:
                scanner.scan(send(served.port, path).body, ("answer", path))
            for tool, arguments in CALLS:
                scanner.scan(str(call(served.port, tool, arguments)).encode(), tool)
        log = [*postgres.log]
    assert any(line.startswith(f"{ROLE}: ") and "visible_" in line for line in log)
    assert not [line for line in log if any(form in line for form in FORMS)]
