"""All settings: name, type and default, defined once.

A setting is a flag (`--allow-host`), an environment variable (`ASDLC_KB_ALLOW_HOST`)
and a key of a configuration file (`allow_host`). `settings_descriptions` has what each
does, `settings_resolution` reads them. Modules below this layer read none of them.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, TypeAlias, get_args, get_origin

import msgspec
from msgspec import Meta

from asdlc_kb.ops.limits.rate_limiter import MAX_WINDOW_SECONDS, SPELLING
from asdlc_kb.ops.logs.url_masking import mask_secrets
from asdlc_kb.settings_patterns import (
    BUS_URL_PATTERN,
    CONTENT_SIGNAL_PATTERN,
    DIALECT_PATTERN,
    EDIT_URL_PATTERN,
    HOST_PATTERN,
    IMAGE_URL_PATTERN,
    LANGUAGE_PATTERN,
    NAME_PATTERN,
    ORIGIN_PATTERN,
    SCOPE_PATTERN,
    SERVER_NAME_PATTERN,
    STORE_URL_PATTERN,
    URL_PATTERN,
)

PREFIX: Final = "ASDLC_KB_"
FILE_NAME: Final = "asdlc-kb.toml"
MEMORY: Final = "off"
"""Value of `cache_dir` for no cache folder: indexes are kept in memory."""


def _line(max_length: int) -> Meta:
    """Return the constraints of a line of text."""
    return Meta(
        min_length=1,
        max_length=max_length,
        pattern=NAME_PATTERN,
        description="a line of text",
    )


Url: TypeAlias = Annotated[
    str,
    Meta(
        pattern=URL_PATTERN,
        description="an address",
        examples=["https://kb.example.com"],
    ),
]
HostName: TypeAlias = Annotated[
    str,
    Meta(pattern=HOST_PATTERN, description="a host name", examples=["kb.example.com"]),
]
Origin: TypeAlias = Annotated[
    str,
    Meta(
        pattern=ORIGIN_PATTERN,
        description="a web origin",
        examples=["https://app.example.com"],
    ),
]
Rate: TypeAlias = Annotated[
    str,
    Meta(pattern=SPELLING, description="a rate", examples=["120/minute", "off"]),
]
DialectSetting: TypeAlias = Annotated[
    str,
    Meta(
        pattern=DIALECT_PATTERN,
        description="a dialect of Markdown",
        examples=["mkdocs", "NAME=mkdocs"],
    ),
]
LanguageSetting: TypeAlias = Annotated[
    str,
    Meta(
        pattern=LANGUAGE_PATTERN,
        description="a language",
        examples=["fr", "pt-BR", "NAME=fr"],
    ),
]
EditUrl: TypeAlias = Annotated[
    str,
    Meta(
        pattern=EDIT_URL_PATTERN,
        description="a template of addresses",
        examples=["https://git.example.com/edit/main/{file}"],
    ),
]
ImageUrl: TypeAlias = Annotated[
    str,
    Meta(
        pattern=IMAGE_URL_PATTERN,
        description="the address of a picture",
        examples=["https://kb.example.com/card.png"],
    ),
]
ContentSignal: TypeAlias = Annotated[
    str,
    Meta(
        pattern=CONTENT_SIGNAL_PATTERN,
        description="a content signal",
        examples=["search=yes, ai-input=yes, ai-train=no"],
    ),
]
BusUrl: TypeAlias = Annotated[
    str,
    Meta(
        pattern=BUS_URL_PATTERN,
        description="the address of a Redis or PostgreSQL",
        examples=["redis://10.0.0.9:6379/0", "postgresql://10.0.0.9/kb"],
    ),
]
StoreUrl: TypeAlias = Annotated[
    str,
    Meta(
        pattern=STORE_URL_PATTERN,
        description="the address of a PostgreSQL database",
        examples=["postgresql://kb@10.0.0.5/kb"],
    ),
]
ServerName: TypeAlias = Annotated[
    str,
    Meta(pattern=SERVER_NAME_PATTERN, description="a name", examples=["team-handbook"]),
]
Scopes: TypeAlias = Annotated[
    str,
    Meta(pattern=SCOPE_PATTERN, description="a list of scopes", examples=["kb:read"]),
]


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The server's configuration."""

    content: str | None = None
    docs: tuple[str, ...] = ()
    dialect: tuple[DialectSetting, ...] = ()
    language: tuple[LanguageSetting, ...] = ()
    project: tuple[str, ...] = ()
    store: StoreUrl | None = None
    store_source: tuple[str, ...] = ()
    store_max_age: Annotated[int, Meta(ge=0)] = 86_400
    uses_home: bool = msgspec.field(default=False, name="include_home")
    wait: bool = False
    missing_grace: Annotated[float, Meta(ge=0)] = 60.0
    max_files: Annotated[int, Meta(ge=1)] = 100_000
    poll: bool = False
    base_url: Url | None = None
    title: Annotated[str, _line(100)] | None = None
    tagline: Annotated[str, _line(300)] | None = None
    social_image: ImageUrl | None = None
    logo: str | None = None
    accent: str | None = None
    custom_css: str | None = None
    footer: Annotated[str, _line(500)] | None = None
    announcement: Annotated[str, _line(300)] | None = None
    edit_url: EditUrl | None = None
    project_pages: bool = False
    content_signal: ContentSignal | None = None
    cache_dir: str | None = None
    max_search_results: Annotated[int, Meta(ge=1, le=50)] = 10
    snippet_length: Annotated[int, Meta(ge=40, le=1000)] = 200
    changelog: tuple[str, ...] = ()
    synonyms: str | None = None
    semantic: bool = False
    mcp_enabled: bool = True
    sse: bool = True
    server_name: ServerName | None = None
    instructions: str | None = None
    topics: Annotated[str, _line(240)] | None = None
    chatgpt_tools: bool = False
    tool_errors: Literal["result", "protocol"] = "result"
    structured_results: bool = False
    host: str = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65535)] = 8420
    workers: Annotated[int, Meta(ge=1, le=64)] = 1
    fast_path: bool = True
    bus_url: BusUrl | None = None
    session_key_file: str | None = None
    tls_cert: str | None = None
    tls_key: str | None = None
    allow_host: tuple[HostName, ...] = ()
    allow_origin: tuple[Origin, ...] = ()
    trusted_proxy: tuple[str, ...] = ()
    rate_limit_requests: Annotated[int, Meta(ge=1, le=1000000000)] = 120
    rate_limit_window: Annotated[int, Meta(ge=1, le=MAX_WINDOW_SECONDS)] = 60
    rate_limit: Rate | None = None
    page_rate_limit: Rate = "1200/minute"
    max_connections: Annotated[int, Meta(ge=1)] | None = None
    max_connections_per_client: Annotated[int, Meta(ge=1)] = 64
    max_body: Annotated[int, Meta(ge=1024)] = 1024 * 1024
    auth_tokens_file: str | None = None
    auth_jwks_file: str | None = None
    auth_issuer: Url | None = None
    auth_audience: str | None = None
    auth_scope: Scopes | None = None
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    log_format: Literal["auto", "text", "json"] = "auto"
    log_queries: bool = False
    metrics_allow: tuple[str, ...] | None = None
    otel: bool = False
    insights_allow: tuple[str, ...] | None = None
    insights: str | None = None
    query_retention_days: Annotated[int, Meta(ge=1, le=400)] = 30
    debug: bool = False
    dev: bool = False
    drafts: bool = False


