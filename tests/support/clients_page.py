"""The part of docs/clients.md that is made from the table of clients.

`python tests/support/clients_page.py` writes it, with the project on PYTHONPATH.
"""

import json
import re
import textwrap
from pathlib import Path
from typing import Final

from asdlc_kb.connect.client_model import SYSTEMS, Client, ConfigLocation
from asdlc_kb.connect.client_table import CLIENTS
from asdlc_kb.connect.config_snippet import render
from asdlc_kb.connect.deep_links import make_link
from asdlc_kb.connect.server_entry import TOKEN_VARIABLE, ServerAddress, ServerCommand
from asdlc_kb.connect.subprocess_runner import fill_words

PAGE: Final = Path(__file__).parents[2] / "docs" / "clients.md"
HEADING: Final = "## Each client\n"
ADDRESS: Final = ServerAddress("http://127.0.0.1:8420/mcp")
CLOSED: Final = ServerAddress(ADDRESS.url, TOKEN_VARIABLE)
COMMAND: Final = ServerCommand(
    ("/home/you/.venv/bin/python", "-P", "-m", "asdlc_kb", "stdio", "/home/you/content")
)
KNOWN: Final = {
    "tested": "tested with it",
    "seen": "taken from its package or an installer",
    "docs": "taken from documentation",
}
MAX_COLUMNS: Final = 100
"""Of a line outside code; a longer code span or link stays whole."""
INTRODUCTION: Final = (
    "`$XDG_CONFIG_HOME` is `~/.config`, `$CODEX_HOME` is `~/.codex`, `$COPILOT_HOME` "
    "is `~/.copilot`, and `$CLAUDE_CONFIG_DIR` and `$GEMINI_CLI_HOME` are `~`, unless "
    "they are set. The first entry is for a running server; with the second the client "
    "starts the server, with absolute paths."
)
SCOPES: Final = {
    "user": "for you",
    "project": "for a project",
    "local": "for you in a project, only read",
}


def render_part() -> str:
    """Return the section, from its heading to the end of the page."""
    return f"{HEADING}\n{_wrap(INTRODUCTION)}\n" + "".join(
        f"\n{_section(client)}" for client in CLIENTS
    )


def split_page() -> tuple[str, str]:
    """Return the text before the section, and the section as it is in the page."""
    before, heading, after = PAGE.read_text(encoding="utf-8").partition(HEADING)
    return before, heading + after


def _section(client: Client) -> str:
    names = "".join(f", `{name}`" for name in client.aliases)
    note = "".join(f" {text}" for text in (client.note, client.hint) if text)
    lines = [
        f"### {client.name}",
        "",
        _wrap(
            f"`asdlc-kb connect {client.id}`{names}.{note} "
            f"[Its documentation]({client.documentation}); {KNOWN[client.verified]}, "
            f"{client.checked}."
        ),
        "",
        *(_wrap(f"- {line}") for line in _places(client)),
        *(_wrap(f"- by its own command: `{line}`") for line in _commands(client)),
        *(_wrap(f"- by a link: `{line}`") for line in _links(client)),
        *(_wrap(f"- a token, {line}") for line in _references(client)),
        "",
    ]
    for target in (ADDRESS, COMMAND):
        text = render(client, "user", "asdlc", target)
        lines += [f"```{client.form}", text.rstrip("\n"), "```", ""]
    return "\n".join(lines[:-1]) + "\n"


def _wrap(text: str) -> str:
    """Return a paragraph or list item in lines, with every code span in one."""
    whole = re.sub(r"`[^`]*`", lambda span: span[0].replace(" ", "\0"), text)
    lines = textwrap.wrap(
        whole,
        MAX_COLUMNS,
        subsequent_indent="  " if text.startswith("- ") else "",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines).replace("\0", " ")


def _places(client: Client) -> list[str]:
    if not client.places:
        return [f"by hand: {client.by_hand}"]
    return [f"{SCOPES[scope]}: {_paths(p)}" for scope, p in client.places.items()]


def _paths(place: ConfigLocation) -> str:
    spelled = {
        system: " or ".join(f"`{path}`" for path in paths)
        for system, paths in place.paths.items()
    }
    if len(set(spelled.values())) == 1:
        return spelled["linux"]
    return ", ".join(f"{SYSTEMS[system]} {text}" for system, text in spelled.items())


def _commands(client: Client) -> list[str]:
    program = client.program
    if program is None:
        return []
    values = {"{name}": "asdlc", "{scope}": "user", "{url}": ADDRESS.url}
    values["{json}"] = '\'{"name": "asdlc", ...}\''
    values["{command}"], values["{args}"] = "/.../python", "..."
    values["{line}"] = "/.../python -P -m asdlc_kb stdio ..."
    words = (program.call(ADDRESS), program.stdio, program.remove)
    lines = [" ".join((program.name, *fill_words(w, values))) for w in words if w]
    return list(dict.fromkeys(lines))


def _links(client: Client) -> list[str]:
    link = make_link(client, "asdlc", ADDRESS)
    return [] if link is None else [link]


def _references(client: Client) -> list[str]:
    if client.token is None:
        return []
    entry = client.refer("asdlc", CLOSED)
    lines = [json.dumps(entry)[1:-1]]
    if client.form == "toml":
        lines = [f"{name} = {json.dumps(value)}" for name, value in entry.items()]
    if companion := client.accompany("asdlc", CLOSED):
        lines.append(f"{json.dumps(companion)[1:-1]}` at the top of the file")
    return [
        f"from {CLOSED.token_env}: `{'`, and `'.join(lines)}{'' if companion else '`'}"
    ]


if __name__ == "__main__":
    PAGE.write_text(split_page()[0] + render_part(), encoding="utf-8")
