"""How to connect each client, from the table that `asdlc-kb connect` uses."""

import shlex
from dataclasses import dataclass
from typing import Final

from asdlc_kb.connect.client import Client, Place
from asdlc_kb.connect.clients import CLIENTS
from asdlc_kb.connect.links import make_link, write_named
from asdlc_kb.connect.snippet import render
from asdlc_kb.connect.target import TOKEN_VARIABLE, Address, fill
from asdlc_kb.site import address
from asdlc_kb.site.articles import ArticleShelf
from asdlc_kb.site.frame import Frame, Identity
from asdlc_kb.site.page import Page

NAME: Final = "asdlc"
"""What the server is called in clients."""

EXAMPLE: Final = "http://127.0.0.1:8420"
"""Stands for the address where it is not known; the browser puts in its own."""

_SYSTEMS: Final = {"linux": "Linux", "macos": "macOS", "windows": "Windows"}

_VERIFIED: Final = {
    "tested": "Tried with the client itself",
    "seen": "Read in the client's package",
    "docs": "Read in the documentation",
}


@dataclass(frozen=True, slots=True)
class File:
    """A file of a client's, and where it is on each system."""

    scope: str
    paths: tuple[tuple[str, str], ...]
    """System and path; one without a system where all are alike."""


@dataclass(frozen=True, slots=True)
class Guide:
    """What a person needs to connect one client."""

    id: str
    name: str
    command: str
    """For a terminal; empty if the client has none."""
    link: str
    snippet: str
    files: tuple[File, ...]
    by_hand: str
    note: str
    lacks_token: bool
    """Whether a token is missing in all that, and the server asks for one."""
    verified: str
    documentation: str


def make_connect(
    frame: Frame, articles: ArticleShelf | None, *, has_docs: bool
) -> Page:
    """Return the page."""
    identity = frame.identity
    variable = TOKEN_VARIABLE if identity.needs_token else None
    endpoint = Address(_locate(identity), variable)
    return frame.make(
        "connect.html",
        address.CONNECT,
        title="Connect",
        description="How to give an agent this knowledge: each client, step by step",
        navigation=articles.navigation if articles else (),
        guides=[_guide(client, endpoint) for client in CLIENTS],
        endpoint=endpoint.url,
        variable=variable,
        example="" if identity.base_url else f"{EXAMPLE}{identity.prefix}",
        questions=_suggest(articles, has_docs),
    )


def _locate(identity: Identity) -> str:
    base = identity.base_url or EXAMPLE
    return f"{base.rstrip('/')}/mcp"


def _guide(client: Client, endpoint: Address) -> Guide:
    return Guide(
        id=client.id,
        name=client.name,
        command=_find_command(client, endpoint),
        link=make_link(client, NAME, endpoint) or "",
        snippet=render(client, "user", NAME, endpoint),
        files=tuple(_list_places(client)),
        by_hand=client.by_hand,
        note=client.note,
        lacks_token=client.lacks_token(endpoint),
        verified=f"{_VERIFIED[client.verified]}, {client.checked}",
        documentation=client.documentation,
    )


def _find_command(client: Client, endpoint: Address) -> str:
    """Return the client's own command, as it is typed."""
    program = client.program
    called = None if program is None else program.call(endpoint)
    if program is None or called is None or client.lacks_token(endpoint):
        return ""
    scope = "user" if "user" in program.scopes else program.scopes[0]
    written = {"{scope}": scope, "{json}": write_named(client, NAME, endpoint)}
    words = [written.get(word, word) for word in fill(called, NAME, endpoint)]
    return shlex.join((program.name, *words))


def _list_places(client: Client) -> list[File]:
    return [
        File(scope, tuple(_list_paths(place)))
        for scope, place in client.places.items()
        if scope != "local"
    ]


def _list_paths(place: Place) -> list[tuple[str, str]]:
    firsts = {system: paths[0] for system, paths in place.paths.items()}
    if len(set(firsts.values())) == 1:
        return [("", next(iter(firsts.values())))]
    return [(_SYSTEMS[system], path) for system, path in firsts.items()]


def _suggest(articles: ArticleShelf | None, has_docs: bool) -> list[str]:
    """Return questions to begin with, about what is really here."""
    found = []
    if articles is not None and articles.catalog.articles:
        first = articles.catalog.articles[0]
        found += [
            f"What does the knowledge base say about {first.title}?",
            "Which patterns there fit the change I am about to make, and why?",
            "Review my last commit against the practices in the knowledge base.",
        ]
    if has_docs:
        found.append("Search the documentation for how to get started, and cite pages.")
    return found
