"""The services of compose.store.yaml, started on an empty database."""

from pathlib import Path

from support.canary import Scanner
from support.deploy import document
from support.knowledge import KnowledgeBase
from support.processes import run_cli, start_cli


def test_the_first_start_needs_no_order(
    *,
    database: str,
    knowledge: KnowledgeBase,
    tmp_path: Path,
    scanner: Scanner,
) -> None:
    """The server waits for the schema and content that the other service writes."""
    services = document("docker/compose.store.yaml")["services"]
    environments = {
        name: {
            **service["environment"],
            "ASDLC_KB_STORE": database,
            "ASDLC_KB_CACHE_DIR": str(tmp_path / name),
        }
        for name, service in services.items()
    }
    command, *words = services["server"]["command"]
    with start_cli(
        *(command, "--port", "0", *words),
        scanner=scanner,
        cwd=tmp_path,
        env=environments["server"],
    ) as server:
        server.wait_for_event("mirror not updated")
        once = [word for word in services["ingest"]["command"] if word != "--follow"]
        env = environments["ingest"]
        done = run_cli(*once, scanner=scanner, cwd=knowledge.root.parent, env=env)
        assert done.code == 0, done.err
        while (line := server.read_line()) and b"Articles" not in line:
            pass
        assert b"1 served" in line, server.read_stderr()
