"""Lists: all pages, templates, prompts, completions, caching hints."""

from typing import Any

import pytest
from interaction.content import SHOWN
from interaction.raw import TITLES_SINCE, Connect, has, titled
from support.knowledge import KnowledgeBase
from support.peers import Peer, open_app
from support.site import articles_of

from asdlc_kb.app import Runtime


def fill(knowledge: KnowledgeBase, count: int) -> list[str]:
    """Write articles; return their names in the order of lists."""
    names = []
    for number in range(count):
        day = f"2024-{number // 28 + 1:02}-{number % 28 + 1:02}"
        knowledge.write(f"concepts/n{number:03}", lastUpdated=day)
        names.append(f"n{number:03}")
    return [*reversed(names), "links-to-hidden"]


async def page(peer: Peer, cursor: str | None) -> tuple[list[str], str | None]:
    """Return the names on a page of resources, and the cursor after it."""
    params = {} if cursor is None else {"cursor": cursor}
    result = await peer.result("resources/list", params)
    names = [r["uri"].removeprefix("kb://article/") for r in result["resources"]]
    assert ("nextCursor" in result) == (result.get("nextCursor") is not None)
    return names, result.get("nextCursor")


@pytest.mark.behaviour("lists-pages")
@pytest.mark.parametrize(
    ("count", "sizes"), [(99, [100]), (100, [100, 1]), (250, [100, 100, 51])]
)
async def test_all_resources_come_page_by_page(
    knowledge: KnowledgeBase, connect: Connect, count: int, sizes: list[int]
) -> None:
    """Each once, in the order of the list; no cursor after the last page."""
    expected = fill(knowledge, count)
    pages: list[list[str]] = []
    async with connect(open_app(knowledge)) as peer:
        cursor: str | None = None
        while len(pages) <= len(sizes):
            names, cursor = await page(peer, cursor)
            pages.append(names)
            if cursor is None:
                break
            assert cursor
    assert [len(names) for names in pages] == sizes
    assert [name for names in pages for name in names] == expected


@pytest.mark.behaviour("lists-changing")
async def test_a_change_between_two_pages_shifts_nothing(
    knowledge: KnowledgeBase, connect: Connect
) -> None:
    """D-037: added or removed items neither repeat nor skip the rest."""
    expected = fill(knowledge, 150)
    app = open_app(knowledge)
    async with connect(app) as peer:
        first, cursor = await page(peer, None)
        knowledge.write("concepts/newest", lastUpdated="2026-01-01")
        (knowledge.root / "concepts" / f"{first[-1]}.md").unlink()
        articles_of(app).load()
        second, end = await page(peer, cursor)
    assert first == expected[:100]
    assert (second, end) == (expected[100:], None)


@pytest.mark.behaviour("lists-templates")
async def test_there_is_one_template(app: Runtime, connect: Connect) -> None:
    """kb://article/{slug}."""
    async with connect(app) as peer:
        result = await peer.result("resources/templates/list")
    assert result["resourceTemplates"] == [
        {
            "uriTemplate": "kb://article/{slug}",
            "name": "article",
            **titled(peer, "Article"),
            "description": "An article as Markdown, by its slug",
            "mimeType": "text/markdown",
        }
    ]
    assert "nextCursor" not in result


@pytest.mark.behaviour("lists-prompts")
async def test_every_prompt_is_described_and_can_be_filled(
    project_app: Runtime, connect: Connect
) -> None:
    """Messages of a user: a request, and the article it is about."""
    values = {"slug": "context-engineering", "task": "Ship it", "topic": "context"}
    async with connect(project_app) as peer:
        prompts = (await peer.result("prompts/list"))["prompts"]
        assert 3 <= len(prompts) <= 5
        for prompt in prompts:
            assert prompt["description"]
            assert bool(prompt.get("title")) == has(peer, TITLES_SINCE)
            names = [argument["name"] for argument in prompt["arguments"]]
            assert all(argument["description"] for argument in prompt["arguments"])
            arguments = {name: values[name] for name in names}
            params = {"name": prompt["name"], "arguments": arguments}
            messages = (await peer.result("prompts/get", params))["messages"]
            assert [message["role"] for message in messages] == ["user"] * len(messages)
            request, *articles = [message["content"] for message in messages]
            assert request["type"] == "text"
            if "topic" in names:
                assert "(context-engineering)" in request["text"]
            for article in articles:
                resource = article["resource"]
                assert resource["uri"] == "kb://article/context-engineering"
                assert resource["text"].startswith("# Context Engineering\n")


