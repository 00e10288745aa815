"""Configuration files of third parties: their commands are neither run nor trusted."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from click.testing import CliRunner, Result
from support.answering import answering
from support.canary import Scanner
from support.files import save_in_place
from support.knowledge import KnowledgeBase
from support.processes import Finished, environment, run_cli, serve_process

from asdlc_kb.cli import main
from asdlc_kb.ops.auth.bearer_tokens import format_line

CHECK = ("connect", "--check", "--scope", "project", "--name", "asdlc", "cursor")
KB = "https://kb.example/mcp"
BIN = Path(sys.executable).parent

Invoke: TypeAlias = Callable[..., Result]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A cloned repository, and a home with a client of the user."""
    entry = {"url": "https://bank.example/mcp"}
    servers = {"mcpServers": {"bank": entry}}
    save_in_place(tmp_path / "home/.cursor/mcp.json", json.dumps(servers))
    (tmp_path / "clone").mkdir()
    return tmp_path / "clone"


def write_entry(clone: Path, entry: object, name: str = "asdlc") -> None:
    """Write an entry of the repository for a server."""
    text = json.dumps({"mcpServers": {name: entry}})
    save_in_place(clone / ".cursor" / "mcp.json", text)


def own_environment(clone: Path) -> dict[str, str]:
    """Return variables of a home next to the repository."""
    return {"HOME": str(clone.parent / "home"), "PATH": f"{BIN}:/usr/bin:/bin"}


def run(clone: Path, scanner: Scanner, *words: str | Path, **more: str) -> Finished:
    """Run a command in the repository, with a home next to it."""
    env = environment(own_environment(clone) | more)
    return run_cli(*words, scanner=scanner, cwd=clone, env=env)


@pytest.fixture
def invoke(clone: Path, scanner: Scanner, monkeypatch: pytest.MonkeyPatch) -> Invoke:
    """Run commands in the repository, in this process.

    A start of another one takes longer than most commands.
    """
    monkeypatch.chdir(clone)

    def invoke(*words: str, **more: str) -> Result:
        done = CliRunner().invoke(main, words, env=own_environment(clone) | more)
        scanner.scan(done.output.encode(), words)
        assert isinstance(done.exception, SystemExit | None)
        return done

    return invoke


def read_home(clone: Path) -> Any:
    """Return the servers of the user's own file."""
    path = clone.parent / "home" / ".cursor" / "mcp.json"
    return json.loads(path.read_text())["mcpServers"]


@pytest.mark.parametrize(
    "program", [["asdlc-kb"], [sys.executable, "-P", "-m", "asdlc_kb"]]
)
def test_a_check_does_not_run_this_program_with_words_of_a_repository(
    clone: Path, scanner: Scanner, program: list[str]
) -> None:
    """A file of the working directory determines no argument."""
    words = [*program, *("connect", "cursor", "--force", "--name", "bank")]
    write_entry(clone, {"command": words[0], "args": [*words[1:], "--url", KB]})
    done = run(clone, scanner, *CHECK)
    assert read_home(clone) == {"bank": {"url": "https://bank.example/mcp"}}
    assert done.code == 1, done.err
    assert "would write: " + " ".join(words) in done.out


def test_a_check_starts_what_connect_itself_has_written(
    clone: Path, scanner: Scanner, knowledge: KnowledgeBase
) -> None:
    """Word for word; with another folder it is another command."""
    options = ("--content", knowledge.root, "--name", "asdlc")
    written = run(clone, scanner, *CHECK[:1], *CHECK[2:], "--stdio", *options)
    assert written.code == 0, written.err
    done = run(clone, scanner, *CHECK, *options)
    assert (done.code, "FAILED" in done.out) == (0, False), done.out
    other = run(clone, scanner, *CHECK, "--content", clone, "--name", "asdlc")
    assert other.code == 1
    assert "not started, because" in other.out


@pytest.mark.parametrize(
    "words",
    [
        ["/bin/sh", "-c", "exit #", "asdlc-kb", "-P"],
        ["/bin/sh", "-P", "-m", "asdlc_kb", "stdio"],
        [sys.executable, "-P", "evil.py", "-m", "asdlc_kb", "stdio"],
        ["asdlc-kb", "connect", "cursor", "--force"],
        ["./asdlc-kb", "stdio"],
        ["/proc/self/cwd/asdlc-kb", "stdio"],
    ],
)
def test_doctor_knows_this_program_by_the_place_of_its_words(
    clone: Path, invoke: Invoke, words: list[str]
) -> None:
    """Any argument of a command may have our name."""
    save_in_place(clone / "asdlc-kb", "#!/bin/sh\n").chmod(0o755)
    write_entry(clone, {"command": words[0], "args": words[1:]})
    done = invoke("doctor", "--port", "1", "--name", "asdlc", "--json")
    (found,) = [row for row in json.loads(done.stdout) if row["subject"] == "Cursor"]
    assert found["level"] == "warning", found
    assert "points to" in found["message"]


