"""Instructions for connecting each client, from the table of `asdlc-kb connect`."""

import shlex
from dataclasses import dataclass
from typing import Final

from asdlc_kb.connect.client_model import SYSTEMS, Client, ConfigLocation
from asdlc_kb.connect.client_table import CLIENTS
from asdlc_kb.connect.config_snippet import render
from asdlc_kb.connect.deep_links import make_link, write_entry
from asdlc_kb.connect.server_entry import TOKEN_VARIABLE, ServerAddress, fill_template
from asdlc_kb.site import urls
from asdlc_kb.site.layout.frame import PageLayout, SiteIdentity
from asdlc_kb.site.layout.languages import ENGLISH
from asdlc_kb.site.pages.article_pages import ArticleUrls
from asdlc_kb.site.representation import Representation

_VERIFIED: Final = {
    "tested": "Tested with the client",
    "seen": "Taken from the client's package",
    "docs": "Taken from the documentation",
}


@dataclass(frozen=True, slots=True)
class GuideFile:
    """A configuration file of a client, with its path on each system."""

    scope: str
    paths: tuple[tuple[str, str], ...]
    """Pairs of system and path; the system is empty if all are alike."""


@dataclass(frozen=True, slots=True)
class ClientGuide:
    """The instructions for connecting one client."""

    client: Client
    command: str
    """Shell command; empty if the client has none."""
    link: str
    snippet: str
    files: tuple[GuideFile, ...]
    lacks_token: bool
    """Whether the server requires a token that these instructions cannot set."""
    verified: str


def make_connect(
    frame: PageLayout, articles: ArticleUrls | None, *, has_docs: bool
) -> Representation:
    """Return the page."""
    identity = frame.identity
    variable = TOKEN_VARIABLE if identity.needs_token else None
    endpoint = ServerAddress(_locate(identity), variable)
    return frame.make(
        "connect.html",
        urls.CONNECT,
        title="Connect",
        language=ENGLISH,
        description="How to connect each client, step by step",
        navigation=articles.navigation if articles else (),
        guides=[_guide(client, identity.entry, endpoint) for client in CLIENTS],
        endpoint=endpoint.url,
        variable=variable,
        # The browser inserts the address that its reader uses.
        example="" if identity.base_url else identity.local_url,
        questions=_suggest(articles, has_docs),
    )


def _locate(identity: SiteIdentity) -> str:
    base = identity.base_url or identity.local_url
    return f"{base.rstrip('/')}/mcp"


def _guide(client: Client, entry: str, endpoint: ServerAddress) -> ClientGuide:
    return ClientGuide(
        client=client,
        command=_find_command(client, entry, endpoint),
        link=make_link(client, entry, endpoint) or "",
        snippet=render(client, "user", entry, endpoint),
        files=tuple(_list_places(client)),
        lacks_token=client.lacks_token(endpoint),
        verified=f"{_VERIFIED[client.verified]}, {client.checked}",
    )


def _find_command(client: Client, entry: str, endpoint: ServerAddress) -> str:
    """Return the shell command of the client's own program."""
    program = client.program
    called = None if program is None else program.call(endpoint)
    if program is None or called is None or client.lacks_token(endpoint):
        return ""
    scope = "user" if "user" in program.scopes else program.scopes[0]
    written = {"{scope}": scope, "{json}": write_entry(client, entry, endpoint)}
    words = [written.get(word, word) for word in fill_template(called, entry, endpoint)]
    return shlex.join((program.name, *words))


def _list_places(client: Client) -> list[GuideFile]:
    return [
        GuideFile(scope, tuple(_list_paths(place)))
        for scope, place in client.places.items()
        if scope != "local"
    ]


def _list_paths(place: ConfigLocation) -> list[tuple[str, str]]:
    firsts = {system: paths[0] for system, paths in place.paths.items()}
    if len(set(firsts.values())) == 1:
        return [("", next(iter(firsts.values())))]
    return [(SYSTEMS[system], path) for system, path in firsts.items()]


def _suggest(articles: ArticleUrls | None, has_docs: bool) -> list[str]:
    """Return example questions about the served content."""
    questions = []
    if articles is not None and articles.catalog.articles:
        first = articles.catalog.articles[0]
        questions += [
            f"What does the knowledge base say about {first.title}?",
            "Which patterns there fit the change I am about to make, and why?",
            "Review my last commit against the practices in the knowledge base.",
        ]
    if has_docs:
        questions.append(
            "Search the documentation for how to get started, and cite pages."
        )
    return questions