async def complete(
    peer: Peer, ref: dict[str, str], name: str, value: str
) -> dict[str, Any]:
    """Return the completion of an argument."""
    params = {"ref": ref, "argument": {"name": name, "value": value}}
    completion: dict[str, Any] = (await peer.result("completion/complete", params))[
        "completion"
    ]
    return completion


TEMPLATE = {"type": "ref/resource", "uri": "kb://article/{slug}"}


@pytest.mark.behaviour("lists-completions")
async def test_slugs_complete_with_what_begins_like_it_first(
    project_app: Runtime, connect: Connect
) -> None:
    """Then those that contain it; hidden slugs are in no answer."""
    slugs = sorted(file.slug for file in SHOWN)
    async with connect(project_app) as peer:
        context = await complete(peer, TEMPLATE, "slug", "Context")
        draft = await complete(peer, TEMPLATE, "slug", "draft")
        every = await complete(peer, TEMPLATE, "slug", "")
    begins = [slug for slug in slugs if slug.startswith("context")]
    contains = [slug for slug in slugs if "context" in slug and slug not in begins]
    named = [*begins, *contains]
    assert context["values"][: len(named)] == named
    words = {f.slug: " ".join((f.title, *f.aliases)).lower() for f in SHOWN}
    assert all("context" in words[slug] for slug in context["values"][len(named) :])
    assert len(begins) >= 2
    assert contains
    assert draft == {"values": [], "total": 0, "hasMore": False}
    assert every == {"values": slugs, "total": len(slugs), "hasMore": False}


@pytest.mark.behaviour("lists-completions")
@pytest.mark.parametrize(
    ("prompt", "category"),
    [
        ("explain_concept", "concepts"),
        ("apply_pattern", "patterns"),
        ("review_against_practice", "practices"),
        ("follow_recipe", "recipes"),
    ],
)
async def test_a_prompt_proposes_its_own_category_first(
    project_app: Runtime, connect: Connect, prompt: str, category: str
) -> None:
    """A concept to explain, a pattern to apply, a practice, a recipe."""
    ref = {"type": "ref/prompt", "name": prompt}
    async with connect(project_app) as peer:
        completion = await complete(peer, ref, "slug", "")
    own_slugs = sorted(file.slug for file in SHOWN if file.category == category)
    assert completion["values"][: len(own_slugs)] == own_slugs
    assert completion["total"] == len(SHOWN)


@pytest.mark.behaviour("lists-completions")
async def test_topics_complete_with_visible_tags(
    knowledge: KnowledgeBase, connect: Connect
) -> None:
    """D-007: a tag of hidden articles alone exists on no transport."""
    knowledge.write("concepts/a", tags="[Sharing, Other]")
    ref = {"type": "ref/prompt", "name": "find_guidance"}
    async with connect(open_app(knowledge)) as peer:
        completion = await complete(peer, ref, "topic", "SHAR")
    assert completion == {"values": ["Sharing"], "total": 1, "hasMore": False}


@pytest.mark.behaviour("lists-completions")
async def test_a_completion_has_at_most_a_hundred_values(
    knowledge: KnowledgeBase, connect: Connect
) -> None:
    """With the total number."""
    fill(knowledge, 130)
    async with connect(open_app(knowledge)) as peer:
        completion = await complete(peer, TEMPLATE, "slug", "n")
    assert len(completion["values"]) == 100
    assert completion["values"][:2] == ["n000", "n001"]
    assert (completion["total"], completion["hasMore"]) == (131, True)


@pytest.mark.behaviour("lists-caching")
@pytest.mark.parametrize(
    ("method", "params", "ttl"),
    [
        ("tools/list", {}, 300_000),
        ("prompts/list", {}, 300_000),
        ("resources/templates/list", {}, 300_000),
        ("server/discover", {}, 300_000),
        ("resources/list", {}, 60_000),
        ("resources/read", {"uri": "kb://article/links-to-hidden"}, 60_000),
    ],
)
async def test_lists_say_how_long_they_hold(
    app: Runtime, connect: Connect, method: str, params: dict[str, Any], ttl: int
) -> None:
    """D-036: five minutes, but one for lists and reads of resources."""
    async with connect(app) as peer:
        result = await peer.result(method, params)
    assert (result["ttlMs"], result["cacheScope"]) == (ttl, "public")
