"""The access policy of a server, from its settings and the files they name."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias
from urllib.parse import urlsplit

from asdlc_kb.exceptions import OperationalError, SettingsError
from asdlc_kb.extras import missing_extra
from asdlc_kb.ops.auth.bearer_tokens import TokenFile, Verifier, read_tokens
from asdlc_kb.ops.auth.credentials import read_credentials
from asdlc_kb.ops.limits.rate_limiter import Rate, parse_rate
from asdlc_kb.ops.metrics.counters import Metrics
from asdlc_kb.settings import Settings
from asdlc_kb.web.admission.bearer import BearerAuth
from asdlc_kb.web.admission.client_address import Networks, TrustedProxies
from asdlc_kb.web.admission.host_origin import HostOriginPolicy, is_loopback, is_public
from asdlc_kb.web.admission.rate_limit import RateLimits

ObserverSetting: TypeAlias = Literal["metrics_allow", "insights_allow"]

_THIS_MACHINE: Final = ("127.0.0.0/8", "::1")


@dataclass(frozen=True, slots=True)
class AccessPolicy:
    """The checks of a request before it is served."""

    host_origin: HostOriginPolicy
    proxies: TrustedProxies
    """Proxies trusted to set X-Forwarded-For."""
    metrics_observers: Networks
    """Addresses that may see the metrics."""
    insights_observers: Networks
    """Addresses that may see the usage statistics."""
    limits: RateLimits
    """Rate limits per client."""
    bearer: BearerAuth | None
    """The bearer token check; None if no token is required."""


def open_admission(
    settings: Settings,
    metrics: Metrics,
    before: AccessPolicy | None = None,
    *,
    is_local: bool = False,
) -> AccessPolicy:
    """Return the access policy of settings; rate limiters continue those of `before`.

    The parent process (`is_local`) needs no token. Raises SettingsError and
    OperationalError.
    """
    return AccessPolicy(
        host_origin=HostOriginPolicy(
            listens_on=settings.host,
            hosts=settings.allow_host,
            origins=settings.allow_origin,
            base_url=settings.base_url,
        ),
        proxies=TrustedProxies(settings.trusted_proxy),
        metrics_observers=open_observers(settings, "metrics_allow"),
        insights_observers=open_observers(settings, "insights_allow"),
        limits=open_limits(
            settings, None if before is None else before.limits, metrics
        ),
        bearer=None if is_local else open_bearer(settings),
    )


def open_observers(settings: Settings, setting: ObserverSetting) -> Networks:
    """Return the addresses of a setting that may see a page for observers.

    A proxy on this machine may add no headers. Where the settings expect remote
    requests, a loopback peer is therefore an observer only if it is named.
    """
    named: Sequence[str] | None = getattr(settings, setting)
    if named is None:
        named = () if _expects_remote(settings) else _THIS_MACHINE
    return Networks(named, setting)


def _expects_remote(settings: Settings) -> bool:
    """Whether settings admit other machines, or require tokens."""
    return (
        not is_loopback(settings.host.lower())
        or is_public(settings.base_url)
        or bool(settings.allow_host or settings.trusted_proxy)
        or requires_tokens(settings)
    )


def open_limits(
    settings: Settings,
    before: RateLimits | None = None,
    metrics: Metrics | None = None,
) -> RateLimits:
    """Return the rate limits; limiters continue those of `before`."""
    calls: Rate | None
    if settings.rate_limit is None:
        calls = Rate(settings.rate_limit_requests, settings.rate_limit_window)
    else:
        calls = parse_rate(settings.rate_limit)
    return RateLimits(calls, parse_rate(settings.page_rate_limit), before, metrics)


def requires_tokens(settings: Settings) -> bool:
    """Whether HTTP requests need a token."""
    return bool(settings.auth_tokens_file or settings.auth_jwks_file)


def open_bearer(settings: Settings) -> BearerAuth | None:
    """Return the bearer token check; None if tokens are not required.

    Raises SettingsError for incomplete settings: never serve without a check.
    """
    verifier = _open_verifier(settings)
    if verifier is None and settings.auth_tokens_file is None:
        return None
    path = settings.auth_tokens_file
    tokens = () if path is None else tuple(read_tokens(_read(path), path))
    return BearerAuth(
        TokenFile(tokens, verifier),
        base_url=settings.base_url,
        scheme="http" if settings.tls_cert is None else "https",
        issuer=settings.auth_issuer,
        scope=settings.auth_scope,
    )


def _open_verifier(settings: Settings) -> Verifier | None:
    """Return what verifies signed tokens; its library is loaded only here."""
    path, issuer = settings.auth_jwks_file, settings.auth_issuer
    audience, scope = settings.auth_audience, settings.auth_scope
    if path is None:
        if (issuer, audience, scope) != (None, None, None):
            raise SettingsError(
                "auth_issuer, auth_audience and auth_scope have no effect without "
                "auth_jwks_file: name the file with the issuer's public keys too"
            )
        return None
    if audience is None and settings.base_url is not None:
        audience = f"{settings.base_url.rstrip('/')}/mcp"
    if issuer is None or audience is None:
        raise SettingsError(
            "auth_jwks_file needs auth_issuer, and auth_audience or base_url, so that "
            "tokens of other issuers and for other audiences are rejected"
        )
    where = urlsplit(issuer)
    if where.scheme != "https" and not is_loopback(where.hostname or ""):
        raise SettingsError(
            "auth_issuer must begin with https: clients send credentials there; "
            "http is allowed only for an issuer on this machine"
        )
    try:
        from asdlc_kb.ops.auth.jwks import read_keys
        from asdlc_kb.ops.auth.jwt import JwtVerifier
    except ImportError:
        raise missing_extra("auth_jwks_file", "auth") from None
    return JwtVerifier(read_keys(_read(path), path), issuer, audience, scope=scope)


def _read(path: str) -> str:
    try:
        return read_credentials(Path(path)).decode()
    except UnicodeDecodeError:
        raise SettingsError(f"{path}: this is not text") from None
    except OSError as error:
        raise OperationalError(f"cannot read {path}: {error.strerror}") from None
