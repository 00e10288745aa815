"""The code of the articles: shell blocks marked `run` run, data is well-formed."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest
from ruamel.yaml import YAML
from support.own_articles import CodeBlock, visible_articles

from asdlc_kb.markup.diagrams import draw

MAX_SECONDS: Final = 20.0

TOOLS: Final = tuple(
    "awk basename cat chmod cmp comm cp cut date diff dirname du echo env expr "
    "false find git grep head join kill ln ls mkdir mktemp mv nl od paste patch printf "
    "pwd rm rmdir sed sh sleep sort tail tee test touch tr true uname uniq wc which "
    "xargs ed fold id tar".split()
)
"""What readers have, next to Python: the tools of POSIX, git, mktemp and tar."""

NOT_FOUND: Final = re.compile(r"^.*sh: .*not found$", re.MULTILINE)
"""What a shell writes about a command that is not installed."""

BLOCKS: Final = [
    (article, block) for article in visible_articles() for block in article.code_blocks
]


MAX_LINES_BETWEEN: Final = 5
"""Lines between a shell block and the block with its output: a sentence at most."""

OUTPUTS: Final = [
    pytest.param(block, below.code, id=f"{article.id}:{block.line}")
    for article in visible_articles()
    for block, below in pairwise(article.code_blocks)
    if block.info == ("sh", "run")
    and below.info == ("text",)
    and below.line - block.end <= MAX_LINES_BETWEEN
]
"""Shell blocks, and the text of the block below."""


def read_yaml(text: str) -> None:
    """Parse one or several YAML documents."""
    list(YAML(typ="safe").load_all(text))


PARSERS: Final[dict[str, Callable[[str], object]]] = {
    "json": json.loads,
    "toml": tomllib.loads,
    "yaml": read_yaml,
    "yml": read_yaml,
}


def select(*languages: str, mark: str = "") -> list[object]:
    """Return the parameters of a test: the blocks of languages, perhaps marked."""
    return [
        pytest.param(block, id=f"{article.id}:{block.line}")
        for article, block in BLOCKS
        if block.language in languages and (not mark or mark in block.info[1:])
    ]


@pytest.fixture(scope="session")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tools that an article may use."""
    folder = tmp_path_factory.mktemp("tools")
    for name in TOOLS:
        if (found := shutil.which(name)) is not None:
            (folder / name).symlink_to(found)
    version = sys.version_info
    python = Path(sys.base_prefix, "bin", f"python{version.major}.{version.minor}")
    (folder / "python3").write_text(
        f'#!/bin/sh\nexec {shlex.quote(str(python))} "$@"\n'
    )
    (folder / "python3").chmod(0o755)
    return folder


def run(code: str, tools: Path, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """Run a shell block as it is pasted, in an empty folder, without a network."""
    home, folder = tmp_path / "home", tmp_path / "empty"
    for each in (home, folder):
        each.mkdir(parents=True)
    (home / ".gitconfig").write_text(
        "[user]\nname = Ada\nemail = ada@example.com\n[init]\ndefaultBranch = main\n"
    )
    environment = {
        "PATH": str(tools),
        "HOME": str(home),
        "LANG": os.environ.get("LANG", "C.UTF-8"),
        "GIT_CONFIG_NOSYSTEM": "1",
        # What asks for the network all the same fails at once.
        **dict.fromkeys(("http_proxy", "https_proxy"), "http://127.0.0.1:9"),
    }
    return subprocess.run(
        ["/bin/sh", "-c", code],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=MAX_SECONDS,
    )


def test_other_tools_are_not_found(tools: Path, tmp_path: Path) -> None:
    """A reader may not have them."""
    assert run("curl --version\n", tools, tmp_path / "a").returncode == 127
    assert NOT_FOUND.search(run("curl\ntrue\n", tools, tmp_path / "b").stdout)
    assert not NOT_FOUND.search(run("echo found\n", tools, tmp_path / "c").stdout)


@pytest.mark.parametrize("block", select("sh", mark="run"))
def test_a_shell_block_runs(block: CodeBlock, tools: Path, tmp_path: Path) -> None:
    """In an empty folder, with POSIX tools, git and Python, in bounded time."""
    result = run(block.code, tools, tmp_path)
    assert result.returncode == 0, result.stdout
    assert not NOT_FOUND.search(result.stdout)


@pytest.mark.parametrize("block, shown", OUTPUTS)
def test_the_output_shown_is_that_of_the_block(
    block: CodeBlock, shown: str, tools: Path, tmp_path: Path
) -> None:
    """A block of text next to a shell block has lines that it prints, in order."""
    printed = iter(run(block.code, tools, tmp_path).stdout.splitlines())
    lines = [line.strip() for line in shown.splitlines() if line.strip()]
    missing = [line for line in lines if not any(line in each for each in printed)]
    assert missing == []


def test_only_shell_blocks_are_marked() -> None:
    """The mark on another language would be ignored."""
    marked = [block.language for _, block in BLOCKS if "run" in block.info[1:]]
    assert marked
    assert set(marked) == {"sh"}


@pytest.mark.parametrize("block", select(*PARSERS))
def test_data_is_well_formed(block: CodeBlock) -> None:
    """JSON, TOML and YAML without placeholders that break them."""
    PARSERS[block.language](block.code)


@pytest.mark.parametrize("block", select("mermaid"))
def test_a_diagram_is_drawn(block: CodeBlock) -> None:
    """The website shows it as a picture, in light and dark."""
    for theme in ("light", "dark"):
        assert draw(block.code, theme) is not None
