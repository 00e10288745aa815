"""The rows that the seeds ask for, and what the tools owe beyond them."""

from typing import Final

from interaction.behaviour import Behaviour

SEED_000: Final = (
    Behaviour(
        "000-identity",
        "seed 000, definition of done",
        "The server is asdlc-knowledge-base, its version that of the package",
    ),
    Behaviour(
        "000-tools",
        "seed 000, scenario: client discovers available tools",
        "tools/list has list_articles, get_article and search_articles",
    ),
    Behaviour(
        "000-list",
        "seed 000, scenario: client lists all articles",
        "All Live and Experimental articles, metadata only, newest first, no others",
    ),
    Behaviour(
        "000-category",
        "seed 000, scenario: client lists articles by category",
        "A category leaves only its own articles",
    ),
    Behaviour(
        "000-get",
        "seed 000, scenario: client retrieves specific article",
        "context-engineering is given whole, Markdown included",
    ),
    Behaviour(
        "000-draft",
        "seed 000, scenario: client requests Draft article",
        "draft-concept is answered with: Article 'draft-concept' not found",
    ),
    Behaviour(
        "000-hidden",
        "seed 000, content filtering; design, hidden article",
        "Draft, Proposed, Deprecated and unknown status are as if they were missing",
    ),
    Behaviour(
        "000-search",
        "seed 000, scenario: client searches articles",
        "context finds every visible article with it in title, tags or description",
    ),
    Behaviour(
        "000-missing",
        "seed 000, scenario: client requests non-existent article",
        "does-not-exist is answered with a clear message",
    ),
    Behaviour(
        "000-weights",
        "seed 000, search algorithm",
        "Title 3, tag 2 and description 1 add up; equal weights are newest first",
    ),
    Behaviour(
        "000-default-limit",
        "seed 000, performance considerations",
        "A list has 50 articles unless a limit says otherwise",
    ),
    Behaviour(
        "000-unparsable",
        "seed 000, error codes",
        "A visible article that breaks the schema: Failed to parse article metadata",
    ),
    Behaviour(
        "000-messages",
        "seed 000, error codes; spec, basic/index",
        "Parse error, Invalid Request and Method 'x' not found are worded like this",
    ),
)

SEED_001: Final = (
    Behaviour(
        "001-list",
        "seed 001, resources/list",
        "Resources are articles, newest first, their descriptions cut at 200",
    ),
    Behaviour(
        "001-read",
        "seed 001, resources/read",
        "kb://article/{slug} is Markdown: title, text, author to published, status",
    ),
    Behaviour(
        "001-bad-uri",
        "seed 001, resources/read; design, bad resource URI",
        "Another URI: Invalid URI format. Expected: kb://article/{slug}",
    ),
    Behaviour(
        "001-found",
        "seed 001, search_articles",
        "format markdown tells: Found N articles, then one block each",
    ),
)

SEED_002: Final = (
    Behaviour("002-list-all", "seed 002, tests", "No filter: a list, not empty"),
    Behaviour("002-list-category", "seed 002, tests", "patterns: only patterns"),
    Behaviour("002-list-limit", "seed 002, tests", "limit 3: at most three"),
    Behaviour("002-list-status", "seed 002, tests", "Only Live and Experimental"),
    Behaviour("002-get-whole", "seed 002, tests", "A listed slug gives its content"),
    Behaviour("002-get-unknown", "seed 002, tests", "isError, and: not found"),
    Behaviour(
        "002-get-nothing",
        "seed 002, tests",
        "isError: Missing required parameter: slug",
    ),
    Behaviour("002-search-finds", "seed 002, tests", "engineering finds a list"),
    Behaviour("002-search-metadata", "seed 002, tests", "No content by default"),
    Behaviour(
        "002-search-content", "seed 002, tests", "include_content: the content too"
    ),
    Behaviour(
        "002-search-nothing",
        "seed 002, tests",
        "isError: Missing required parameter: query",
    ),
    Behaviour(
        "002-search-empty", "seed 002, tests", "An empty query: all visible articles"
    ),
    Behaviour(
        "002-unknown-tool",
        "seed 002, tests; spec, server/tools, error handling",
        "Unknown tool: x, as the protocol's error -32602",
    ),
    Behaviour(
        "002-format", "seed 002, tests", "One text item, JSON of what is structured"
    ),
)

TOOLS: Final = (
    Behaviour(
        "tools-annotations",
        "spec, server/tools, annotations",
        "Each tool is read-only, not destructive, idempotent and closed",
    ),
    Behaviour(
        "tools-schemas",
        "spec, server/tools; the design",
        "Input and output schemas are closed objects of JSON Schema 2020-12",
    ),
    Behaviour(
        "tools-categories",
        "design, categories",
        "The enum of categories holds those with a visible article, the seeds' first",
    ),
    Behaviour(
        "tools-order",
        "spec, server/tools, listing tools",
        "Two lists in a row are in the same order",
    ),
    Behaviour(
        "tools-arguments",
        "spec, server/tools, error handling; design, search_articles",
        "Arguments that do not fit the schema fail with words that name them",
    ),
    Behaviour(
        "tools-links",
        "design, search_articles",
        "Resource links follow the text of a search, and of nothing else",
    ),
    Behaviour(
        "tools-markdown",
        "design, get_article",
        "format markdown gives the text that the resource has",
    ),
    Behaviour(
        "tools-twins",
        "design, slug in two categories",
        "A shared slug names both in full; a hidden twin does not count",
    ),
    Behaviour(
        "tools-null",
        "design, arguments",
        "A null stands for an argument that was left out",
    ),
)
