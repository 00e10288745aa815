"""Articles about this program show what it prints, and its own figures."""

import re
import subprocess
import sys
from pathlib import Path

from support.processes import BOUND

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"(?:`([\w./]+)`:?\n\n)?^```(\w+)\n(.*?)^```$", re.M | re.S)


STEPS = {
    "Correct unknown words": "unknown words are corrected",
    "Rank by the best section as well as by the page": "the best section counts too",
    "Count further sections too": "and further sections",
    "Match pairs of adjacent words": "adjacent words are matched as pairs",
    "Split words written as one": "and split",
    "Search the words of the path": "words of the path",
    "Complete unknown words": "and completed",
}
"""Steps of search by their name in the article on retrieval: that in docs/search.md."""


def read_article(slug: str) -> str:
    """Return an article of this repository."""
    return (ROOT / "content" / f"{slug}.md").read_text(encoding="utf-8")


def read_rows(text: str) -> dict[str, list[str]]:
    """Return the rows of all tables by their first cell."""
    lines = (line.strip("| ") for line in text.splitlines() if line.startswith("|"))
    return {first: cells for first, *cells in (line.split(" | ") for line in lines)}


def read_blocks(slug: str) -> list[tuple[str, str, str]]:
    """Return the file that the line above each block names, its language and text."""
    return FENCE.findall(read_article(slug))


def run(folder: Path, script: str) -> str:
    """Return what a shell prints in the folder, without details of scores."""
    finished = subprocess.run(
        ["sh", "-c", script.replace("asdlc-kb", f"{sys.executable} -m asdlc_kb")],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "LANG": "C.UTF-8"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=BOUND,
        text=True,
        encoding="utf-8",
        check=False,
    )
    lines = finished.stdout.splitlines(keepends=True)
    scores = [at for at, line in enumerate(lines) if line.startswith("    score ")]
    return "".join(lines[: scores[0]] if scores else lines)


def test_measuring_retrieval_goes_as_the_recipe_shows(tmp_path: Path) -> None:
    """From two failing cases to none, with the article's own files and commands."""
    blocks = read_blocks("recipes/measure-retrieval")
    for name, _, text in blocks:
        if name:
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text, encoding="utf-8")
    commands = [text for _, kind, text in blocks if kind == "sh"]
    shown = [text for name, kind, text in blocks if kind == "text" and not name]
    assert len(commands) == len(shown) == 3
    assert [run(tmp_path, command) for command in commands[:2]] == shown[:2]
    before, change, after = commands[2].splitlines()
    assert change.startswith("# ")
    assert run(tmp_path, before) == ""
    (better,) = (
        text for name, kind, text in blocks if (name, kind) == ("", "markdown")
    )
    install = tmp_path / "handbook/guide/install.md"
    worse = install.read_text(encoding="utf-8")
    install.write_text(worse.partition("## ")[0] + better, encoding="utf-8")
    assert run(tmp_path, after) == shown[2]


def test_the_figures_of_search_are_those_of_its_documentation() -> None:
    """The articles cite docs/search.md, which is measured again now and then."""
    page = read_rows((ROOT / "docs" / "search.md").read_text(encoding="utf-8"))
    article = read_article("concepts/retrieval-augmented-generation")
    rows = read_rows(article)
    for step, name in STEPS.items():
        assert float(rows[step][0]) == float(page[name][0]), step
    assert f"it is {page['all steps: MRR@10 x 100'][0]} on our own" in article
    seen, unseen = page["20, in view of the authors"], page["20 others"]
    assert (
        f"first for {seen[0]} and among three for {seen[1]}; on the other half for "
        f"{unseen[0]} and {unseen[1]}."
    ) in article
    recipe = read_article("recipes/measure-retrieval")
    assert f"{seen[0]} of 20 had the answer in the first place" in recipe
    assert f"on the other half, {unseen[0]} of 20" in recipe
