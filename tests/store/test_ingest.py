"""The commands `ingest`, `source` and `export`, as processes, with a real server."""

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from store.postgres import PASSWORD, PostgresServer, postgres_server
from support.canary import CANARY, Scanner
from support.processes import Finished, Running, run_cli, start_cli
from support.stored_trees import describe, load

from asdlc_kb.settings import Settings

HEAD = "title: T\ndescription: D\ntags: [x]\nlastUpdated: 2026-01-01"
Run = Callable[..., Finished]


def article(status: str, text: str = "Words.") -> str:
    """Return an article."""
    return f"---\n{HEAD}\nstatus: {status}\n---\n{text}\n"


def save(path: Path, text: str) -> None:
    """Save a file as editors do."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.new")
    new.write_text(text)
    os.replace(new, path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A working directory with articles and a site of MkDocs."""
    save(tmp_path / "content/concepts/shown.md", article("Live"))
    save(tmp_path / "content/concepts/secret.md", article("Draft", CANARY))
    save(
        tmp_path / "site/mkdocs.yml",
        "site_name: Site\nnav: [index.md, use.md]\n",
    )
    save(tmp_path / "site/docs/index.md", "# Home\n\n[Use](use.md)\n")
    save(tmp_path / "site/docs/use.md", "# Use\n")
    save(tmp_path / "site/docs/secret.md", f"---\ndraft: true\n---\n{CANARY}\n")
    return tmp_path


@pytest.fixture
def run(folder: Path, database: str, scanner: Scanner) -> Run:
    """Run a command with the store in the environment."""

    def start(*arguments: str | Path) -> Finished:
        env = {"ASDLC_KB_STORE": database}
        return run_cli(*arguments, scanner=scanner, cwd=folder, env=env)

    return start


SOURCES = ("content", "--docs", "site=site/docs")


def rows(done: Finished) -> dict[str, dict[str, Any]]:
    """Return the sources of a command's JSON, by name."""
    assert done.code == 0, done.err
    return {row["name"]: row for row in json.loads(done.out)}


def test_sources_are_written_changed_and_listed(run: Run, folder: Path) -> None:
    """Each prints its snapshot; unchanged ones keep theirs; removed means removed."""
    first = rows(run("ingest", *SOURCES, "--json"))
    assert [first[name]["hidden"] for name in ("articles", "site")] == [1, 1]
    assert [first[name]["files"] for name in ("articles", "site")] == [1, 3]
    again = rows(run("ingest", *SOURCES, "--json"))
    changes = [(row["written"], row["removed"]) for row in again.values()]
    assert changes == [(0, 0), (0, 0)]
    assert again["site"]["snapshot"] == first["site"]["snapshot"]
    save(folder / "content/concepts/shown.md", article("Proposed"))
    (folder / "site/docs/use.md").unlink()
    save(folder / "site/docs/index.md", "# Other\n")
    done = run("ingest", *SOURCES)
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0].endswith("0 files, 2 hidden, 1 file removed")
    assert lines[1].endswith("2 files, 1 hidden, 1 file written, 1 file removed")
    listed = rows(run("source", "list", "--json"))
    assert [listed[name]["files"] for name in ("articles", "site")] == [0, 2]
    assert listed["site"]["snapshot"] > first["site"]["snapshot"]
    assert listed["site"]["options"]["folder"] == "docs"
    assert f"snapshot {listed['site']['snapshot']}," in lines[1]


