"""What clients find in a certificate, and how an operator hears of it."""

import re
import signal
import urllib.request
from pathlib import Path

import pytest
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.processes import BOUND, serve_process
from support.rolling import find_port
from support.tls import Certificate, make_certificate, run_openssl

from asdlc_kb.app.certificate import inspect_certificate
from asdlc_kb.cli.doctor.checks import check_certificate
from asdlc_kb.settings import Settings

DAY = 86_400


@pytest.fixture
def certificate(tmp_path: Path) -> Certificate:
    """A certificate of this test, for localhost and two days."""
    return make_certificate(tmp_path)


def test_the_time_of_a_certificate_is_compared_with_now(
    certificate: Certificate,
) -> None:
    """It ends, has ended or has not begun; a quarter of two days is half a day."""
    context, cert = certificate.server(), str(certificate.cert)
    ends = inspect_certificate(context, cert, None, 0.0).ends
    assert ends is not None

    def problems(now: float) -> str:
        return " ".join(inspect_certificate(context, cert, None, now).problems)

    assert problems(ends - DAY) == ""
    assert "the certificate ends on " in problems(ends - DAY / 3)
    assert "the certificate ended on " in problems(ends + 1)
    assert "the certificate begins on " in problems(ends - 3 * DAY)


@pytest.mark.parametrize(
    ("base_url", "accepted"),
    [
        (None, True),
        ("https://localhost:8443", True),
        ("https://127.0.0.1", True),
        ("https://kb.example.com", False),
        ("https://192.0.2.1/docs", False),
    ],
)
def test_a_certificate_is_for_the_host_of_the_public_address(
    certificate: Certificate, base_url: str | None, accepted: bool
) -> None:
    """RFC 9525: by its alternative names."""
    context, cert = certificate.server(), str(certificate.cert)
    ends = inspect_certificate(context, cert, None, 0.0).ends
    assert ends is not None
    report = inspect_certificate(context, cert, base_url, ends - DAY)
    assert (report.problems == ()) == accepted
    assert accepted or "the host of base_url" in report.problems[0]


def test_a_certificate_for_no_server_is_reported(tmp_path: Path) -> None:
    """For clients only: no time or host makes it acceptable."""
    made = Certificate(tmp_path / "c.crt", tmp_path / "c.key")
    run_openssl(
        *("req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=client"),
        *("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"),
        *("-addext", "extendedKeyUsage=clientAuth"),
        *("-out", str(made.cert), "-keyout", str(made.key)),
    )
    made.key.chmod(0o600)
    report = inspect_certificate(made.server(), str(made.cert), None, 0.0)
    assert report.ends is None
    assert report.problems[0].startswith("clients reject the certificate: ")


def test_the_log_the_metric_and_doctor_report_it(
    certificate: Certificate, knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """At the start and after a reload: here of a base URL with another host."""
    file = certificate.cert.with_name("kb.toml")
    file.write_text('title = "Handbook"\n')
    options = ("--config", str(file), *certificate.options)
    problem = "the certificate is not for kb.example.com, the host of base_url"
    with serve_process(knowledge.root, *options, scanner=scanner) as served:
        url = f"https://localhost:{served.port}/metrics"
        client = certificate.client()
        with urllib.request.urlopen(url, timeout=BOUND, context=client) as answer:
            scraped = answer.read().decode()
        file.write_text('base_url = "https://kb.example.com"\n')
        served.running.signal(signal.SIGHUP)
        (line,) = served.running.wait_for_event(problem)
        assert line["file"] == str(certificate.cert)
    context = certificate.server()
    report = inspect_certificate(context, str(certificate.cert), None, 0.0)
    (value,) = re.findall(
        r"^asdlc_kb_tls_certificate_not_after_seconds (\S+)$", scraped, re.MULTILINE
    )
    assert float(value) == report.ends
    settings = Settings(
        base_url="https://kb.example.com",
        tls_cert=str(certificate.cert),
        tls_key=str(certificate.key),
    )
    (result,) = check_certificate(settings)
    assert (result.level, result.message) == ("warning", problem)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_start_with_a_certificate_that_clients_reject_is_logged_once(
    certificate: Certificate, knowledge: KnowledgeBase, scanner: Scanner, workers: str
) -> None:
    """It starts: a reload after the renewal is then enough. D-124: one line for all."""
    port = find_port()
    address = ("--port", str(port), "--base-url", f"https://kb.example.com:{port}")
    options = (*certificate.options, *address, "--workers", workers)
    problem = "the certificate is not for kb.example.com, the host of base_url"
    with serve_process(knowledge.root, *options, scanner=scanner) as served:
        served.running.signal(signal.SIGHUP)
        served.running.wait_for_event("reloaded")
        done = served.stop()
    assert (done.code, done.err.count(problem)) == (0, 2)


def test_doctor_is_silent_without_a_certificate(certificate: Certificate) -> None:
    """One that is accepted is named; a pair that cannot be used is a failure."""
    assert list(check_certificate(Settings())) == []
    settings = Settings(tls_cert=str(certificate.cert), tls_key=str(certificate.key))
    (result,) = check_certificate(settings)
    assert (result.level, result.message) == ("ok", str(certificate.cert))
    certificate.key.write_text("")
    certificate.key.chmod(0o600)
    (result,) = check_certificate(settings)
    assert result.level == "failure"