def _is_list(kind: Any) -> bool:
    """Whether a type is that of several values."""
    if get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    return get_origin(kind) is tuple or any(
        get_origin(part) is tuple for part in get_args(kind)
    )


FIELDS: Final = {
    field.encode_name: field.type for field in msgspec.structs.fields(Settings)
}
"""The type of each setting by name, in the order of the table. A JSON schema has the
same facts, and takes a hundredth of the start."""

LISTS: Final = frozenset(name for name, kind in FIELDS.items() if _is_list(kind))
"""Settings that may be given several times."""

CREDENTIALS: Final = (
    *("session_key_file", "auth_tokens_file", "auth_jwks_file"),
    *("tls_cert", "tls_key"),
)
"""Settings that name a file with which server or clients are authenticated."""

SECRETS: Final = frozenset({"session_key_file", "tls_key"})
"""Credential files that must not be read either; the others hold digests, public keys
and certificates."""


def list_values(settings: Settings) -> Mapping[str, Any]:
    """Return the value of each setting by name, as JSON types, without passwords."""
    values: dict[str, Any] = msgspec.to_builtins(settings)
    if settings.bus_url is not None:
        values["bus_url"] = mask_secrets(settings.bus_url)
    if settings.store is not None:
        addresses = map(mask_secrets, settings.store.split(","))
        values["store"] = ",".join(addresses)
    return values