@pytest.mark.parametrize(
    "entry",
    [
        {"url": "http://[::1"},
        {"url": "http://\ud800/"},
        {"url": "http://a..b/"},
        {"url": "http://127.0.0.1:1/\ud800"},
        {"url": "http://x\0y/"},
        {"url": "http://127.0.0.1:1/\u00e4 b"},
        {"command": "asdlc-kb", "args": ["stdio", "a\0b"]},
        {"command": "asdlc-kb", "args": ["stdio", "\ud800"]},
        {"command": "a\0b"},
    ],
)
@pytest.mark.parametrize("scope", ["user", "project"])
def test_no_entry_ends_a_command_unforeseen(
    clone: Path, invoke: Invoke, entry: object, scope: str
) -> None:
    """An invalid URL or an invalid command is a finding among others."""
    write_entry(clone if scope == "project" else clone.parent / "home", entry)
    for words in (
        ("doctor", "--port", "1"),
        ("connect", "--check", "--scope", scope, "cursor"),
        ("connect", "--dry-run", "--scope", scope, "--url", KB, "cursor"),
    ):
        done = invoke(*words)
        assert "unexpected error" not in done.output
        assert "cursor" in done.output.lower()


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (".codex/config.toml", ".".join("a" * 20_000) + "=1", "more than 100 dots"),
        (".codex/config.toml", "#" * 2**20 + "\n", "larger than 1,048,576 bytes"),
        (".codex/config.toml", "a = " + "1" * 5000, "it is broken TOML"),
        (".cursor/mcp.json", '"' + '\\"' * 100_000, "it is broken JSON"),
    ],
)
def test_no_file_takes_long_to_refuse(
    clone: Path, scanner: Scanner, name: str, text: str, message: str
) -> None:
    """D-139: within the bound of `run_cli`: some parsers are quadratic."""
    save_in_place(clone / name, text)
    done = run(clone, scanner, "doctor", "--port", "1")
    assert message in done.out, done.err


@pytest.mark.parametrize("name", [".cursor", ".cursor/mcp.json"])
def test_a_link_of_a_repository_leads_no_edit_out_of_it(
    clone: Path, scanner: Scanner, name: str
) -> None:
    """The user's own file stays unchanged, without a backup."""
    before = read_home(clone)
    (clone / name).parent.mkdir(exist_ok=True)
    (clone / name).symlink_to(clone.parent / "home" / name)
    for words in ((), ("--remove", "--name", "bank")):
        done = run(
            clone,
            scanner,
            "connect",
            "--scope",
            "project",
            "--url",
            KB,
            *words,
            "cursor",
        )
        assert done.code == 1
        assert "links lead out of the project" in done.out
    assert read_home(clone) == before
    assert [path.name for path in (clone.parent / "home/.cursor").iterdir()] == [
        "mcp.json"
    ]


@pytest.mark.parametrize(
    ("status", "challenge"),
    [(200, ""), (401, ""), (401, "Bearer"), (401, 'Basic realm="asdlc-kb"')],
)
def test_a_token_is_not_sent_to_another_program(
    invoke: Invoke, status: int, challenge: str
) -> None:
    """On our port or at a named address: the first request has no token."""
    seen: list[str] = []

    def answer(method: str, headers: Any, body: bytes) -> Any:
        seen.append(str(headers))
        return status, {"WWW-Authenticate": challenge}, b"{}"

    with answering(answer) as url:
        port = url.rpartition(":")[2].removesuffix("/mcp")
        for words in (
            ("doctor", "--port", port),
            ("connect", "--check", "--port", port),
            ("connect", "--check", "--url", url),
        ):
            invoke(*words, ASDLC_KB_TOKEN="akb_SECRET")
    assert len(seen) >= 3
    assert not [each for each in seen if "akb_SECRET" in each or "Authoriz" in each]


def test_a_token_is_sent_to_this_server_once_it_asks(
    clone: Path, scanner: Scanner, knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """RFC 6750: a challenge comes first."""
    file = save_in_place(tmp_path / "tokens", format_line("me", "akb_mine"))
    options = ("--auth-tokens-file", str(file))
    with serve_process(knowledge.root, *options, scanner=scanner) as served:
        words = ("connect", "--check", "--port", str(served.port))
        done = run(clone, scanner, *words, ASDLC_KB_TOKEN="akb_mine")
    assert done.code == 0, done.out
