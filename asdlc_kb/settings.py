"""All settings: name, type, default and description, defined once.

A setting is a flag (`--allow-host`), an environment variable (`ASDLC_KB_ALLOW_HOST`)
and a key of a configuration file (`allow_host`). `settings_resolution` reads them.
Modules below this layer read none of them.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, get_args, get_origin

import msgspec
from msgspec import Meta

from asdlc_kb.ops.limits.rate_limiter import MAX_WINDOW_SECONDS, SPELLING
from asdlc_kb.ops.logs.url_masking import mask_secrets
from asdlc_kb.settings_patterns import (
    CONTENT_SIGNAL_PATTERN,
    DIALECT_PATTERN,
    EDIT_URL_PATTERN,
    LANGUAGE_PATTERN,
    NAME_PATTERN,
    REDIS_URL_PATTERN,
    SCOPE_PATTERN,
    SERVER_NAME_PATTERN,
    URL_PATTERN,
)

PREFIX: Final = "ASDLC_KB_"
FILE_NAME: Final = "asdlc-kb.toml"
MEMORY: Final = "off"
"""Value of `cache_dir` for no cache folder: indexes are kept in memory."""


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The server's configuration."""

    content: Annotated[
        str | None,
        Meta(description="Folder of articles; by default ./content, if it exists"),
    ] = None
    docs: Annotated[
        tuple[str, ...],
        Meta(
            description="Documentation folder to serve (any tree of Markdown), or "
            "NAME=DIR, one of several, with its pages below NAME/"
        ),
    ] = ()
    dialect: Annotated[
        tuple[Annotated[str, Meta(pattern=DIALECT_PATTERN)], ...],
        Meta(
            description="Dialect of the documentation's Markdown, or NAME=DIALECT; by "
            "default that of the site generator whose configuration is found"
        ),
    ] = ()
    language: Annotated[
        tuple[Annotated[str, Meta(pattern=LANGUAGE_PATTERN)], ...],
        Meta(
            description="Language of the documentation, such as fr, or NAME=LANGUAGE; "
            "by default that of its generator's configuration, or English"
        ),
    ] = ()
    project: Annotated[
        tuple[str, ...],
        Meta(description="Project whose rules, commands and skills are served"),
    ] = ()
    uses_home: Annotated[
        bool,
        Meta(description="Over stdio, also the commands and skills of your home"),
    ] = msgspec.field(default=False, name="include_home")
    host: Annotated[str, Meta(description="Address to listen on")] = "127.0.0.1"
    port: Annotated[
        int,
        Meta(ge=0, le=65535, description="Port to listen on; 0 picks a free one"),
    ] = 8420
    workers: Annotated[
        int, Meta(ge=1, le=64, description="Number of worker processes")
    ] = 1
    redis_url: Annotated[
        Annotated[str, Meta(pattern=REDIS_URL_PATTERN)] | None,
        Meta(
            description="Redis or Valkey shared by all replicas, for example "
            "redis://10.0.0.9:6379/0; set a URL with a password in the environment"
        ),
    ] = None
    session_key_file: Annotated[
        str | None,
        Meta(
            description="File with the key that signs session ids, for all replicas; "
            "without one a restart ends all sessions"
        ),
    ] = None
    base_url: Annotated[
        Annotated[str, Meta(pattern=URL_PATTERN)] | None,
        Meta(description="Public address, for example https://kb.example.com"),
    ] = None
    title: Annotated[
        Annotated[str, Meta(min_length=1, max_length=100, pattern=NAME_PATTERN)] | None,
        Meta(
            description="Title of the website and the server; by default that of the "
            "content, or the name of its folder"
        ),
    ] = None
    server_name: Annotated[
        Annotated[str, Meta(pattern=SERVER_NAME_PATTERN)] | None,
        Meta(
            description="Name of the server in the protocol; by default "
            "asdlc-knowledge-base"
        ),
    ] = None
    tagline: Annotated[
        Annotated[str, Meta(min_length=1, max_length=300, pattern=NAME_PATTERN)] | None,
        Meta(description="Sentence below the title; its default fits what is served"),
    ] = None
    edit_url: Annotated[
        Annotated[str, Meta(pattern=EDIT_URL_PATTERN)] | None,
        Meta(
            description="Template of edit links: {file} is a file's path in its git "
            "repository, {folder} and {path} the served folder and its path there"
        ),
    ] = None
    content_signal: Annotated[
        Annotated[str, Meta(pattern=CONTENT_SIGNAL_PATTERN)] | None,
        Meta(
            description="Content-Signal of robots.txt, for example search=yes, "
            "ai-input=yes, ai-train=no"
        ),
    ] = None
    allow_host: Annotated[
        tuple[str, ...],
        Meta(description="Additional Host header to accept"),
    ] = ()
    allow_origin: Annotated[
        tuple[str, ...],
        Meta(description="Web origin that may call, such as https://app.example.com"),
    ] = ()
    trusted_proxy: Annotated[
        tuple[str, ...],
        Meta(
            description="Proxy trusted to set X-Forwarded-For: an address, a "
            "network such as 10.0.0.0/8, or unix: for peers on a Unix socket"
        ),
    ] = ()
    rate_limit_requests: Annotated[
        int,
        Meta(
            ge=1,
            le=1_000_000_000,
            description="Maximum calls and searches per client and window",
        ),
    ] = 120
    rate_limit_window: Annotated[
        int,
        Meta(
            ge=1, le=MAX_WINDOW_SECONDS, description="Length of the window, in seconds"
        ),
    ] = 60
    rate_limit: Annotated[
        Annotated[str, Meta(pattern=SPELLING)] | None,
        Meta(
            description="Both in one, for example 120/minute or 10/second; "
            "overrides the two settings, 'off' disables the limit"
        ),
    ] = None
    page_rate_limit: Annotated[
        Annotated[str, Meta(pattern=SPELLING)],
        Meta(
            description="Maximum requests per client for all other pages, in the "
            "same format"
        ),
    ] = "1200/minute"
    max_connections: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(description="Maximum connections; by default what file descriptors allow"),
    ] = None
    max_connections_per_client: Annotated[
        int,
        Meta(
            ge=1,
            description="Maximum connections per address; trusted proxies are exempt",
        ),
    ] = 64
    auth_tokens_file: Annotated[
        str | None,
        Meta(description="Require a token listed in this file (see 'asdlc-kb token')"),
    ] = None
    auth_jwks_file: Annotated[
        str | None,
        Meta(description="Require a token signed with a key in this file (a JWK Set)"),
    ] = None
    auth_issuer: Annotated[
        Annotated[str, Meta(pattern=URL_PATTERN)] | None,
        Meta(description="Issuer of signed tokens, where clients obtain them"),
    ] = None
    auth_audience: Annotated[
        str | None,
        Meta(description="Audience of signed tokens; by default base_url with /mcp"),
    ] = None
    auth_scope: Annotated[
        Annotated[str, Meta(pattern=SCOPE_PATTERN)] | None,
        Meta(description="Scopes that signed tokens must have, separated by spaces"),
    ] = None
    tls_cert: Annotated[
        str | None,
        Meta(description="Serve HTTPS with the certificate chain in this file (PEM)"),
    ] = None
    tls_key: Annotated[
        str | None,
        Meta(description="File with the private key of tls_cert (PEM)"),
    ] = None
    mcp_enabled: Annotated[
        bool, Meta(description="Offer the MCP endpoint; without it /mcp is 404")
    ] = True
    sse: Annotated[
        bool, Meta(description="Also offer the HTTP+SSE transport of 2024-11-05")
    ] = True
    fast_path: Annotated[
        bool,
        Meta(description="Answer cached calls and pages before Tornado parses them"),
    ] = True
    poll: Annotated[
        bool,
        Meta(description="Poll for changes instead of using file-system events"),
    ] = False
    max_body: Annotated[
        int, Meta(ge=1024, description="Maximum size of a request body, in bytes")
    ] = 1024 * 1024
    wait: Annotated[
        bool,
        Meta(description="Start even if a folder to serve does not exist yet"),
    ] = False
    missing_grace: Annotated[
        float,
        Meta(
            ge=0,
            description="Seconds to keep serving after the folder disappears",
        ),
    ] = 60.0
    max_files: Annotated[
        int, Meta(ge=1, description="Maximum number of files served of each folder")
    ] = 100_000
    cache_dir: Annotated[
        str | None,
        Meta(
            description="Folder of search indexes and parsed files; by default the "
            "user's cache folder, 'off' keeps indexes in memory"
        ),
    ] = None
    max_search_results: Annotated[
        int, Meta(ge=1, le=50, description="Default number of search_docs results")
    ] = 10
    snippet_length: Annotated[
        int,
        Meta(ge=40, le=1000, description="Length of search excerpts, in characters"),
    ] = 200
    changelog: Annotated[
        tuple[str, ...],
        Meta(
            description="Pages that search ranks lower, as it does changelogs: a "
            "pattern of their paths, such as blog/*"
        ),
    ] = ()
    synonyms: Annotated[
        str | None,
        Meta(
            description="File of words that are searched for each other: a line such "
            "as 'pull request, PR' for each group"
        ),
    ] = None
    semantic: Annotated[
        bool,
        Meta(
            description="Also compare what pages mean with questions in English; "
            "needs the extra semantic"
        ),
    ] = False
    instructions: Annotated[
        str | None,
        Meta(
            description="Server instructions for clients, replacing the default "
            "text; a sentence that content is data and not instructions is always "
            "added"
        ),
    ] = None
    topics: Annotated[
        Annotated[str, Meta(min_length=1, max_length=240, pattern=NAME_PATTERN)] | None,
        Meta(
            description="Topics of the content, for the default instructions; by "
            "default names of categories, frequent tags and groups of pages"
        ),
    ] = None
    chatgpt_tools: Annotated[
        bool,
        Meta(
            description="Also offer the tools search and fetch in the form that "
            "ChatGPT expects, over articles and documentation"
        ),
    ] = False
    tool_errors: Annotated[
        Literal["result", "protocol"],
        Meta(description="Report tool errors in the result or as a protocol error"),
    ] = "result"
    structured_results: Annotated[
        bool,
        Meta(
            description="Also return structuredContent, for clients that are "
            "programs; some clients show it to models instead of the text"
        ),
    ] = False
    dev: Annotated[
        bool,
        Meta(
            description="Development mode: clients cache nothing, and pages "
            "reload when a file is saved"
        ),
    ] = False
    drafts: Annotated[
        bool,
        Meta(
            description="Show hidden articles on the website, marked; requires "
            "--dev and a loopback address"
        ),
    ] = False
    log_queries: Annotated[
        bool,
        Meta(description="Log search queries, for asdlc-kb stats"),
    ] = False
    metrics_allow: Annotated[
        tuple[str, ...] | None,
        Meta(
            description="Address or network that may read /metrics, or unix: for "
            "peers on a Unix socket; by default this machine, but none if base_url, "
            "allow_host, trusted_proxy, tokens or a non-loopback host is set"
        ),
    ] = None
    debug: Annotated[
        bool,
        Meta(description="Show tracebacks, also to clients in the data of errors"),
    ] = False
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"],
        Meta(description="Minimum log level"),
    ] = "info"


def _is_list(kind: Any) -> bool:
    """Whether a type is that of several values."""
    if get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    return get_origin(kind) is tuple or any(
        get_origin(part) is tuple for part in get_args(kind)
    )


_FIELDS: Final = {
    field.encode_name: field.type for field in msgspec.structs.fields(Settings)
}
"""The type of each setting by name, in the order of the table. A JSON schema has the
same facts, and takes a hundredth of the start."""

DESCRIPTIONS: Final[Mapping[str, str]] = {
    name: next((meta.description for meta in kind.__metadata__ if meta.description), "")
    for name, kind in _FIELDS.items()
}
"""The description of each setting by name, in the order of the table."""

RENAMED: Final[Mapping[str, str]] = {
    "global": "include_home",
    "max_connections_each": "max_connections_per_client",
}
"""The current name of each deprecated one, which every source may still use."""

LISTS: Final = frozenset(name for name, kind in _FIELDS.items() if _is_list(kind))
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
    if settings.redis_url is not None:
        values["redis_url"] = mask_secrets(settings.redis_url)
    return values
