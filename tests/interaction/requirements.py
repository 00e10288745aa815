"""The behaviours that every client may rely on, as a table with their sources.

A test claims behaviours with the marker `behaviour` and is run over each transport and
version that all of them apply to. `test_requirements` proves that none is left out.
Sources: `spec` is docs/specification/<version>/ of the protocol; `D-nnn` is a decision
of docs/decisions.md.
"""

from collections.abc import Mapping
from typing import Final

from interaction.behaviour import HTTP, STDIO, Behaviour
from interaction.contract_requirements import (
    ARTICLES_CONTRACT,
    RESOURCES_CONTRACT,
    TOOLS,
    TOOLS_CONTRACT,
)
from support.peers import HANDSHAKE, SSE, STATELESS, STREAMABLE, VERSIONS

BATCHING: Final = ("2024-11-05", "2025-03-26")

_LIFECYCLE: Final = (
    Behaviour(
        "lifecycle-initialize",
        "spec, basic/lifecycle, initialization",
        "initialize answers version, capabilities, server identity and instructions",
        HANDSHAKE,
    ),
    Behaviour(
        "lifecycle-negotiation",
        "spec, basic/lifecycle, version negotiation",
        "A version without handshake or unknown is answered with 2025-11-25",
        HANDSHAKE,
    ),
    Behaviour(
        "lifecycle-ill-typed",
        "spec, basic/lifecycle",
        "initialize without a version is -32602",
        HANDSHAKE,
    ),
    Behaviour(
        "lifecycle-discover",
        "spec, server/discover",
        "server/discover names versions, capabilities and instructions",
        STATELESS,
    ),
    Behaviour(
        "lifecycle-capabilities",
        "spec, basic/lifecycle, capability negotiation",
        "What is declared works, what is not declared is -32601",
    ),
    Behaviour(
        "lifecycle-ping",
        "spec, basic/utilities/ping",
        "ping is answered with an empty result",
        HANDSHAKE,
    ),
    Behaviour(
        "lifecycle-removed",
        "spec 2026-07-28, changelog",
        "initialize, ping, logging/setLevel and subscriptions of old are -32601",
        STATELESS,
    ),
    Behaviour(
        "lifecycle-both-eras",
        "spec 2026-07-28, basic/versioning, compatibility matrix",
        "A peer may change eras at any time: nothing is locked",
        STREAMABLE + STATELESS,
    ),
    Behaviour(
        "lifecycle-subscribe",
        "spec, server/resources, subscriptions",
        "A visible resource can be subscribed to, twice too; an unknown one is -32002",
        HANDSHAKE,
    ),
    Behaviour(
        "lifecycle-listen",
        "spec 2026-07-28, basic/patterns/subscriptions",
        "A filter that is missing or ill-typed is -32602",
        STATELESS,
    ),
    Behaviour(
        "lifecycle-unsupported",
        "spec 2026-07-28, basic/versioning",
        "An unknown version in the envelope is -32022 with those we speak",
        STATELESS,
    ),
    Behaviour(
        "lifecycle-envelope",
        "spec 2026-07-28, basic/index, _meta",
        "An envelope without version or capabilities is -32602",
        STATELESS,
    ),
)

_MESSAGES: Final = (
    Behaviour(
        "messages-ids",
        "JSON-RPC 2.0, section 5; spec, basic/index",
        "Ids are echoed: zero, empty, negative, 64 bits wide, any text",
    ),
    Behaviour(
        "messages-bad-ids",
        "spec, basic/index, requests; D-030",
        "Ids that are null, fractions, booleans, containers or too wide: -32600",
    ),
    Behaviour(
        "messages-unanswered",
        "JSON-RPC 2.0, section 4.1",
        "No notification is answered, whatever it is called",
    ),
    Behaviour(
        "messages-parse",
        "JSON-RPC 2.0, section 5.1; D-032, D-294",
        "What is not strict UTF-8 JSON is -32700, without a readable id with null",
    ),
    Behaviour(
        "messages-shape",
        "JSON-RPC 2.0, section 4; spec 2025-06-18, changelog",
        "What is no request object is -32600",
    ),
    Behaviour(
        "messages-batch",
        "spec 2025-03-26, basic/index, batching",
        "A batch is answered as a batch, without those that ask for nothing",
        BATCHING,
    ),
    Behaviour(
        "messages-no-batch",
        "spec 2025-06-18, changelog",
        "Batches are gone: -32600",
        tuple(v for v in VERSIONS if v not in BATCHING),
    ),
    Behaviour(
        "messages-responses",
        "spec 2025-11-25, basic/transports",
        "A response to nothing is accepted and dropped",
        HANDSHAKE,
    ),
    Behaviour(
        "messages-meta",
        "spec, basic/index, _meta; OpenTelemetry",
        "Unknown keys, log levels, trace context and progress tokens do no harm",
    ),
    Behaviour(
        "messages-model",
        "spec, schema.ts of each version",
        "Every result has only fields that its version's schema knows",
    ),
    Behaviour(
        "messages-gating",
        "spec 2026-07-28, changelog",
        "resultType, caching hints and server identity: in 2026-07-28 and only there",
    ),
)