def test_parsed_files_are_found_again(
    run: Run, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """By the next command, if there is a cache folder."""
    cache = ("--cache-dir", tmp_path_factory.mktemp("cache"))
    assert run("ingest", *SOURCES, *cache).code == 0
    info = json.loads(run("index", "info", *SOURCES, *cache, "--json").out)
    found = [(row["exists"], row["filesToParse"]) for row in info if "file" in row]
    assert found == [(True, 0), (True, 0)]
    done = run("ingest", *SOURCES, "--cache-dir", folder / "content/concepts/shown.md")
    assert (done.code, done.err.count("parsed files are not stored")) == (0, 2)


def test_an_unusable_configuration_removes_nothing(run: Run, folder: Path) -> None:
    """Which pages are visible is not known."""
    assert run("ingest", "--docs", "site").code == 0
    save(folder / "site/mkdocs.yml", "nav: [")
    done = run("ingest", "--docs", "site")
    message = "docs: mkdocs.yml: not used: it is not YAML (line 1): correct it"
    assert (done.code, done.err) == (3, f"asdlc-kb: {message}\n")
    (source,) = json.loads(run("source", "list", "--json").out)
    assert source["files"] > 1


def test_an_export_is_served_as_the_original(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From a folder to the store and back, without hidden files."""
    rows(run("ingest", *SOURCES, "--json"))
    done = run("export", "site", "back")
    assert done.code == 0, done.err
    assert done.out.endswith(f"3 files in {folder / 'back'}\n")
    copied = {p.name for p in (folder / "back").rglob("*") if p.is_file()}
    assert copied == {"mkdocs.yml", "index.md", "use.md"}
    monkeypatch.chdir(folder / "site")
    original = describe(load(Settings(docs=(str(folder / "site/docs"),))).docs)
    assert original["recognized"] == ["mkdocs"]
    assert describe(load(Settings(docs=(str(folder / "back/docs"),))).docs) == original
    assert not [name for name in os.listdir(folder) if name.startswith(".asdlc-kb")]
    assert run("export", "site", "back").code == 3
    assert run("export", "missing", "other").code == 3
    assert not (folder / "other").exists()


def test_sources_are_added_owned_rebuilt_and_removed(run: Run) -> None:
    """Another team cannot write a source, nor can a part of its sources be written."""
    assert run("source", "add", "site", "--owner", "blue").code == 0
    refused = run("ingest", *SOURCES, "--owner", "red")
    assert (refused.code, "belongs to blue" in refused.err) == (3, True)
    refused = run("ingest", *SOURCES)
    assert (refused.code, "no owner is given" in refused.err) == (3, True)
    assert rows(run("source", "list", "--json")).keys() == {"site"}
    before = rows(run("ingest", *SOURCES, "--owner", "blue", "--json"))
    assert run("source", "rebuild", "site").code == 0
    listed = rows(run("source", "list", "--json"))
    assert listed["site"]["owner"] == "blue"
    assert listed["site"]["snapshot"] > before["site"]["snapshot"]
    assert run("source", "remove", "site").code == 0
    assert "site" not in rows(run("source", "list", "--json"))
    done = run("source", "remove", "site")
    assert (done.code, "it has 'articles'" in done.err) == (3, True)


def test_names_of_sources_are_completed(
    folder: Path, database: str, scanner: Scanner
) -> None:
    """A shell completes them from the store."""
    env = {"ASDLC_KB_STORE": database}
    run_cli("ingest", *SOURCES, scanner=scanner, cwd=folder, env=env)
    words = {"COMP_WORDS": "asdlc-kb source remove s", "COMP_CWORD": "3"}
    done = run_cli(
        scanner=scanner,
        cwd=folder,
        env={**env, **words, "_ASDLC_KB_COMPLETE": "bash_complete"},
        command=(Path(sys.executable).with_name("asdlc-kb"),),
    )
    assert done.out == "plain,site\n"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--store", "mysql://x"], 2, "store"),
        (["--store", "postgresql://u:hunter2@127.0.0.1:1/x"], 3, "cannot be reached"),
        ([], 2, "no store"),
    ],
)
def test_a_store_that_cannot_be_used_is_an_error_without_its_password(
    folder: Path, scanner: Scanner, arguments: list[str], code: int, message: str
) -> None:
    """Exit codes 2 and 3, one line, no secret."""
    done = run_cli("ingest", *SOURCES, *arguments, scanner=scanner, cwd=folder)
    assert done.code == code
    assert message in done.err
    assert "hunter2" not in done.err
    assert "Traceback" not in done.err


def test_the_password_may_come_from_the_environment_or_a_file(
    folder: Path, postgres: PostgresServer, database: str, scanner: Scanner
) -> None:
    """PGPASSWORD, .pgpass and service files work as with other clients."""
    name = database.rpartition("/")[2]
    port = postgres.port
    bare = f"postgresql://postgres@127.0.0.1:{port}/{name}"
    secret = folder / "pgpass"
    escaped = PASSWORD.replace("\\", "\\\\").replace(":", "\\:")
    secret.write_text(f"127.0.0.1:{port}:{name}:postgres:{escaped}\n")
    secret.chmod(0o600)
    service = folder / "services"
    service.write_text(
        f"[kb]\nhost=127.0.0.1\nport={port}\ndbname={name}\nuser=postgres\n"
    )
    by_service = {"PGSERVICEFILE": str(service), "PGPASSFILE": str(secret)}
    for address, env in (
        (bare, {"PGPASSWORD": PASSWORD}),
        (bare, {"PGPASSFILE": str(secret)}),
        ("postgresql://?service=kb", by_service),
    ):
        done = run_cli(
            *("ingest", *SOURCES, "--store", address),
            scanner=scanner,
            cwd=folder,
            env=env,
        )
        assert done.code == 0, done.err
        assert PASSWORD not in done.out + done.err


def test_each_login_needs_its_role_only(
    folder: Path, postgres: PostgresServer, database: str, scanner: Scanner
) -> None:
    """The owner migrates; a writer writes; a reader exports no hidden file."""
    name = database.rpartition("/")[2]

    def start(user: str, *arguments: str) -> Finished:
        address = ("--store", postgres.url_for(user, name))
        return run_cli(*arguments, *address, scanner=scanner, cwd=folder)

    postgres.create_role(f"outsider_{name}")
    outsider = start(f"outsider_{name}", "ingest", *SOURCES)
    assert (outsider.code, outsider.err.count("\n")) == (3, 1)
    assert start("postgres", "ingest", *SOURCES).code == 0
    postgres.create_role(f"writer_{name}", "asdlc_ingest")
    postgres.create_role(f"reader_{name}", "asdlc_reader")
    save(folder / "site/docs/use.md", f"---\ndraft: true\n---\n{CANARY}\n")
    save(folder / "content/concepts/more.md", article("Live"))
    written = start(f"writer_{name}", "ingest", *SOURCES)
    assert written.code == 0, written.err
    assert written.out.splitlines()[1].endswith("1 file removed")
    for command in (("ingest", *SOURCES), ("source", "remove", "site")):
        save(folder / "site/docs/index.md", "# Other\n")
        refused = start(f"reader_{name}", *command)
        assert (refused.code, "grant it asdlc_ingest" in refused.err) == (3, True)
    exported = {}
    for source in ("articles", "site"):
        back = f"back/{source}"
        assert start(f"reader_{name}", "export", source, back).code == 0
        files = [path for path in (folder / back).rglob("*") if path.is_file()]
        exported[source] = sorted(path.name for path in files)
        assert not [p for p in files if CANARY.encode() in p.read_bytes()]
    assert exported["articles"] == ["more.md", "shown.md"]
    assert exported["site"] == ["index.md", "mkdocs.yml"]


def read_follower(process: Running, source: str) -> dict[str, Any]:
    """Return the next line of a follower about a source."""
    while line := process.read_line():
        if line.startswith(b'{"'):
            row: dict[str, Any] = json.loads(line)
            if row["name"] == source:
                return row
    raise AssertionError(process.read_stderr())


def skip_array(process: Running) -> None:
    """Read the result of the first write."""
    while process.read_line().rstrip() not in (b"]", b""):
        pass


def test_each_change_is_written_while_it_follows(
    folder: Path, database: str, scanner: Scanner
) -> None:
    """Edits, hidden pages, settings of the generator and attachments."""
    (folder / "site/docs/a.csv").write_text("1")
    save(folder / "site/docs/use.md", "# Use\n\n[data](a.csv)\n")
    arguments = ("ingest", *SOURCES, "--follow", "--json", "--store", database)
    with start_cli(*arguments, scanner=scanner, cwd=folder) as process:
        skip_array(process)
        save(folder / "site/docs/index.md", "# Edited\n")
        assert read_follower(process, "site")["written"] == 1
        save(folder / "content/concepts/shown.md", article("Draft"))
        row = read_follower(process, "articles")
        assert (row["removed"], row["files"]) == (1, 0)
        save(folder / "site/mkdocs.yml", "site_name: Other\n")
        assert read_follower(process, "site")["written"] == 1
        (folder / "site/docs/a.csv").write_text("1,2")
        assert read_follower(process, "site")["written"] == 1
        process.signal(signal.SIGINT)
        assert process.wait().code == 0


def test_a_follower_survives_an_outage_and_reports_it_once(
    folder: Path, scanner: Scanner
) -> None:
    """What changed meanwhile is written once the database is back."""
    with postgres_server() as server:
        arguments = ("ingest", *SOURCES, "--follow", "--json", "--store", server.url)
        with start_cli(*arguments, scanner=scanner, cwd=folder) as process:
            skip_array(process)
            server.kill()
            save(folder / "site/docs/index.md", "# Meanwhile\n")
            process.wait_for_stderr(b"store unavailable")
            server.start()
            assert read_follower(process, "site")["written"] == 1
            process.wait_for_stderr(b"store available again")
            assert process.read_stderr().count(b"store unavailable") == 1
            assert PASSWORD.encode() not in process.read_stderr()
