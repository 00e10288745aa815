"""All settings: name, type, default and description, defined once.

A setting is a flag (`--allow-host`), an environment variable (`ASDLC_KB_ALLOW_HOST`)
and a key of a configuration file (`allow_host`). Precedence: flag, environment, file,
default. Modules below this layer read none of them.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from asdlc_kb.exceptions import SettingsError
from asdlc_kb.ops.limits.rate_limiter import MAX_WINDOW_SECONDS, SPELLING
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
        Meta(description="The content folder; by default ./content, if it is there"),
    ] = None
    docs: Annotated[
        str | None,
        Meta(description="A folder of documentation to serve: any tree of Markdown"),
    ] = None
    project: Annotated[
        tuple[str, ...],
        Meta(description="A project whose rules, commands, skills and such to serve"),
    ] = ()
    uses_home: Annotated[
        bool,
        Meta(description="Over stdio: the commands and skills of your home too"),
    ] = msgspec.field(default=False, name="include_home")
    host: Annotated[str, Meta(description="The address to listen on")] = "127.0.0.1"
    port: Annotated[
        int,
        Meta(ge=0, le=65535, description="The port to listen on; 0 picks a free one"),
    ] = 8420
    workers: Annotated[
        int, Meta(ge=1, le=64, description="How many processes serve, on one machine")
    ] = 1
    redis_url: Annotated[
        Annotated[str, Meta(pattern=REDIS_URL_PATTERN)] | None,
        Meta(
            description="The Redis or Valkey that replicas have in common, for "
            "example redis://10.0.0.9:6379/0; what passwords it has is best told by "
            "the environment"
        ),
    ] = None
    session_key_file: Annotated[
        str | None,
        Meta(
            description="A file with the key that signs session ids, the same for all "
            "replicas"
        ),
    ] = None
    base_url: Annotated[
        Annotated[str, Meta(pattern=URL_PATTERN)] | None,
        Meta(description="The public address, for example https://kb.example.com"),
    ] = None
    title: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=100,
            pattern=NAME_PATTERN,
            description="What the website and the server are called",
        ),
    ] = "ASDLC Knowledge Base"
    tagline: Annotated[
        Annotated[str, Meta(min_length=1, max_length=300, pattern=NAME_PATTERN)] | None,
        Meta(
            description="A sentence under the title; by default one of ours, by what "
            "is served"
        ),
    ] = None
    edit_url: Annotated[
        Annotated[str, Meta(pattern=EDIT_URL_PATTERN)] | None,
        Meta(
            description="Where a file is changed, for a link on its page; {folder} "
            "and {path} stand for the served folder's name and the file's path in it"
        ),
    ] = None
    content_signal: Annotated[
        Annotated[str, Meta(pattern=CONTENT_SIGNAL_PATTERN)] | None,
        Meta(
            description="What robots.txt allows others to do with the content: "
            "search=yes, ai-input=yes, ai-train=no"
        ),
    ] = None
    allow_host: Annotated[
        tuple[str, ...],
        Meta(description="A further name that requests may come for (Host header)"),
    ] = ()
    allow_origin: Annotated[
        tuple[str, ...],
        Meta(description="A web page's origin that may call (https://app.example.com)"),
    ] = ()
    trusted_proxy: Annotated[
        tuple[str, ...],
        Meta(
            description="A proxy whose X-Forwarded-For is believed: an address, a "
            "network as in 10.0.0.0/8, or unix: for peers over a Unix socket"
        ),
    ] = ()
    rate_limit_requests: Annotated[
        int,
        Meta(
            ge=1,
            le=1_000_000_000,
            description="Calls and searches of one client within the window",
        ),
    ] = 120
    rate_limit_window: Annotated[
        int,
        Meta(
            ge=1, le=MAX_WINDOW_SECONDS, description="The window's length, in seconds"
        ),
    ] = 60
    rate_limit: Annotated[
        Annotated[str, Meta(pattern=SPELLING)] | None,
        Meta(
            description="Both in one, as in 120/minute or 10/second; it wins over "
            "them, and 'off' is no limit"
        ),
    ] = None
    page_rate_limit: Annotated[
        Annotated[str, Meta(pattern=SPELLING)],
        Meta(description="The same for all other pages of the website"),
    ] = "1200/minute"
    max_connections: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(
            description="The most connections at once; by default what the limit of "
            "descriptors leaves"
        ),
    ] = None
    max_connections_per_client: Annotated[
        int,
        Meta(
            ge=1,
            description="The most connections of one address; those of trusted proxies "
            "do not count",
        ),
    ] = 64
    auth_tokens_file: Annotated[
        str | None,
        Meta(
            description="Let in only who sends a token of this file; "
            "'asdlc-kb token' makes its lines"
        ),
    ] = None
    auth_jwks_file: Annotated[
        str | None,
        Meta(
            description="Let in only who sends a token that was signed with one of "
            "these public keys (a JWK Set)"
        ),
    ] = None
    auth_issuer: Annotated[
        Annotated[str, Meta(pattern=URL_PATTERN)] | None,
        Meta(description="Who signs these tokens, and where clients get them"),
    ] = None
    auth_audience: Annotated[
        str | None,
        Meta(description="For whom these tokens are; by default base_url with /mcp"),
    ] = None
    auth_scope: Annotated[
        Annotated[str, Meta(pattern=SCOPE_PATTERN)] | None,
        Meta(
            description="Scopes that these tokens must have, with a space between "
            "them; by default none"
        ),
    ] = None
    mcp_enabled: Annotated[
        bool, Meta(description="Offer the MCP endpoint; without it /mcp is not found")
    ] = True
    sse: Annotated[
        bool, Meta(description="Offer the HTTP+SSE transport of 2024-11-05 too")
    ] = True
    poll: Annotated[
        bool,
        Meta(description="Look for changes often, without events of the file system"),
    ] = False
    max_body: Annotated[
        int, Meta(ge=1024, description="The largest request body, in bytes")
    ] = 1024 * 1024
    missing_grace: Annotated[
        float,
        Meta(ge=0, description="Seconds to keep serving when the folder vanishes"),
    ] = 60.0
    cache_dir: Annotated[
        str | None,
        Meta(
            description="Where search indexes are kept; by default the user's cache "
            "folder, 'off' keeps them in memory"
        ),
    ] = None
    max_search_results: Annotated[
        int, Meta(ge=1, le=50, description="The pages that search_docs finds unasked")
    ] = 10
    snippet_length: Annotated[
        int, Meta(ge=40, le=1000, description="The characters of a search's excerpts")
    ] = 200
    instructions: Annotated[
        str | None,
        Meta(
            description="What clients are told of this server, instead of our text; "
            "that what is served is data and not orders is told in any case"
        ),
    ] = None
    tool_errors: Annotated[
        Literal["result", "protocol"],
        Meta(description="Tell a tool's failure in its result or as a protocol error"),
    ] = "result"
    dev: Annotated[
        bool,
        Meta(
            description="Development: clients are told to keep nothing, pages follow "
            "what is saved"
        ),
    ] = False
    drafts: Annotated[
        bool,
        Meta(
            description="Show hidden articles on the website, marked; only with --dev, "
            "on this machine alone"
        ),
    ] = False
    log_queries: Annotated[
        bool,
        Meta(description="Put what is searched for into the log, for asdlc-kb stats"),
    ] = False
    metrics_allow: Annotated[
        tuple[str, ...] | None,
        Meta(
            description="An address or network that may read /metrics, or unix: for "
            "peers over a Unix socket; by default this machine, and none once "
            "base_url, allow_host, trusted_proxy, tokens or a host that is not "
            "loopback are set"
        ),
    ] = None
    debug: Annotated[
        bool,
        Meta(description="Show tracebacks, to clients in the data of errors too"),
    ] = False
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"],
        Meta(description="The least important log lines to write"),
    ] = "info"


_LOCATION: Final = re.compile(
    r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]*)(:[0-9]{1,5})?(/.*)?"
)
"""The location of a Redis: host and port, or socket, without credentials."""
_OPTION: Final = re.compile(r"[a-z_]+=|[?&#]|(db|protocol)=[0-9]+")
"""A URL option that is safe to show: its name, or a value that cannot be secret."""
_MASK: Final = "***"

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

_TEXTS: Final = ("title", "tagline", "instructions")
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


def mask_secrets(address: str) -> str:
    """Return a URL without credentials, so that it can be shown.

    Credentials can be in front of the host and in the query. Where a password was not
    escaped, any part of the URL can belong to it.
    """
    scheme, _, rest = address.partition("://")
    authority, *options = re.split(r"([?&#])", rest)
    _, at, location = authority.rpartition("@")
    if _LOCATION.fullmatch(location) is None or "@" in "".join(options):
        location = _MASK
    masked = map(_mask_option, options)
    return f"{scheme}://{_MASK + at if at else ''}{location}{''.join(masked)}"


def _mask_option(option: str) -> str:
    if _OPTION.fullmatch(option):
        return option
    name, equals, _ = option.partition("=")
    is_plain = _OPTION.fullmatch(name + equals) is not None
    return f"{name}={_MASK}" if is_plain else _MASK


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
        message = str(error).replace("`$.", "`").replace("Object contains", "There is")
        raise SettingsError(f"wrong setting: {message}") from None
    for name in _TEXTS:
        text = getattr(settings, name) or ""
        if (removed := count_removed(text, strip_invisible(text))) is not None:
            raise SettingsError(
                f"wrong setting: {removed.message}, at character {removed.at + 1} of "
                f"`{name}` ({origins[name]}): remove what cannot be seen"
            )
    return settings, origins


def _split_list(text: str) -> list[str]:
    """Return the items of a list in an environment variable (`a, b`)."""
    return [word.strip() for word in text.split(",") if word.strip()]
