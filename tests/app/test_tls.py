"""TLS of the server: certificates, their files, and their replacement."""

import signal
import socket
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.canary import Scanner
from support.inherited import HAND_OVER
from support.knowledge import KnowledgeBase
from support.loglines import captured
from support.processes import BOUND, Served, run_cli, serve_process, start_cli
from support.tls import Certificate, make_certificate, run_openssl

from asdlc_kb.app.tls import open_tls, require_no_tls
from asdlc_kb.exceptions import OperationalError, SettingsError
from asdlc_kb.settings import Settings


@pytest.fixture
def certificate(tmp_path: Path) -> Certificate:
    """A certificate of this test."""
    return make_certificate(tmp_path)


def test_without_a_certificate_there_is_no_tls() -> None:
    """It is the default."""
    assert open_tls(Settings()) is None


def test_old_versions_and_renegotiation_are_refused(certificate: Certificate) -> None:
    """RFC 8996: TLS 1.2 is the least; and only HTTP/1.1 is negotiated."""
    context = certificate.server()
    assert context.minimum_version == ssl.TLSVersion.TLSv1_2
    assert context.options & ssl.OP_NO_RENEGOTIATION


def test_both_files_are_named_or_neither(certificate: Certificate) -> None:
    """Never serve unencrypted because one was forgotten."""
    for settings in (
        Settings(tls_cert=str(certificate.cert)),
        Settings(tls_key=str(certificate.key)),
    ):
        with pytest.raises(SettingsError, match="name both files, or neither"):
            open_tls(settings)


def lose_key(made: Certificate) -> None:
    """Remove the key."""
    made.key.unlink()


def swap(made: Certificate) -> None:
    """Exchange the two files."""
    cert, key = made.cert.read_bytes(), made.key.read_bytes()
    made.cert.write_bytes(key)
    made.key.write_bytes(cert)


def use_other_key(made: Certificate) -> None:
    """Replace the key by that of another certificate."""
    other = make_certificate(made.key.parent, "other")
    made.key.write_bytes(other.key.read_bytes())


def encrypt_key(made: Certificate) -> None:
    """Protect the key with a password."""
    words = ("pkey", "-in", str(made.key), "-aes256", "-passout", "pass:hush")
    run_openssl(*words, "-out", str(made.key) + ".new")
    Path(f"{made.key}.new").rename(made.key)
    made.key.chmod(0o600)


def garble(made: Certificate) -> None:
    """Damage the certificate within its frame."""
    lines = made.cert.read_text().splitlines()
    made.cert.write_text("\n".join([lines[0], "AAAA", *lines[2:]]))


def make_folder(made: Certificate) -> None:
    """Put a folder where the certificate was."""
    made.cert.unlink()
    made.cert.mkdir()


def share_key(made: Certificate) -> None:
    """Let every user write the key."""
    made.key.chmod(0o666)


@pytest.mark.parametrize(
    ("spoil", "expected"),
    [
        (lose_key, "cannot read {key}: no such file"),
        (make_folder, "cannot read {cert}: it is not a file"),
        (swap, "{cert}: there is no certificate in it"),
        (use_other_key, "{key} is not the key of the certificate in {cert}"),
        (encrypt_key, "{key}: the key is encrypted"),
        (garble, "{cert} and {key} cannot be used"),
        (share_key, "{key}: other users can write it"),
    ],
)
def test_a_bad_pair_is_refused_with_advice(
    certificate: Certificate, spoil: Callable[[Certificate], None], expected: str
) -> None:
    """The message names the file, the fault and what to do, and no part of a key."""
    spoil(certificate)
    with pytest.raises(OperationalError) as caught:
        certificate.server()
    named = expected.format(cert=certificate.cert, key=certificate.key)
    assert str(caught.value).startswith(named)


def test_a_key_that_all_users_can_read_is_warned_of(certificate: Certificate) -> None:
    """Mounted secrets have such modes, so it is used."""
    certificate.key.chmod(0o644)
    with captured("asdlc_kb.ops.auth") as lines:
        certificate.server()
    (row,) = lines.rows
    assert "can read a secret" in row["event"]
    assert row["advice"] == f"chmod o-r {certificate.key}"


def test_tls_is_refused_on_a_unix_socket(tmp_path: Path) -> None:
    """A proxy there speaks plain HTTP."""
    require_no_tls([])
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "s"))
        with pytest.raises(OperationalError, match="let the proxy serve HTTPS"):
            require_no_tls([listening])


def read_certificate(port: int) -> str:
    """Return the certificate that new connections get, in PEM."""
    return ssl.get_server_certificate(("127.0.0.1", port), timeout=BOUND)


