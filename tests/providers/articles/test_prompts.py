"""Prompts about articles, and completions of their arguments."""

from typing import Any

import pytest
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.peers import open_app
from support.shelf import DirectPeer
from support.site import articles_of

from asdlc_kb.providers.articles import prompts


async def complete(
    peer: DirectPeer, ref: str, argument: str, value: str
) -> dict[str, Any]:
    """Ask for the completion of a prompt's or the template's argument."""
    kind = "resource" if "://" in ref else "prompt"
    named = {"uri" if kind == "resource" else "name": ref}
    params = {
        "ref": {"type": f"ref/{kind}", **named},
        "argument": {"name": argument, "value": value},
    }
    completion: dict[str, Any]
    completion = (await peer.result("completion/complete", params))["completion"]
    return completion


def completion_of(*values: str) -> dict[str, Any]:
    """Return a whole completion."""
    return {"values": list(values), "total": len(values), "hasMore": False}


async def test_the_prompts_are_listed_with_their_arguments(peer: DirectPeer) -> None:
    """The specification, server/prompts: names, descriptions, required arguments."""
    listed = (await peer.result("prompts/list"))["prompts"]
    arguments = {p["name"]: [a["name"] for a in p["arguments"]] for p in listed}
    assert arguments == {
        "explain_concept": ["slug"],
        "apply_pattern": ["slug", "task"],
        "review_against_practice": ["slug"],
        "find_guidance": ["topic"],
    }
    for prompt in listed:
        assert prompt["title"]
        assert prompt["description"]
        assert all(argument["required"] for argument in prompt["arguments"])


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("explain_concept", {"slug": "the-spec"}),
        ("apply_pattern", {"slug": "patterns/the-spec", "task": "Sort {task} out"}),
        ("review_against_practice", {"slug": "the-spec"}),
    ],
)
async def test_a_prompt_is_a_request_followed_by_the_article(
    peer: DirectPeer, name: str, arguments: dict[str, str]
) -> None:
    """The specification, server/prompts: text, then the embedded resource as it is read
    under its shortest address.
    """
    result = await peer.result("prompts/get", {"name": name, "arguments": arguments})
    uri = "kb://article/the-spec"
    read = await peer.result("resources/read", {"uri": uri})
    assert result["description"] == "The Spec (patterns)"
    request, article = result["messages"]
    assert (request["role"], article["role"]) == ("user", "user")
    assert request["content"]["type"] == "text"
    assert article["content"] == {"type": "resource", "resource": read["contents"][0]}
    if "task" in arguments:
        assert "to this task: Sort {task} out\n" in request["content"]["text"]


