"""MCP prompts about articles."""

from collections.abc import Mapping
from typing import Final

from asdlc_kb.articles.article import Article
from asdlc_kb.mcp.protocol.model import (
    EmbeddedResource,
    Prompt,
    PromptArgument,
    PromptMessage,
    PromptResult,
    TextContent,
    TextContents,
)
from asdlc_kb.providers.articles import views
from asdlc_kb.providers.shared.media_types import MARKDOWN

CATEGORIES: Final[Mapping[str, str]] = {
    "explain_concept": "concepts",
    "apply_pattern": "patterns",
    "review_against_practice": "practices",
    "follow_recipe": "recipes",
}
"""The category that completes a prompt's argument first."""

_SLUG: Final = PromptArgument(
    name="slug", title="Article", description="The article's slug", required=True
)

PROMPTS: Final = (
    Prompt(
        name="explain_concept",
        title="Explain a concept",
        description="Explain an article for the work at hand",
        arguments=(_SLUG,),
    ),
    Prompt(
        name="apply_pattern",
        title="Apply a pattern",
        description="Apply an article to a task, step by step",
        arguments=(
            _SLUG,
            PromptArgument(
                name="task",
                title="Task",
                description="What is to be done",
                required=True,
            ),
        ),
    ),
    Prompt(
        name="review_against_practice",
        title="Review against a practice",
        description="Review the current work by what an article asks for",
        arguments=(_SLUG,),
    ),
    Prompt(
        name="follow_recipe",
        title="Follow a recipe",
        description="Carry out the steps of an article in the current project",
        arguments=(_SLUG,),
    ),
    Prompt(
        name="find_guidance",
        title="Find guidance",
        description="Find what the knowledge base says of a topic",
        arguments=(
            PromptArgument(
                name="topic",
                title="Topic",
                description="A word or short phrase",
                required=True,
            ),
        ),
    ),
)


def offered_prompts(categories: tuple[str, ...]) -> tuple[Prompt, ...]:
    """Return the prompts with articles in their category."""
    return tuple(
        prompt
        for prompt in PROMPTS
        if CATEGORIES.get(prompt.name) in (None, *categories)
    )


_REQUESTS: Final[Mapping[str, str]] = {
    "explain_concept": (
        "Explain the article below for the work we are doing. Say what it means here, "
        "where it applies and where it does not, and name one thing to do differently."
    ),
    "apply_pattern": (
        "Apply the article below to this task: {task}\n\n"
        "Say first whether it fits; if it does not, say so and stop. Then give the "
        "steps for this code base, and what would show that it is failing."
    ),
    "review_against_practice": (
        "Review the current work against the article below. For each point it makes, "
        "say whether the work meets it, with the file or change that shows it, and "
        "what to mend. Leave out points that do not apply."
    ),
    "follow_recipe": (
        "Carry out the article below in this project. Say first which of its files and "
        "tools exist here, and what you will change. Then take its steps in order, and "
        "check the result as it states. If a step fails, stop and report it."
    ),
}


def fill_prompt(
    name: str, article: Article, address: str, arguments: Mapping[str, str]
) -> PromptResult:
    """Return a prompt's request, followed by the article."""
    request = _REQUESTS[name].replace("{task}", arguments.get("task", ""))
    contents = TextContents(
        uri=address, text=views.article_markdown(article), mime_type=MARKDOWN
    )
    return PromptResult(
        description=f"{article.title} ({article.category})",
        messages=(
            PromptMessage(role="user", content=TextContent(text=request)),
            PromptMessage(role="user", content=EmbeddedResource(resource=contents)),
        ),
    )


def fill_guidance(topic: str, found: str) -> PromptResult:
    """Return a request to answer from search results."""
    request = (
        f"What does the knowledge base say about {topic}? Read the articles that fit "
        f"with get_article, answer from them, and cite their slugs.\n\n{found}"
    )
    return PromptResult(
        description="Guidance from the knowledge base",
        messages=(PromptMessage(role="user", content=TextContent(text=request)),),
    )