def fetch(served: Served, certificate: Certificate, path: str) -> bytes:
    """Fetch a page with curl, which trusts one certificate."""
    words = ["curl", "--silent", "--show-error", "--fail", "--noproxy", "*"]
    words += ["--cacert", str(certificate.cert), "--max-time", str(int(BOUND))]
    done = subprocess.run(
        [*words, f"https://localhost:{served.port}{path}"],
        check=False,
        capture_output=True,
        timeout=BOUND * 2,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@contextmanager
def serving(
    knowledge: KnowledgeBase, certificate: Certificate, *options: str, scanner: Scanner
) -> Iterator[Served]:
    """Run a server with the certificate."""
    options = (*certificate.options, *options)
    with serve_process(knowledge.root, *options, scanner=scanner) as served:
        yield served


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_certificate_is_replaced_while_running(
    knowledge: KnowledgeBase, certificate: Certificate, scanner: Scanner, workers: str
) -> None:
    """SIGHUP: new connections get the new one; a bad one is reported, and not used."""
    with serving(
        knowledge, certificate, "--workers", workers, scanner=scanner
    ) as served:
        assert b"<title>" in fetch(served, certificate, "/")
        first = read_certificate(served.port)
        assert first == certificate.cert.read_text()
        key = certificate.key.read_bytes()
        use_other_key(certificate)
        served.running.signal(signal.SIGHUP)
        (refusal,) = served.running.wait_for_event("reload refused")
        assert "is not the key of the certificate" in refusal["reason"]
        assert read_certificate(served.port) == first
        certificate.key.write_bytes(key)
        renewed = make_certificate(certificate.cert.parent, "renewed")
        certificate.cert.write_bytes(renewed.cert.read_bytes())
        certificate.key.write_bytes(renewed.key.read_bytes())
        served.running.signal(signal.SIGHUP)
        # Each worker reloads by itself, and any of them may accept a connection.
        served.running.wait_for_event("reloaded", int(workers))
        assert read_certificate(served.port) == renewed.cert.read_text()
        fetch(served, renewed, "/health")
        assert served.stop().code == 0


def test_the_banner_and_the_tools_name_https(
    knowledge: KnowledgeBase, certificate: Certificate, scanner: Scanner
) -> None:
    """Banner, `connect` and `doctor`; a certificate that is not trusted is named."""
    with serving(knowledge, certificate, scanner=scanner) as served:
        banner = served.running.written.decode()
        address = f"https://127.0.0.1:{served.port}/mcp"
        assert f"MCP       {address}" in banner
        where = ("--port", str(served.port), *certificate.options)
        checked = run_cli("doctor", *where, scanner=scanner, cwd=knowledge.root.parent)
        assert f"Port {served.port}: in use by asdlc-kb" in checked.out
        assert "its certificate is not accepted" in checked.out
        trusting = {"SSL_CERT_FILE": str(certificate.cert)}
        checked = run_cli(
            "doctor", *where, scanner=scanner, cwd=knowledge.root.parent, env=trusting
        )
        assert f"ok       Server, initialize: {address}" in checked.out
        plain = run_cli(
            "doctor",
            *("--url", address.replace("https", "http")),
            scanner=scanner,
            cwd=knowledge.root.parent,
        )
        assert "this port serves HTTPS" in plain.out, plain.out


def test_a_start_without_a_usable_pair_fails_in_one_line(
    knowledge: KnowledgeBase, certificate: Certificate, scanner: Scanner
) -> None:
    """Exit code 3, no traceback; 2 if one of the files is not named."""
    use_other_key(certificate)
    for options, code in (
        (certificate.options, 3),
        ((*certificate.options, "--workers", "2"), 3),
        (certificate.options[:2], 2),
    ):
        args = ("--port", "0", *options)
        done = run_cli(
            *("serve", str(knowledge.root), *args),
            scanner=scanner,
            cwd=knowledge.root.parent,
        )
        assert (done.code, done.out) == (code, "")
        assert done.err.startswith("asdlc-kb: ")
        assert len(done.err.splitlines()) == 1


def test_a_unix_socket_with_tls_does_not_start(
    knowledge: KnowledgeBase,
    certificate: Certificate,
    scanner: Scanner,
    tmp_path: Path,
) -> None:
    """Inherited from systemd: its peers would send plain HTTP."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "s"))
        listening.listen()
        number = listening.fileno()
        prefix = (sys.executable, "-c", HAND_OVER, str(number))
        with start_cli(
            *("serve", str(knowledge.root), *certificate.options),
            scanner=scanner,
            cwd=knowledge.root.parent,
            prefix=prefix,
            fds=(number,),
        ) as it:
            done = it.wait()
    assert (done.code, done.out) == (3, "")
    assert "do not apply to a Unix socket" in done.err
