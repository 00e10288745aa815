"""Files that decide on access, writable by other users of the machine."""

import json
import signal
from http.client import HTTPConnection
from pathlib import Path

import pytest
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.processes import BOUND, run_cli, serve_process

from asdlc_kb.ops.auth.bearer_tokens import format_line, make_token


@pytest.fixture
def tokens(tmp_path: Path) -> Path:
    """A file with one token."""
    path = tmp_path / "tokens"
    path.write_text(format_line("mine", make_token()) + "\n")
    path.chmod(0o600)
    return path


def get(port: int, token: str) -> int:
    """Return the status of a page with a token."""
    connection = HTTPConnection("127.0.0.1", port, timeout=BOUND)
    try:
        connection.request("GET", "/", headers={"Authorization": f"Bearer {token}"})
        return connection.getresponse().status
    finally:
        connection.close()


@pytest.mark.parametrize("name", ["auth-tokens-file", "session-key-file"])
@pytest.mark.parametrize("mode", [0o666, 0o620])
def test_a_server_does_not_start_with_credentials_that_others_can_write(
    knowledge: KnowledgeBase, tokens: Path, scanner: Scanner, name: str, mode: int
) -> None:
    """D-080: exit code 3, with the file and what to do."""
    tokens.chmod(mode)
    done = run_cli(
        *("serve", knowledge.root, "--port", "0", f"--{name}", tokens), scanner=scanner
    )
    assert (done.code, done.out) == (3, "")
    assert f"{tokens}: other users can write it (mode {mode:04o})" in done.err
    assert f"chmod go-w {tokens}" in done.err


def test_tokens_that_others_can_write_are_not_reloaded(
    knowledge: KnowledgeBase, tokens: Path, scanner: Scanner
) -> None:
    """D-080: the reload is refused, and the former tokens are in force."""
    unknown = make_token()
    with serve_process(
        knowledge.root, "--auth-tokens-file", str(tokens), scanner=scanner
    ) as served:
        tokens.chmod(0o666)
        with tokens.open("a") as file:
            file.write(format_line("stranger", unknown) + "\n")
        served.running.signal(signal.SIGHUP)
        (line,) = served.running.wait_for_event("reload refused")
        assert "other users can write it (mode 0666)" in str(line["reason"])
        assert get(served.port, unknown) == 401
        served.stop()


def test_settings_that_others_can_write_are_not_reloaded(
    knowledge: KnowledgeBase, tokens: Path, tmp_path: Path, scanner: Scanner
) -> None:
    """D-080: a file that names the token file decides on access as well."""
    settings = tmp_path / "kb.toml"
    settings.write_text(f"auth_tokens_file = {json.dumps(str(tokens))}\n")
    settings.chmod(0o644)
    unknown = make_token()
    others = tmp_path / "others"
    others.write_text(format_line("stranger", unknown) + "\n")
    others.chmod(0o600)
    with serve_process(
        knowledge.root, "--config", str(settings), scanner=scanner
    ) as served:
        settings.chmod(0o666)
        settings.write_text(f"auth_tokens_file = {json.dumps(str(others))}\n")
        served.running.signal(signal.SIGHUP)
        (line,) = served.running.wait_for_event("reload refused")
        assert "other users can write it (mode 0666)" in str(line["reason"])
        assert get(served.port, unknown) == 401
        served.stop()


def test_a_key_that_every_user_can_read_is_used_and_warned_of(
    knowledge: KnowledgeBase, tmp_path: Path, scanner: Scanner
) -> None:
    """Docker mounts secrets this way; elsewhere the log says what to do."""
    key = tmp_path / "session.key"
    key.write_text("0123456789abcdef" * 2)
    key.chmod(0o444)
    with serve_process(
        knowledge.root, "--session-key-file", str(key), scanner=scanner
    ) as served:
        event = "all users can read a secret (mode 0444)"
        line, *_ = served.running.wait_for_event(event)
        assert line["file"] == str(key)
        assert line["level"] == "warning"
        served.stop()


def test_tokens_below_a_folder_that_others_can_write_are_refused(
    knowledge: KnowledgeBase, tokens: Path, tmp_path: Path, scanner: Scanner
) -> None:
    """D-080: they could rename the folder or the link; `doctor` reports the same."""
    shared = tmp_path / "shared"
    (shared / "in").mkdir(parents=True)
    tokens.rename(shared / "in" / "tokens")
    (tmp_path / "link").symlink_to("shared/in/tokens")
    shared.chmod(0o777)
    message = f"other users can write {shared} (mode 0777) and replace it"
    for path in (shared / "in" / "tokens", tmp_path / "link"):
        words = (knowledge.root, "--port", "0", "--auth-tokens-file", path)
        done = run_cli("serve", *words, scanner=scanner)
        assert (done.code, done.out) == (3, "")
        assert f"{path}: {message}" in done.err
        assert message in run_cli("doctor", *words, scanner=scanner).out
