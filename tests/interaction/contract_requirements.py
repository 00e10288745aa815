"""Requirements of the contracts of tools, resources and articles."""

from typing import Final

from interaction.behaviour import Behaviour
from support.peers import VERSIONS

STRUCTURED: Final = tuple(version for version in VERSIONS if version >= "2025-06-18")
"""The versions that have structured content."""

TOOLS_CONTRACT: Final = (
    Behaviour(
        "tools-identity",
        "D-043",
        "The server is asdlc-knowledge-base, its version that of the package",
    ),
    Behaviour(
        "tools-tools",
        "D-100",
        "tools/list has list_articles, get_article and search_articles",
    ),
    Behaviour(
        "tools-list",
        "D-001; D-006",
        "All Live and Experimental articles, metadata only, newest first, no others",
    ),
    Behaviour(
        "tools-category",
        "D-100",
        "A category leaves only its own articles",
    ),
    Behaviour(
        "tools-get",
        "D-010",
        "context-engineering is given whole, Markdown included",
    ),
    Behaviour(
        "tools-draft",
        "D-004",
        "draft-concept is answered with: Article 'draft-concept' not found",
    ),
    Behaviour(
        "tools-hidden",
        "D-001; D-002",
        "Draft, Proposed, Deprecated and unknown status are as if they were missing",
    ),
    Behaviour(
        "tools-search",
        "D-012",
        "context finds every visible article with it in title, tags or description",
    ),
    Behaviour(
        "tools-missing",
        "D-004",
        "does-not-exist is answered with a clear message",
    ),
    Behaviour(
        "tools-weights",
        "D-012",
        "Title 3, tag 2 and description 1 add up; equal weights are newest first",
    ),
    Behaviour(
        "tools-default-limit",
        "D-009",
        "A list has 50 articles and a search 10, unless a limit says otherwise",
    ),
    Behaviour(
        "tools-unparsable",
        "D-005",
        "A visible article that breaks the schema: Failed to parse article metadata",
    ),
    Behaviour(
        "tools-messages",
        "D-033; spec, basic/index",
        "Parse error, Invalid Request and Method 'x' not found are worded like this",
    ),
)

RESOURCES_CONTRACT: Final = (
    Behaviour(
        "resources-list",
        "D-006; D-104",
        "Resources are articles, newest first, their descriptions cut at 200",
    ),
    Behaviour(
        "resources-read",
        "D-010",
        "kb://article/{slug} is Markdown: title, text, author to published, status",
    ),
    Behaviour(
        "resources-bad-uri",
        "D-035",
        "Another URI: Invalid URI format. Expected: kb://article/{slug}",
    ),
    Behaviour(
        "resources-found",
        "D-010",
        "format markdown gives: Found N articles, then one block each",
    ),
)

ARTICLES_CONTRACT: Final = (
    Behaviour("articles-list-all", "D-100", "No filter: a list, not empty"),
    Behaviour("articles-list-category", "D-100", "patterns: only patterns"),
    Behaviour("articles-list-limit", "D-100", "limit 3: at most three"),
    Behaviour("articles-list-status", "D-001", "Only Live and Experimental"),
    Behaviour("articles-get-whole", "D-010", "A listed slug gives its content"),
    Behaviour("articles-get-unknown", "D-004", "isError, and: not found"),
    Behaviour(
        "articles-get-nothing",
        "D-102",
        "isError: Missing required parameter: slug",
    ),
    Behaviour("articles-search-finds", "D-012", "engineering finds a list"),
    Behaviour("articles-search-metadata", "D-100", "No content by default"),
    Behaviour(
        "articles-search-content",
        "D-100",
        "include_content: the content too",
    ),
    Behaviour(
        "articles-search-nothing",
        "D-102",
        "isError: Missing required parameter: query",
    ),
    Behaviour(
        "articles-search-empty",
        "D-012",
        "An empty query: all visible articles",
    ),
    Behaviour(
        "articles-unknown-tool",
        "D-034; spec, server/tools, error handling",
        "Unknown tool: x, as the protocol's error -32602",
    ),
    Behaviour(
        "articles-format",
        "D-010",
        "One text item, JSON",
    ),
)

TOOLS: Final = (
    Behaviour(
        "tools-annotations",
        "spec, server/tools, annotations",
        "Each tool is read-only, not destructive and closed",
    ),
    Behaviour(
        "tools-schemas",
        "spec, server/tools; D-101",
        "Input and output schemas are closed objects of JSON Schema 2020-12",
    ),
    Behaviour(
        "tools-categories",
        "D-007",
        "The enum of categories has those with a visible article, usual ones first",
    ),
    Behaviour(
        "tools-order",
        "spec, server/tools, listing tools",
        "Two lists in a row are in the same order",
    ),
    Behaviour(
        "tools-arguments",
        "spec, server/tools, error handling; D-102",
        "Arguments that do not fit the schema fail with words that name them",
    ),
    Behaviour(
        "tools-note",
        "D-103",
        "A second text says what was left out and how to get it; else there is none",
    ),
    Behaviour(
        "tools-structure",
        "D-013",
        "Only the setting structured_results adds structured content and its schemas",
        STRUCTURED,
    ),
    Behaviour(
        "tools-markdown",
        "D-010",
        "format markdown gives the text that the resource has",
    ),
    Behaviour(
        "tools-twins",
        "D-008",
        "A shared slug names both in full; a hidden twin does not count",
    ),
    Behaviour(
        "tools-null",
        "D-015",
        "A null stands for an argument that was left out",
    ),
)