async def test_the_prompt_of_a_recipe_asks_for_its_steps(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """D-106: recipes have a prompt as the other categories of this project."""
    knowledge.write("recipes/one", body="Run it.\n")
    server = open_app(knowledge, structured_results=True).server
    peer = DirectPeer("2026-07-28", server=server, scanner=scanner)
    params = {"name": "follow_recipe", "arguments": {"slug": "one"}}
    request, article = (await peer.result("prompts/get", params))["messages"]
    assert "steps in order" in request["content"]["text"]
    assert "Run it.\n" in article["content"]["resource"]["text"]


async def test_the_guidance_prompt_holds_what_a_search_finds(peer: DirectPeer) -> None:
    """D-106: the text of a search, in a request to answer from it."""
    params = {"name": "find_guidance", "arguments": {"topic": "twice"}}
    result = await peer.result("prompts/get", params)
    (message,) = result["messages"]
    assert message["role"] == "user"
    text = message["content"]["text"]
    assert text.startswith("What does the knowledge base say about twice? ")
    searched = await peer.call("search_articles", query="twice", format="markdown")
    assert text.endswith(f"\n\n{searched['content'][0]['text']}")
    params = {"name": "find_guidance", "arguments": {"topic": "known-draft"}}
    (message,) = (await peer.result("prompts/get", params))["messages"]
    nothing = "0 of 6 articles. Searched titles, tags, descriptions and text."
    assert message["content"]["text"].endswith(nothing)


async def test_guidance_on_what_no_keyword_fits_comes_from_the_full_text(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """D-012: as `search_articles` answers; D-103: replaced words are stated."""
    knowledge.write("concepts/kettle", body="Descale the pot with vinegar.\n")
    server = open_app(knowledge, structured_results=True).server
    peer = DirectPeer("2025-11-25", server=server, scanner=scanner)
    params = {"name": "find_guidance", "arguments": {"topic": "how to descale"}}
    (message,) = (await peer.result("prompts/get", params))["messages"]
    assert "(kettle)" in message["content"]["text"]
    assert "the pot with vinegar" in message["content"]["text"]


async def test_the_guidance_prompt_holds_ten_articles_at_most(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """D-106: up to ten results, and the total."""
    for number in range(12):
        knowledge.write(f"concepts/n{number:02}")
    server = open_app(knowledge, structured_results=True).server
    peer = DirectPeer("2025-11-25", server=server, scanner=scanner)
    params = {"name": "find_guidance", "arguments": {"topic": "n"}}
    (message,) = (await peer.result("prompts/get", params))["messages"]
    assert "Found 13 articles:" in message["content"]["text"]
    assert message["content"]["text"].count("\n- ") == 10


@pytest.mark.parametrize(
    "slug", ["nope", "known-draft", "concepts/known-draft", "../x"]
)
async def test_a_prompt_about_nothing_visible_is_invalid(
    peer: DirectPeer, slug: str
) -> None:
    """The specification, server/prompts: -32602; D-004: the same text."""
    params = {"name": "explain_concept", "arguments": {"slug": slug}}
    assert await peer.error("prompts/get", params) == {
        "code": -32602,
        "message": f"Article '{slug}' not found",
        "data": {"slug": slug},
    }


async def test_a_slug_that_no_article_can_have_is_cut_in_the_error(
    peer: DirectPeer,
) -> None:
    """D-052: errors are small, whatever was requested."""
    for length, expected in ((500, 500), (501, 200), (100_000, 200)):
        params = {"name": "explain_concept", "arguments": {"slug": "x" * length}}
        assert await peer.error("prompts/get", params) == {
            "code": -32602,
            "message": f"Article '{'x' * expected}' not found",
            "data": {"slug": "x" * expected},
        }


OFFERED = {
    "explain_concept": "concepts/links-to-hidden",
    "apply_pattern": "patterns/one",
    "review_against_practice": "practices/one",
    "follow_recipe": "recipes/one",
}
"""Each prompt about an article, and one that its category may have."""


@pytest.mark.parametrize("hidden", OFFERED)
async def test_a_prompt_is_offered_where_its_category_has_a_visible_article(
    knowledge: KnowledgeBase, scanner: Scanner, hidden: str
) -> None:
    """D-106: a category of drafts does not exist, nor does its prompt; guidance is
    always offered.
    """
    for name in OFFERED.values():
        knowledge.write(name)
    app = open_app(knowledge, structured_results=True)
    peer = DirectPeer("2026-07-28", server=app.server, scanner=scanner)

    async def offered() -> list[str]:
        listed = (await peer.result("prompts/list"))["prompts"]
        return [prompt["name"] for prompt in listed]

    everything = [*OFFERED, "find_guidance"]
    assert await offered() == everything
    knowledge.write(OFFERED[hidden], status="Draft")
    articles_of(app).load()
    assert await offered() == [name for name in everything if name != hidden]
    params = {"name": hidden, "arguments": {"slug": "one", "task": "t"}}
    error = await peer.error("prompts/get", params)
    assert error == {"code": -32602, "message": f"Unknown prompt: {hidden}"}
    for name in OFFERED.values():
        knowledge.write(name, status="Draft")
    articles_of(app).load()
    assert await offered() == ["find_guidance"]


async def test_a_prompt_about_what_cannot_be_parsed_is_an_internal_error(
    small_base: KnowledgeBase, scanner: Scanner
) -> None:
    """D-005: -32603 Failed to parse article metadata."""
    small_base.write("concepts/broken", title=None)
    server = open_app(small_base, structured_results=True).server
    peer = DirectPeer("2026-07-28", server=server, scanner=scanner)
    params = {"name": "explain_concept", "arguments": {"slug": "broken"}}
    assert await peer.error("prompts/get", params) == {
        "code": -32603,
        "message": "Failed to parse article metadata",
        "data": {"slug": "broken"},
    }


@pytest.mark.parametrize(
    ("name", "arguments", "missing"),
    [
        ("explain_concept", {}, "slug"),
        ("explain_concept", {"slug": ""}, "slug"),
        ("apply_pattern", {"slug": "the-spec"}, "task"),
        ("find_guidance", {}, "topic"),
    ],
)
async def test_a_prompt_without_what_it_needs_is_invalid(
    peer: DirectPeer, name: str, arguments: dict[str, str], missing: str
) -> None:
    """The specification, server/prompts: -32602 for a missing argument."""
    error = await peer.error("prompts/get", {"name": name, "arguments": arguments})
    assert error == {
        "code": -32602,
        "message": f"Missing required argument: {missing}",
        "data": {"argument": missing},
    }
    given = arguments | {"foo": "x"}
    error = await peer.error("prompts/get", {"name": name, "arguments": given})
    assert error["message"].startswith("Unknown argument: foo. Known arguments: ")
    assert missing in error["message"]


@pytest.mark.parametrize(
    ("ref", "value", "values"),
    [
        ("explain_concept", "t", ["the-spec", "concepts/twice", "context-engineering"]),
        ("explain_concept", "c", ["concepts/twice", "context-engineering"]),
        ("apply_pattern", "the", ["the-spec"]),
        ("review_against_practice", "", ["prune"]),
        ("kb://article/{slug}", "SPEC", ["the-spec"]),
        ("kb://article/{slug}", "twice", ["concepts/twice", "handbook/twice"]),
        ("kb://article/{slug}", "known", []),
        ("kb://article/{slug}", "zzz", []),
    ],
)
async def test_slugs_complete_those_of_the_prompts_category_first(
    peer: DirectPeer, ref: str, value: str, values: list[str]
) -> None:
    """The specification, completion: values that begin with the text before those that
    contain it; every completion is a name that finds its article.
    """
    completion = await complete(peer, ref, "slug", value)
    assert completion["values"][: len(values)] == values
    assert completion["total"] == len(completion["values"])
    assert completion["hasMore"] is False
    if not values:
        assert completion == completion_of()
    for slug in completion["values"]:
        assert "isError" not in await peer.call("get_article", slug=slug)


@pytest.mark.parametrize(
    ("value", "tags"),
    [
        (
            "",
            [
                *("Context Engineering", "One", "Prompting"),
                *("Specification", "Two"),
            ],
        ),
        ("pro", ["Prompting"]),
        ("ING", ["Context Engineering", "Prompting"]),
        ("shared", []),
        ("zzz", []),
    ],
)
async def test_topics_complete_visible_tags_only(
    peer: DirectPeer, value: str, tags: list[str]
) -> None:
    """D-007: no tag of hidden articles alone exists on any transport."""
    assert await complete(peer, "find_guidance", "topic", value) == completion_of(*tags)


@pytest.mark.parametrize(
    ("ref", "argument"),
    [
        ("apply_pattern", "task"),
        ("explain_concept", "nope"),
        ("explain_concept", "topic"),
        ("explain_concept", ""),
        ("find_guidance", "slug"),
        ("kb://article/{slug}", "topic"),
    ],
)
async def test_an_argument_that_is_unknown_or_free_has_no_values(
    peer: DirectPeer, ref: str, argument: str
) -> None:
    """The specification, completion: an unknown argument of a known ref is empty."""
    assert await complete(peer, ref, argument, "") == {"values": []}


@pytest.mark.parametrize(
    "ref",
    [
        {"type": "ref/prompt", "name": "nope"},
        {"type": "ref/resource", "uri": "kb://article/the-spec"},
        {"type": "ref/resource", "uri": "kb://doc/{path}"},
    ],
)
async def test_a_completion_of_an_unknown_reference_is_invalid(
    peer: DirectPeer, ref: dict[str, str]
) -> None:
    """The specification, completion: -32602."""
    argument = {"name": "slug", "value": ""}
    params = {"ref": ref, "argument": argument}
    error = await peer.error("completion/complete", params)
    assert error["code"] == -32602


async def test_a_completion_has_100_values_at_most(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """The specification, completion: at most 100 values, total and hasMore."""
    for number in range(105):
        tag = f"[tag{number:03}]"
        knowledge.write(f"concepts/n{number:03}", tags=tag)
    server = open_app(knowledge, structured_results=True).server
    peer = DirectPeer("2026-07-28", server=server, scanner=scanner)
    slugs = await complete(peer, "kb://article/{slug}", "slug", "n0")
    assert slugs == completion_of(*(f"n{number:03}" for number in range(100)))
    for ref, argument, prefix in (
        ("kb://article/{slug}", "slug", "n"),
        ("find_guidance", "topic", "tag"),
    ):
        values = [f"{prefix}{number:03}" for number in range(100)]
        completion = await complete(peer, ref, argument, prefix)
        assert completion["values"] == values
        assert completion["hasMore"] is True
    assert completion["total"] == 105


def test_each_prompt_about_an_article_has_its_category_and_request() -> None:
    """A prompt without a row in both tables could not be filled or completed."""
    about_articles = {
        prompt.name
        for prompt in prompts.PROMPTS
        if any(argument.name == "slug" for argument in prompt.arguments)
    }
    assert about_articles == set(prompts.CATEGORIES) == set(prompts._REQUESTS)


@pytest.mark.parametrize(
    ("prompt", "argument"), [("apply_pattern", "task"), ("find_guidance", "topic")]
)
async def test_a_text_beyond_2000_characters_is_refused(
    peer: DirectPeer, prompt: str, argument: str
) -> None:
    """D-054: as long as a query may be."""
    arguments = {"slug": "tests-first"} if argument == "task" else {}
    params = {"name": prompt, "arguments": {**arguments, argument: "x" * 2001}}
    assert await peer.error("prompts/get", params) == {
        "code": -32602,
        "message": f"{argument} is longer than 2,000 characters",
        "data": {"argument": argument},
    }
