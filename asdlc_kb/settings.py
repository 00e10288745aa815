"""All settings: name, type, default and description, defined once.

A setting is a flag (`--allow-host`), an environment variable (`ASDLC_KB_ALLOW_HOST`)
and a key of a configuration file (`allow_host`). Precedence: flag, environment, file,
default. Modules below this layer read none of them.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from asdlc_kb.exceptions import SettingsError
from asdlc_kb.ops.limits.rate_limiter import MAX_WINDOW_SECONDS, SPELLING
from asdlc_kb.ops.logs.url_masking import mask_secrets
from asdlc_kb.unicode.counts import count_removed
from asdlc_kb.unicode.invisible import strip_invisible

PREFIX: Final = "ASDLC_KB_"
FILE_NAME: Final = "asdlc-kb.toml"
MEMORY: Final = "off"
"""Value of `cache_dir` for no cache folder: indexes are kept in memory."""
URL_PATTERN: Final = (
    r"^https?://(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?(/[^\s?#\x22\\]*)?\Z"
)
"""A public address."""
EDIT_URL_PATTERN: Final = (
    r"^https?://[^\s/?#{}]+/[^\s{}]*(\{folder\}[^\s{}]*)?\{path\}[^\s{}]*\Z"
)
"""The template of a file's edit address."""
CONTENT_SIGNAL_PATTERN: Final = (
    r"^(search|ai-input|ai-train)=(yes|no)"
    r"(, ?(search|ai-input|ai-train)=(yes|no)){0,2}\Z"
)
"""A Content-Signal value."""
NAME_PATTERN: Final = (
    r"^(?=.*\S)[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]*\Z"
)
"""A line of text in any format: not blank, without line ends, control characters and
noncharacters."""
SCOPE_PATTERN: Final = r"^[!#-\[\]-~]+( [!#-\[\]-~]+)*\Z"
"""Scopes separated by spaces (RFC 6749, 3.3)."""
REDIS_URL_PATTERN: Final = r"^(rediss?|unix)://\S+\Z"
"""A Redis URL."""


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The server's configuration."""

    content: Annotated[
        str | None,
        Meta(description="Folder of articles; by default ./content, if it exists"),
    ] = None
    docs: Annotated[
        str | None,
        Meta(description="Documentation folder to serve (any tree of Markdown)"),
    ] = None
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
        str,
        Meta(
            min_length=1,
            max_length=100,
            pattern=NAME_PATTERN,
            description="Title of the website and the server",
        ),
    ] = "ASDLC Knowledge Base"
    tagline: Annotated[
        Annotated[str, Meta(min_length=1, max_length=300, pattern=NAME_PATTERN)] | None,
        Meta(description="Sentence below the title; its default fits what is served"),
    ] = None
    edit_url: Annotated[
        Annotated[str, Meta(pattern=EDIT_URL_PATTERN)] | None,
        Meta(
            description="Template of the edit links of pages; {folder} and {path} "
            "stand for the served folder's name and the file's path in it"
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
    mcp_enabled: Annotated[
        bool, Meta(description="Offer the MCP endpoint; without it /mcp is 404")
    ] = True
    sse: Annotated[
        bool, Meta(description="Also offer the HTTP+SSE transport of 2024-11-05")
    ] = True
    poll: Annotated[
        bool,
        Meta(description="Poll for changes instead of using file-system events"),
    ] = False
    max_body: Annotated[
        int, Meta(ge=1024, description="Maximum size of a request body, in bytes")
    ] = 1024 * 1024
    missing_grace: Annotated[
        float,
        Meta(
            ge=0,
            description="Seconds to keep serving after the folder disappears",
        ),
    ] = 60.0
    cache_dir: Annotated[
        str | None,
        Meta(
            description="Folder of the search indexes; by default the user's "
            "cache folder, 'off' keeps them in memory"
        ),
    ] = None
    max_search_results: Annotated[
        int, Meta(ge=1, le=50, description="Default number of search_docs results")
    ] = 10
    snippet_length: Annotated[
        int,
        Meta(ge=40, le=1000, description="Length of search excerpts, in characters"),
    ] = 200
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


_SCHEMAS: Final[Mapping[str, dict[str, Any]]] = msgspec.json.schema_components(
    [Settings]
)[1]["Settings"]["properties"]

DESCRIPTIONS: Final[Mapping[str, str]] = {
    name: schema.get("description", "") for name, schema in _SCHEMAS.items()
}
"""The description of each setting by name, in the order of the table."""

RENAMED: Final[Mapping[str, str]] = {
    "global": "include_home",
    "max_connections_each": "max_connections_per_client",
}
"""The current name of each deprecated one, which every source may still use."""

LISTS: Final = frozenset(
    name
    for name, schema in _SCHEMAS.items()
    if any(kind.get("type") == "array" for kind in schema.get("anyOf", (schema,)))
)
"""Settings that may be given several times."""

DISCOVERABLE: Final = frozenset(
    {"title", "tagline", "max_search_results", "snippet_length"}
)
"""Settings that a discovered configuration file may set (one not named by a flag).

The working directory may be a cloned repository. Its file may set names and the size of
search results. All other settings decide which clients reach the server, which files it
reads and writes, or what models are instructed to do.
"""

_TEXTS: Final = ("title", "tagline", "instructions", "topics")
"""Settings with a text that is shown to readers and models."""

CREDENTIALS: Final = ("session_key_file", "auth_tokens_file", "auth_jwks_file")
"""Settings that name a file which decides which clients are authenticated."""

SECRETS: Final = frozenset({"session_key_file"})
"""Credential files that are never read; the others hold digests and public keys."""


def list_values(settings: Settings) -> Mapping[str, Any]:
    """Return the value of each setting by name, as JSON types, without passwords."""
    values: dict[str, Any] = msgspec.to_builtins(settings)
    if settings.redis_url is not None:
        values["redis_url"] = mask_secrets(settings.redis_url)
    return values


def resolve_settings(
    flags: Mapping[str, Any],
    environ: Mapping[str, str],
    file: Mapping[str, Any],
    file_name: str = FILE_NAME,
) -> tuple[Settings, Mapping[str, str]]:
    """Return the settings, and the origin of each.

    `flags` has only the flags that were given. Raises SettingsError naming the setting.
    """
    from_environ = {
        name: _split_list(value) if name in LISTS else value
        for name in (*DESCRIPTIONS, *RENAMED)
        if (value := environ.get(PREFIX + name.upper())) is not None
    }
    values: dict[str, Any] = {}
    origins = dict.fromkeys(DESCRIPTIONS, "default")
    sources = ((file_name, file), ("environment", from_environ), ("flag", flags))
    for origin, given in sources:
        old = {RENAMED[name]: given[name] for name in RENAMED if name in given}
        new = {name: value for name, value in given.items() if name not in RENAMED}
        source = old | new
        values.update(source)
        origins.update(dict.fromkeys(source, origin))
    try:
        settings = msgspec.convert(values, Settings, strict=False)
    except msgspec.ValidationError as error:
        message = str(error).replace("`$.", "`")
        message = message.replace("Object contains unknown field", "unknown setting")
        raise SettingsError(f"invalid setting: {message}") from None
    for name in _TEXTS:
        text = getattr(settings, name) or ""
        if (removed := count_removed(text, strip_invisible(text))) is not None:
            raise SettingsError(
                f"invalid setting: {removed.message}, at character {removed.at + 1} of "
                f"`{name}` ({origins[name]}): remove the invisible characters"
            )
    return settings, origins


def _split_list(text: str) -> list[str]:
    """Return the items of a list in an environment variable (`a, b`)."""
    return [word.strip() for word in text.split(",") if word.strip()]
