"""Shared parts of the providers of different domains."""

from typing import Any

import pytest
from msgspec import UNSET, UnsetType

from asdlc_kb.mcp.protocol.model import Resource, ResourceTemplate
from asdlc_kb.mcp.protocol.pagination import Listed
from asdlc_kb.mcp.protocol.tool_schema import Arguments, ToolAnswer
from asdlc_kb.providers.shared.listings import (
    MAX_COMPLETIONS,
    Resources,
    TemplateProvider,
    ToolRow,
    cut_name,
    find_argument,
    make_completion,
    make_tools,
)


def test_resources_are_made_when_they_are_asked_for() -> None:
    """A page of a hundred costs a hundred, however many there are."""
    made: list[int] = []

    def show(number: int) -> Listed[Resource]:
        made.append(number)
        return Listed(f"{number:06}", Resource(uri=f"x:{number}", name="x"))

    resources = Resources(range(10_000), show)
    assert len(resources) == 10_000
    assert resources[7].item.uri == "x:7"
    assert [listed.item.uri for listed in resources[2:4]] == ["x:2", "x:3"]
    assert made == [7, 2, 3]


class Nothing(Arguments, frozen=True):
    """No arguments but a category."""

    category: str | UnsetType = UNSET


ROW = ToolRow("a", "A", "Does a.", Nothing, ToolAnswer)


def test_a_tool_says_that_it_only_reads() -> None:
    """The hints of the protocol: read-only, closed-world."""
    (listed,) = make_tools([ROW])
    assert (listed.item.name, listed.item.title) == ("a", "A")
    hints = listed.item.annotations
    assert hints is not None
    assert (hints.read_only_hint, hints.open_world_hint) == (True, False)


def test_arguments_are_restricted_to_what_there_is() -> None:
    """By name; a tool without that argument stays as it is."""
    (listed,) = make_tools([ROW], {"category": ("x", "y"), "other": ("z",)})
    assert listed.item.input_schema["properties"]["category"]["enum"] == ["x", "y"]


@pytest.mark.parametrize(
    ("params", "value"),
    [
        ({}, None),
        ({"arguments": None}, None),
        ({"arguments": ["slug"]}, None),
        ({"arguments": {}}, None),
        ({"arguments": {"slug": 7}}, 7),
    ],
)
def test_an_argument_is_found_before_it_is_checked(
    params: dict[str, Any], value: object
) -> None:
    """Whatever a client sends: validators are asked before arguments are checked."""
    assert find_argument(params, "slug") == value


class Notes(TemplateProvider):
    """Offers one template."""

    template = ResourceTemplate(uri_template="note://{name}", name="note")


def test_a_template_says_which_uris_a_provider_handles() -> None:
    """Up to its variable."""
    provider = Notes()
    assert [listed.item for listed in provider.templates()] == [Notes.template]
    assert provider.handles("note://x") and not provider.handles("kb://note://x")


def test_a_completion_has_a_hundred_values_at_most() -> None:
    """The specification, completion: and says how many there are."""
    names = [str(number) for number in range(150)]
    completion = make_completion(names)
    assert completion.values == tuple(names[:MAX_COMPLETIONS])
    assert (completion.total, completion.has_more) == (150, True)
    assert make_completion([]).has_more is False


@pytest.mark.parametrize(
    ("uri", "name"),
    [
        *(("kb://x/a", "a"), ("kb://x/a%20b/c", "a b/c"), ("kb://x/", "")),
        *(("kb://x/%ff", ""), ("kb://x/123456", "")),
    ],
)
def test_a_name_is_cut_from_a_uri(uri: str, name: str) -> None:
    """Percent-decoded; invalid UTF-8 and long names are none."""
    assert cut_name(uri, "kb://x/", 5) == name
