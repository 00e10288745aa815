"""Requirements of the contracts of tools, resources and articles."""

from typing import Final

from interaction.behaviour import Behaviour

TOOLS_CONTRACT: Final = (
    Behaviour(
        "tools-identity",
        "definition of done",
        "The server is asdlc-knowledge-base, its version that of the package",
    ),
    Behaviour(
        "tools-tools",
        "scenario: client discovers available tools",
        "tools/list has list_articles, get_article and search_articles",
    ),
    Behaviour(
        "tools-list",
        "scenario: client lists all articles",
        "All Live and Experimental articles, metadata only, newest first, no others",
    ),
    Behaviour(
        "tools-category",
        "scenario: client lists articles by category",
        "A category leaves only its own articles",
    ),
    Behaviour(
        "tools-get",
        "scenario: client retrieves specific article",
        "context-engineering is given whole, Markdown included",
    ),
    Behaviour(
        "tools-draft",
        "scenario: client requests Draft article",
        "draft-concept is answered with: Article 'draft-concept' not found",
    ),
    Behaviour(
        "tools-hidden",
        "content filtering; design, hidden article",
        "Draft, Proposed, Deprecated and unknown status are as if they were missing",
    ),
    Behaviour(
        "tools-search",
        "scenario: client searches articles",
        "context finds every visible article with it in title, tags or description",
    ),
    Behaviour(
        "tools-missing",
        "scenario: client requests non-existent article",
        "does-not-exist is answered with a clear message",
    ),
    Behaviour(
        "tools-weights",
        "search algorithm",
        "Title 3, tag 2 and description 1 add up; equal weights are newest first",
    ),
    Behaviour(
        "tools-default-limit",
        "performance considerations",
        "A list has 50 articles unless a limit says otherwise",
    ),
    Behaviour(
        "tools-unparsable",
        "error codes",
        "A visible article that breaks the schema: Failed to parse article metadata",
    ),
    Behaviour(
        "tools-messages",
        "error codes; spec, basic/index",
        "Parse error, Invalid Request and Method 'x' not found are worded like this",
    ),
)

RESOURCES_CONTRACT: Final = (
    Behaviour(
        "resources-list",
        "resources/list",
        "Resources are articles, newest first, their descriptions cut at 200",
    ),
    Behaviour(
        "resources-read",
        "resources/read",
        "kb://article/{slug} is Markdown: title, text, author to published, status",
    ),
    Behaviour(
        "resources-bad-uri",
        "resources/read; design, bad resource URI",
        "Another URI: Invalid URI format. Expected: kb://article/{slug}",
    ),
    Behaviour(
        "resources-found",
        "search_articles",
        "format markdown tells: Found N articles, then one block each",
    ),
)

ARTICLES_CONTRACT: Final = (
    Behaviour(
        "articles-list-all", "contract of articles", "No filter: a list, not empty"
    ),
    Behaviour(
        "articles-list-category", "contract of articles", "patterns: only patterns"
    ),
    Behaviour("articles-list-limit", "contract of articles", "limit 3: at most three"),
    Behaviour(
        "articles-list-status", "contract of articles", "Only Live and Experimental"
    ),
    Behaviour(
        "articles-get-whole", "contract of articles", "A listed slug gives its content"
    ),
    Behaviour(
        "articles-get-unknown", "contract of articles", "isError, and: not found"
    ),
    Behaviour(
        "articles-get-nothing",
        "contract of articles",
        "isError: Missing required parameter: slug",
    ),
    Behaviour(
        "articles-search-finds", "contract of articles", "engineering finds a list"
    ),
    Behaviour(
        "articles-search-metadata", "contract of articles", "No content by default"
    ),
    Behaviour(
        "articles-search-content",
        "contract of articles",
        "include_content: the content too",
    ),
    Behaviour(
        "articles-search-nothing",
        "contract of articles",
        "isError: Missing required parameter: query",
    ),
    Behaviour(
        "articles-search-empty",
        "contract of articles",
        "An empty query: all visible articles",
    ),
    Behaviour(
        "articles-unknown-tool",
        "contract of articles; spec, server/tools, error handling",
        "Unknown tool: x, as the protocol's error -32602",
    ),
    Behaviour(
        "articles-format",
        "contract of articles",
        "One text item, JSON of what is structured",
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
        "The enum of categories holds those with a visible article, ours first",
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
