"""The install lines of README and docs, as `published.toml` allows them.

`python deploy/release/install_lines.py` writes them between the marks
`<!-- install lines: NAME -->` and `<!-- end of install lines -->` of each page.
"""

import re
from collections.abc import Mapping
from typing import Final

from published import ROOT, Published, read_published, read_version

PAGES: Final = (
    "README.md",
    "deploy/editor/README.md",
    "docs/content.md",
    "docs/deploy.md",
)
_PART: Final = re.compile(
    r"(?s)(<!-- install lines: (?P<name>[a-z]+) -->\n).*?"
    r"(<!-- end of install lines -->)"
)


def describe(published: Published, version: str) -> Mapping[str, str]:
    """Return the lines of each name."""
    return {
        "serve": _describe_serve(published, version),
        "program": _describe_program(published),
        "extras": _describe_extras(published),
        "action": _describe_action(published, version),
        "hook": _describe_hook(published, version),
    }


def write_lines(page: str, lines: Mapping[str, str]) -> str:
    """Return a page with these lines between its marks; KeyError for another name."""
    return _PART.sub(
        lambda part: f"{part[1]}\n{lines[part['name']]}\n\n{part[3]}", page
    )


def _describe_serve(published: Published, version: str) -> str:
    if published.index:
        where = "In a folder with documentation"
        package, uv, pipx, sources = "asdlc-kb", "", "", "--docs ."
        clone = ""
    else:
        where = "There is no release yet. In a clone of this repository"
        package, uv, pipx, sources = (
            ".",
            "--from . ",
            "--spec . ",
            "content --docs docs",
        )
        clone = f"git clone {published.repository}\n" if published.repository else ""
    install = f"python3 -m venv .venv && .venv/bin/pip install {package}"
    serve = f"asdlc-kb serve {sources}"
    tool, docker = "Docker", "docker compose -f deploy/docker/compose.yaml up --build"
    if published.image:
        options = '--rm --read-only -p 127.0.0.1:8420:8420 -v "$PWD:/srv/docs:ro"'
        image = f"{published.image}:{version}"
        docker = f"docker run {options} {image} serve --docs /srv/docs"
    elif published.index:
        tool = "Docker, in a clone"
    return (
        f"{where}, with Python 3.11 or later on Linux or macOS:\n\n"
        f"```sh\n{clone}{install} && .venv/bin/{serve}\n```\n\n"
        "Or with a tool that you already have:\n\n"
        "| tool | try it | install the command `asdlc-kb` |\n| --- | --- | --- |\n"
        f"| uv | `uvx {uv}{serve}` | `uv tool install {package}` |\n"
        f"| pipx | `pipx run {pipx}{serve}` | `pipx install {package}` |\n"
        f"| {tool} | `{docker}` | |"
    )


def _describe_program(published: Published) -> str:
    package = "asdlc-kb" if published.index else "."
    where = "" if published.index else ", in a clone of its repository"
    return (
        f"Install the server with uv or pipx{where}:\n\n"
        f"```sh\nuv tool install {package}   # or: pipx install {package}\n```"
    )


def _describe_extras(published: Published) -> str:
    package = "asdlc-kb" if published.index else "."
    where = "" if published.index else "In a clone of this repository:\n\n"
    named = f"'{package}[auth,redis]'"
    return (
        f"{where}```sh\n"
        f".venv/bin/pip install {named}\n"
        f"uv tool install {named}        # if you installed it with uv\n"
        f"pipx install --force {named}   # if you installed it with pipx\n"
        "```"
    )


def _describe_action(published: Published, version: str) -> str:
    if published.repository:
        where = ""
        name, at = "/".join(published.repository.split("/")[-2:]), f"v{version}"
    else:
        where = (
            "The action is not published yet. Push a clone of this repository to "
            "GitHub. `OWNER` is\nthe account that has it, `COMMIT` the full hash of "
            "its commit:\n\n"
        )
        name, at = "OWNER/asdlc-kb", "COMMIT"
    return (
        f"{where}```yaml\n- uses: actions/checkout@v5\n"
        f"- uses: {name}/deploy/check@{at}\n  with:\n    content: content\n```"
    )


def _describe_hook(published: Published, version: str) -> str:
    if published.repository:
        where = ""
        repository, revision = published.repository, f"v{version}"
    else:
        where = (
            "The hook is not published yet. Name a clone of this repository and the "
            "full hash of its commit:\n\n"
        )
        repository, revision = "/home/you/asdlc-kb", "COMMIT"
    return (
        f"{where}```yaml\nrepos:\n  - repo: {repository}\n    rev: {revision}\n"
        "    hooks:\n      - id: asdlc-kb-check\n        args: [content]\n```"
    )


def main() -> None:
    """Write the lines into every page."""
    lines = describe(read_published(), read_version())
    for name in PAGES:
        page = ROOT / name
        text = page.read_text(encoding="utf-8")
        page.write_text(write_lines(text, lines), encoding="utf-8")


if __name__ == "__main__":
    main()
