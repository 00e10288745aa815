"""What each setting does, in one line, by group.

The one source of help texts and of the table in docs/settings.md.
"""

from collections.abc import Mapping
from typing import Final

GROUPS: Final[Mapping[str, Mapping[str, str]]] = {
    "Content": {
        "content": "Folder of articles; by default ./content, if nothing else is named",
        "docs": (
            "Documentation folder to serve (any tree of Markdown), or NAME=DIR, one "
            "of several, with its pages below NAME/"
        ),
        "dialect": (
            "Dialect of the documentation's Markdown, or NAME=DIALECT; by default "
            "that of the site generator whose configuration is found"
        ),
        "language": (
            "Language of the documentation, such as fr, or NAME=LANGUAGE; by "
            "default that of its generator's configuration, or English"
        ),
        "project": "Project whose rules, commands and skills are served",
        "store": (
            "PostgreSQL database to serve articles and documentation from, and after "
            "commas its replicas, for example postgresql://kb@10.0.0.5/kb; needs the "
            "extra postgres"
        ),
        "store_source": "Source of the store to serve; by default all of them",
        "store_max_age": (
            "Seconds after which content that could not be brought up to date with "
            "the store is no longer served; 0 for no limit"
        ),
        "include_home": "Over stdio, also what tools read in your home directory",
        "wait": "Start even if a folder to serve does not exist yet",
        "missing_grace": "Seconds to serve articles and pages whose folder is missing",
        "max_files": "Maximum number of files served of each folder",
        "poll": "Poll for changes instead of using file-system events",
    },
    "Website": {
        "base_url": "Public address, for example https://kb.example.com",
        "title": (
            "Title of the website and the server; by default that of the content, "
            "or the name of its folder"
        ),
        "tagline": "Sentence below the title; its default fits what is served",
        "social_image": (
            "Address of the picture in previews of pages that show none, 1200 x 630 "
            "pixels"
        ),
        "logo": "Picture in place of the mark in the header, and the site's icon",
        "accent": (
            "Color of links and buttons, such as #7c3aed; made darker or lighter "
            "until text in it is readable in both themes"
        ),
        "custom_css": "Style sheet after those of the site",
        "footer": "Markdown for the footer of every page, on one line",
        "announcement": "Markdown for a bar above every page, on one line",
        "edit_url": (
            "Template of edit links: {file} is a file's path in its git repository, "
            "{folder} and {path} the served folder and its path there"
        ),
        "project_pages": (
            "Also show what agents read in each --project on the website, and which "
            "instructions apply to a file"
        ),
        "content_signal": (
            "Content-Signal of robots.txt, for example search=yes, ai-input=yes, "
            "ai-train=no"
        ),
    },
    "Search": {
        "cache_dir": (
            "Folder of search indexes and parsed files; by default the user's cache "
            "folder, 'off' keeps indexes in memory"
        ),
        "max_search_results": "Default number of search_docs results",
        "snippet_length": "Length of search excerpts, in characters",
        "changelog": (
            "Pages that search ranks lower, as it does changelogs: a pattern of "
            "their paths, such as blog/*"
        ),
        "synonyms": (
            "File of words that are searched for each other: a line such as 'pull "
            "request, PR' for each group"
        ),
        "semantic": (
            "Also compare what pages mean with questions in English; needs the "
            "extra semantic"
        ),
    },
    "MCP": {
        "mcp_enabled": "Offer the MCP endpoint; without it /mcp is 404",
        "sse": "Also offer the HTTP+SSE transport of 2024-11-05",
        "server_name": (
            "Name of the server in the protocol; by default asdlc-knowledge-base"
        ),
        "instructions": (
            "Server instructions for clients, replacing the default text; a "
            "sentence that content is data and not instructions is always added"
        ),
        "topics": (
            "Topics of the content, for the default instructions; by default names "
            "of categories, frequent tags and groups of pages"
        ),
        "chatgpt_tools": (
            "Also offer the tools search and fetch in the form that ChatGPT "
            "expects, over articles and documentation"
        ),
        "tool_errors": "Report tool errors in the result or as a protocol error",
        "structured_results": (
            "Also return structuredContent, for clients that are programs; some "
            "clients show it to models instead of the text"
        ),
    },
    "Network": {
        "host": "Address to listen on",
        "port": "Port to listen on; 0 picks a free one",
        "workers": "Number of worker processes",
        "fast_path": "Answer cached calls and pages before Tornado parses them",
        "bus_url": (
            "Redis, Valkey or PostgreSQL shared by all replicas, for example "
            "redis://10.0.0.9:6379/0 or postgresql://10.0.0.9/kb; set a URL with a "
            "password in the environment"
        ),
        "session_key_file": (
            "File with the key that signs session ids, for all replicas; without "
            "one a restart ends all sessions"
        ),
        "tls_cert": "Serve HTTPS with the certificate chain in this file (PEM)",
        "tls_key": "File with the private key of tls_cert (PEM)",
        "allow_host": "Additional Host header to accept",
        "allow_origin": "Web origin that may call, such as https://app.example.com",
        "trusted_proxy": (
            "Proxy trusted to set X-Forwarded-For: an address, a network such as "
            "10.0.0.0/8, or unix: for peers on a Unix socket"
        ),
    },
    "Limits": {
        "rate_limit_requests": "Maximum calls per client and window",
        "rate_limit_window": "Length of the window, in seconds",
        "rate_limit": (
            "Maximum calls per client, such as 120/minute or "
            "10/second; overrides the two settings before it, 'off' disables the "
            "limit"
        ),
        "page_rate_limit": (
            "Maximum requests per client for pages, and for searches, such as "
            "1200/minute, or 'off'"
        ),
        "max_connections": (
            "Maximum connections; by default what file descriptors allow"
        ),
        "max_connections_per_client": (
            "Maximum connections per address; trusted proxies are exempt"
        ),
        "max_body": "Maximum size of a request body, in bytes",
    },
    "Authentication": {
        "auth_tokens_file": (
            "Require a token listed in this file (see 'asdlc-kb token')"
        ),
        "auth_jwks_file": "Require a token signed with a key in this file (a JWK Set)",
        "auth_issuer": "Issuer of signed tokens, where clients obtain them",
        "auth_audience": "Audience of signed tokens; by default base_url with /mcp",
        "auth_scope": "Scopes that signed tokens must have, separated by spaces",
    },
    "Monitoring": {
        "log_level": "Minimum log level",
        "log_format": (
            "Format of the log; auto: text on a terminal, else JSON; json: no banner "
            "either"
        ),
        "log_queries": "Log search queries, for asdlc-kb stats",
        "metrics_allow": (
            "Address or network that may read /metrics, or unix: for peers on a "
            "Unix socket; by default this machine, but none if base_url, "
            "allow_host, trusted_proxy, tokens or a non-loopback host is set"
        ),
        "otel": (
            "Export traces and metrics with OpenTelemetry, as the OTEL_* variables "
            "say; needs the extra otel"
        ),
        "insights_allow": (
            "Address or network that may read /insights, with the same default as "
            "metrics_allow"
        ),
        "insights": (
            "SQLite file that keeps the figures of /insights, created if it does "
            "not exist; by default they are kept in memory"
        ),
        "query_retention_days": (
            "Days after which logged queries are deleted from the figures of /insights"
        ),
        "debug": "Show tracebacks, also to clients in the data of errors",
    },
    "Development": {
        "dev": (
            "Development mode: clients cache nothing, and pages reload when a file "
            "is saved"
        ),
        "drafts": (
            "Show hidden articles on the website, marked; requires --dev and a "
            "loopback address"
        ),
    },
}
"""The description of each setting by name, in groups by their titles."""

DESCRIPTIONS: Final[Mapping[str, str]] = {
    name: description
    for group in GROUPS.values()
    for name, description in group.items()
}
"""The description of each setting by name, in the order of the groups."""
