"""The pages about the code name modules, classes and layers that exist."""

import ast
import re
from configparser import ConfigParser
from itertools import count
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "asdlc_kb"
PAGES = {
    name: (ROOT / "docs" / name).read_text(encoding="utf-8")
    for name in ("architecture.md", "decisions.md")
}
MODULES = {
    ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(
        ".__init__"
    ): (path)
    for path in PACKAGE.rglob("*.py")
}
TOP = "|".join(sorted({name.partition(".")[0] for name in MODULES} - {"settings"}))
DOTTED = re.compile(rf"(?<![\w./-])(?:{TOP})(?:\.[a-z_0-9]+)+(?:\.[A-Z]\w+)?(?![\w/(])")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def defined(module: str) -> set[str]:
    """Return the names that a module defines at its top level."""
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    names = set()
    for node in tree.body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
        elif isinstance(node, ast.Assign):
            names |= {item.id for item in node.targets if isinstance(item, ast.Name)}
    return names


def exists(name: str) -> bool:
    """Whether a dotted name is a module, or what a module defines."""
    module, _, last = name.rpartition(".")
    return name in MODULES or (module in MODULES and last in defined(module))


@pytest.mark.parametrize("page", PAGES)
def test_every_module_that_is_named_exists(page: str) -> None:
    """In text, diagrams and tables; a suffix such as `llms.txt` is no module."""
    named = set(DOTTED.findall(PAGES[page]))
    assert len(named) > 20
    assert {name for name in named if not exists(name)} == set()


def read_layers() -> list[set[str]]:
    """Return the packages of each layer of the contract, top layer first."""
    config = ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf-8")
    contract = config["importlinter:contract:layers"]["layers"]
    return [set(re.findall(r"\w+", line)) for line in contract.strip().splitlines()]


def test_the_arrows_between_packages_go_down() -> None:
    """Each package of the first diagram is on a layer below those that import it."""
    fences = FENCE.findall(PAGES["architecture.md"])
    diagram = next(text for kind, text in fences if kind == "mermaid")
    height = {name: row for row, names in enumerate(read_layers()) for name in names}
    arrows = re.findall(r"^ *(\w+) --> (\w+)$", diagram, re.MULTILINE)
    assert len(arrows) > 10
    assert [pair for pair in arrows if height[pair[0]] >= height[pair[1]]] == []


def test_the_picture_of_the_layers_is_the_contract() -> None:
    """Each layer has a line, from the top to the bottom, in `setup.cfg` too."""
    layers = read_layers()
    fences = FENCE.findall(PAGES["architecture.md"])
    picture = next(text for kind, text in fences if not kind)
    names = set.union(*layers)
    drawn = []
    for line in picture.splitlines():
        packages = re.split(r"\s{2,}", line.strip())
        drawn.append({name for name in packages if name in names})
    assert [layer for layer in layers if layer != {"__main__"}] == drawn


def test_the_layers_of_sub_packages_are_the_contracts() -> None:
    """Each package of the list has the layers of `setup.cfg`, top layer first."""
    config = ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf-8")
    listed = PAGES["architecture.md"].partition("Sub-packages have layers")[2]
    listed = listed.partition("\n\nEach third-party")[0]
    items = re.findall(r"^- `(\w+)`: (.+(?:\n  .+)*)", listed, re.MULTILINE)
    assert items
    for package, text in items:
        contract = config[f"importlinter:contract:{package}-layers"]["layers"]
        assert [set(re.findall(r"`(\w+)`", layer)) for layer in text.split(">")] == [
            set(re.findall(r"\w+", line)) for line in contract.strip().splitlines()
        ], package


def test_decisions_are_numbered_without_gaps_or_repetition() -> None:
    """A number in a commit or a comment leads to one rule."""
    numbers = re.findall(r"^\*\*D-(\d{3})\. ", PAGES["decisions.md"], re.MULTILINE)
    assert len(numbers) >= 60
    assert all(int(found) == number for found, number in zip(numbers, count(1)))