_ERRORS: Final = (
    Behaviour(
        "errors-method",
        "spec, basic/index; 2026-07-28 basic/transports/streamable-http",
        "An unknown method is -32601: HTTP 200, and 404 from 2026-07-28",
    ),
    Behaviour(
        "errors-call",
        "spec, server/tools",
        "tools/call without name or with arguments that are no object: -32602",
    ),
    Behaviour(
        "errors-resource",
        "spec, server/resources, error handling",
        "An unknown resource is -32002, from 2026-07-28 -32602, with its URI",
    ),
    Behaviour(
        "errors-prompt",
        "spec, server/prompts, error handling",
        "An unknown prompt or a missing argument is -32602",
    ),
    Behaviour(
        "errors-completion",
        "spec, server/utilities/completion",
        "An unknown reference is -32602; an unknown argument has no values",
    ),
    Behaviour(
        "errors-cursor",
        "spec, server/utilities/pagination",
        "A cursor that we did not make is -32602",
    ),
    Behaviour(
        "errors-internal",
        "D-033; spec, basic/index",
        "An unexpected error is -32603 Internal server error, without any detail",
    ),
)

_LISTS: Final = (
    Behaviour(
        "lists-pages",
        "spec, server/utilities/pagination",
        "More than 100 resources come in pages, each once, to the end",
    ),
    Behaviour(
        "lists-changing",
        "spec, server/utilities/pagination, stable cursors",
        "An article that is added between two pages shifts no other",
    ),
    Behaviour(
        "lists-templates",
        "spec, server/resources, resource templates",
        "One template: kb://article/{slug}",
    ),
    Behaviour(
        "lists-prompts",
        "spec, server/prompts",
        "Prompts have descriptions and arguments, and can be filled",
    ),
    Behaviour(
        "lists-completions",
        "spec, server/utilities/completion",
        "Slugs and topics of visible articles complete, at most 100 at once",
    ),
    Behaviour(
        "lists-caching",
        "spec 2026-07-28, server/utilities/caching; D-036",
        "Lists may be kept for five minutes, resources for one, by anybody",
        STATELESS,
    ),
)

_HTTP: Final = (
    Behaviour(
        "http-session",
        "spec, basic/transports, session management",
        "initialize gives a secret session id; unknown and ended ones are 404",
        STREAMABLE,
        HTTP,
    ),
    Behaviour(
        "http-stateless",
        "spec 2026-07-28, basic/transports/streamable-http",
        "No session is given, and one that is sent is ignored",
        STATELESS,
        HTTP,
    ),
    Behaviour(
        "http-version",
        "spec, basic/transports, protocol version header",
        "An unknown version header is 400 with those we speak",
        STREAMABLE,
        HTTP,
    ),
    Behaviour(
        "http-mirrors",
        "spec 2026-07-28, basic/transports/streamable-http, headers",
        "A header that differs from the body it repeats is 400 -32020",
        STATELESS,
        HTTP,
    ),
    Behaviour(
        "http-get",
        "spec, basic/transports, listening",
        "GET with Accept for events is a stream, else 405 with the allowed methods",
        VERSIONS,
        HTTP,
    ),
    Behaviour(
        "http-sse",
        "spec 2024-11-05, basic/transports, HTTP with SSE; D-115",
        "GET tells first where to POST; answers come over the stream, 202 by POST",
        SSE,
        HTTP,
    ),
    Behaviour(
        "http-origin",
        "spec, basic/transports, security warning",
        "A page of another origin, or a rebound host, is 403",
        VERSIONS,
        HTTP,
    ),
)

_STDIO: Final = (
    Behaviour(
        "stdio-pipelining",
        "spec, basic/transports, stdio",
        "Requests sent in one breath are all answered, each by one line",
        VERSIONS,
        STDIO,
    ),
)

BEHAVIOURS: Final = (
    *TOOLS_CONTRACT,
    *RESOURCES_CONTRACT,
    *ARTICLES_CONTRACT,
    *TOOLS,
    *_LIFECYCLE,
    *_MESSAGES,
    *_ERRORS,
    *_LISTS,
    *_HTTP,
    *_STDIO,
)

BY_ID: Final[Mapping[str, Behaviour]] = {b.id: b for b in BEHAVIOURS}
