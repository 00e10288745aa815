"""Access policy and rate limits, from settings and the files that they name."""

import sys
import time
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from support.issuer import AUDIENCE, ISSUER, configure, sign, write_claims
from support.knowledge import KnowledgeBase
from support.peers import open_app

from asdlc_kb.app import open_bearer, open_limits, rebuild
from asdlc_kb.exceptions import InvalidToken, OperationalError, SettingsError
from asdlc_kb.ops.auth.bearer_tokens import format_line
from asdlc_kb.settings import Settings


@pytest.mark.parametrize(
    ("given", "rates"),
    [
        ({}, ["120/min", "1200/min", "1200/min", "1200/min"]),
        (
            {"rate_limit_requests": 5, "rate_limit_window": 90},
            ["5/90s", "1200/min", "1200/min", "1200/min"],
        ),
        (
            {"rate_limit": "10/second", "rate_limit_requests": 5},
            ["10/s", "1200/min", "1200/min", "1200/min"],
        ),
        ({"rate_limit": "off"}, ["1200/min", "1200/min", "1200/min"]),
        ({"page_rate_limit": "7/hour"}, ["120/min", "7/hour", "7/hour", "7/hour"]),
        ({"page_rate_limit": "off"}, ["120/min"]),
    ],
)
def test_rates_are_those_of_the_settings(
    given: dict[str, Any], rates: list[str]
) -> None:
    """D-056: 120 calls a minute by default; one setting for both rates, or one for
    each.

    Searches of people, and requests refused for their host or origin, have the rate of
    pages.
    """
    limits = open_limits(Settings(**given))
    assert [str(limiter.rate) for limiter in limits.meters] == rates


def test_everybody_is_let_in_unless_it_is_said() -> None:
    """Authentication is off by default."""
    assert open_bearer(Settings(base_url="https://kb.example.com")) is None


def test_both_kinds_of_tokens_are_accepted_side_by_side(tmp_path: Path) -> None:
    """Programs use a token of the file, people one of the issuer."""
    file = tmp_path / "tokens"
    file.write_text(format_line("ci", "akb_one"))
    settings = Settings(auth_tokens_file=str(file), **configure(tmp_path))
    bearer = open_bearer(settings)
    assert bearer is not None
    assert bearer.tokens.identify("akb_one").name == "token:ci"
    token = sign(write_claims(time.time()))
    assert bearer.tokens.identify(token).name == "jwt:ada"


def test_the_audience_is_the_endpoint_unless_another_is_named(tmp_path: Path) -> None:
    """RFC 8707: a token is for the address that clients know."""
    now = time.time()
    given = {**configure(tmp_path), "auth_audience": None}
    for base_url in ("https://kb.example.com", "https://kb.example.com/"):
        bearer = open_bearer(Settings(base_url=base_url, **given))
        assert bearer is not None
        assert bearer.tokens.identify(sign(write_claims(now))).name == "jwt:ada"
        with pytest.raises(InvalidToken, match="invalid_claim"):
            bearer.tokens.identify(sign(write_claims(now, aud=base_url)))


def test_an_empty_file_lets_nobody_in(tmp_path: Path) -> None:
    """Naming a file means that tokens are required."""
    file = tmp_path / "tokens"
    file.write_text("# none yet\n")
    bearer = open_bearer(Settings(auth_tokens_file=str(file)))
    assert bearer is not None
    with pytest.raises(InvalidToken):
        bearer.tokens.identify("akb_one")


HALF = [
    {"auth_issuer": ISSUER},
    {"auth_audience": AUDIENCE},
    {"auth_scope": "kb:read"},
    {"auth_jwks_file": "keys.json"},
    {"auth_jwks_file": "keys.json", "auth_issuer": ISSUER},
    {"auth_jwks_file": "keys.json", "auth_audience": AUDIENCE},
]


@pytest.mark.parametrize("given", HALF, ids=range(len(HALF)))
def test_settings_that_say_half_of_it_are_refused(given: dict[str, str]) -> None:
    """With incomplete settings the server does not start: access would be wrong."""
    with pytest.raises(SettingsError, match="auth_jwks_file"):
        open_bearer(Settings(**given))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "issuer", ["http://login.example.com", "http://10.0.0.9:8080", "http://localhost.x"]
)
def test_an_issuer_without_tls_is_refused(tmp_path: Path, issuer: str) -> None:
    """2025-11-25 basic/authorization: https; the metadata would lead clients there."""
    given = {**configure(tmp_path), "auth_issuer": issuer}
    with pytest.raises(SettingsError, match="auth_issuer must begin with https"):
        open_bearer(Settings(**given))


@pytest.mark.parametrize(
    "issuer", ["http://127.0.0.1:9000", "http://[::1]:9000/kb", "http://localhost:9000"]
)
def test_an_issuer_on_this_machine_needs_no_tls(tmp_path: Path, issuer: str) -> None:
    """For development: there is no network in between."""
    assert open_bearer(Settings(**{**configure(tmp_path), "auth_issuer": issuer}))


def test_files_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    """In one line, with the file's name."""
    missing = str(tmp_path / "none")
    with pytest.raises(OperationalError, match=r"cannot read .*none: No such file"):
        open_bearer(Settings(auth_tokens_file=missing))
    given = {**configure(tmp_path), "auth_jwks_file": missing}
    with pytest.raises(OperationalError, match=r"cannot read .*none: No such file"):
        open_bearer(Settings(**given))
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SettingsError, match=r"binary: this is not text"):
        open_bearer(Settings(auth_tokens_file=str(binary)))


def test_signed_tokens_need_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the extra, the error states how to install it."""
    monkeypatch.setitem(sys.modules, "asdlc_kb.ops.auth.jwt", None)
    with pytest.raises(OperationalError, match="needs the extra `auth`: "):
        open_bearer(Settings(**configure(tmp_path)))


def test_a_reload_reads_the_files_again(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """A token is revoked without a restart; a wrong file changes nothing."""
    file = tmp_path / "tokens"
    file.write_text(format_line("ci", "akb_one"))
    app = open_app(knowledge, auth_tokens_file=str(file))
    file.write_text(format_line("ci", "akb_two"))
    for settings in (app.settings, replace(app.settings, missing_grace=1.0)):
        again = rebuild(app, settings)
        assert again.admission.bearer is not None
        assert again.admission.bearer.lookup_cached("Bearer akb_one") is None
        assert again.admission.bearer.lookup_cached("Bearer akb_two") is not None
    file.write_text("akb_three")
    with pytest.raises(SettingsError, match="expected a name"):
        rebuild(app, app.settings)


def test_a_reload_forgets_no_client(knowledge: KnowledgeBase) -> None:
    """Counts go on if the rate is the same, whatever else changes."""
    app = open_app(knowledge, rate_limit="1/hour", page_rate_limit="1/hour")
    assert app.admission.limits.consume_call("a") is None
    assert app.admission.limits.consume_page("a") is None
    for changed in ({}, {"missing_grace": 1.0}, {"page_rate_limit": "2/hour"}):
        again = rebuild(app, replace(app.settings, **changed))
        assert again.admission.limits.consume_call("a") is not None
    assert again.admission.limits.consume_page("a") is None
