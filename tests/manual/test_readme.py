"""The README matches the behaviour."""

import json
import re
import shlex
import subprocess
import sys
import urllib.request
from pathlib import Path

from asdlc_kb.settings import Settings

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
BLOCKS = [(match[1], match[2]) for match in FENCE.finditer(README)]
SERVERS = [
    json.loads(text)["mcpServers"]["asdlc"] for kind, text in BLOCKS if kind == "json"
]
ADDRESS = f"http://{Settings().host}:{Settings().port}/mcp"
COMMAND = str(Path(sys.executable).with_name("asdlc-kb"))
SOURCES = ("serve", "content", "--docs", "docs")
"""What a clone serves until there is a release."""
BOUND = 60
"""Seconds that any wait may take."""

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "tests", "version": "1"},
    },
}


def test_the_readme_states_what_it_is_before_how_to_serve() -> None:
    """One line for agents and people; the first command works on a fresh machine."""
    first = next(line for line in README.splitlines() if line[:2] == "**")
    assert first == "**Your folders of Markdown, served to AI agents and to people.**"
    headings = re.findall(r"(?m)^## (.*)$", README)
    assert headings[:4] == [
        "Try it",
        "What it costs, and what it does not do",
        "Compared with others",
        "Connect a client",
    ]
    shell = [text.strip() for kind, text in BLOCKS if kind == "sh"]
    assert shell[0].splitlines()[-1].startswith("python3 -m venv .venv && ")
    tests = "pip install tox && .venv/bin/tox"
    assert shell[-1] == f"python3 -m venv .venv && .venv/bin/{tests}"


def test_the_pictures_are_small_and_described() -> None:
    """A reader with a slow connection, and one who hears the page."""
    pictures = re.findall(r"!\[([^]]+)\]\(([^)]+)\)", README)
    assert [path for _, path in pictures] == [
        "docs/images/website.png",
        "docs/images/answer.png",
    ]
    for described, path in pictures:
        assert len(described.split()) > 10
        assert (ROOT / path).stat().st_size <= 150 * 1024


def test_the_figures_are_those_of_the_pages_that_measure() -> None:
    """A benchmark that is repeated changes both."""

    def page(name: str) -> str:
        return (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")

    answered = re.findall(
        r"(?m)^\| documentation, [^(]+\((?:24|11)\) \| (\d+) \|", page("answers")
    )
    assert f"{sum(map(int, answered))} of 35" in README
    assert f"{sum(map(int, answered))} of 35" in page("answers")
    times = re.search(r"(\d+) times as many requests a second", page("benchmarks"))
    assert times is not None
    assert f"{times[1]} times as many requests" in README
    first = dict(
        re.findall(r"(?m)^\| (asdlc-kb|ripgrep)[^|]* \| (\d+) \|", page("search"))
    )
    assert f"for {first['asdlc-kb']}, ripgrep for {first['ripgrep']}" in " ".join(
        README.split()
    )


def test_every_compared_project_is_named_with_its_source() -> None:
    """Each has a link and something that it does better."""
    table = README.partition("## Compared with others")[2].partition("\n\n##")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines() if "|" in line]
    peers = [row for row in rows if row[0].startswith("[")]
    assert len(peers) == 7
    for name, *cells in peers:
        assert re.fullmatch(r"\[[^]]+\]\(https://\S+\)", name)
        assert len(cells) == 5
        assert all(cells)
    assert re.search(r"in [A-Z][a-z]+ 20\d\d", table)


def test_serve_prints_what_the_readme_shows() -> None:
    """The address, the counts and the line that connects a client are real.

    The number of pages of documentation is that of the day of the picture.
    """
    shown = next(text for kind, text in BLOCKS if text.startswith("asdlc-kb "))
    with subprocess.Popen(
        [COMMAND, *SOURCES, "--port", "0", "--log-level", "error"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as process:
        assert process.stdout is not None
        printed = "".join(process.stdout.readline() for _ in shown.splitlines())
        port = re.search(r":(\d+)/mcp", printed)
        assert port is not None
        try:
            _shake_hands(f"http://127.0.0.1:{port[1]}/mcp")
        finally:
            process.terminate()
            assert process.wait(BOUND) == 0
    printed = printed.replace(f":{port[1]}/", ":8420/")
    expected = shown.replace("/home/you/asdlc-kb/", f"{ROOT}/")
    pages = re.compile(r"(?m)^(  Docs +)\d+")
    assert pages.sub(r"\1N", printed) == pages.sub(r"\1N", expected)


def _shake_hands(address: str) -> None:
    request = urllib.request.Request(
        address,
        json.dumps(INITIALIZE).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=BOUND) as response:
        answer = json.loads(response.read())
    assert answer["result"]["serverInfo"]["name"] == "asdlc-knowledge-base"


def test_the_line_for_claude_code_names_the_default_address() -> None:
    """Copying it works with a server started as the README says."""
    line = next(text for _, text in BLOCKS if text.startswith("claude mcp add"))
    words = shlex.split(line)
    assert words[-2:] == ["asdlc", ADDRESS]
    assert words[3:5] == ["--transport", "http"]


def test_the_blocks_for_an_address_name_the_default_one() -> None:
    """Claude Code says the type, Cursor takes a bare address."""
    assert SERVERS[0] == {"type": "http", "url": ADDRESS}
    assert SERVERS[1] == {"url": ADDRESS}


def test_the_block_for_claude_desktop_starts_a_server() -> None:
    """What the block starts answers initialize and exits when its input ends."""
    block = SERVERS[2]
    assert Path(block["command"]).name == "asdlc-kb"
    assert all(
        Path(path).is_absolute() for path in (block["command"], block["args"][1])
    )
    arguments = [block["args"][0], str(ROOT / "content")]
    finished = subprocess.run(
        [COMMAND, *arguments],
        input=json.dumps(INITIALIZE) + "\n",
        capture_output=True,
        timeout=BOUND,
        text=True,
        encoding="utf-8",
        check=True,
    )
    answer = json.loads(finished.stdout)
    assert answer["result"]["protocolVersion"] == "2025-11-25"
