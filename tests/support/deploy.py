"""The files of deploy/, parsed for tests."""

import json
import re
import shlex
from pathlib import Path
from typing import Any, Final

from ruamel.yaml import YAML

DEPLOY: Final = Path(__file__).parents[2] / "deploy"
NAMED: Final = re.compile(r"\bASDLC_KB_[A-Z_]+")
"""A setting as an environment variable."""


def read(name: str) -> str:
    """Return the text of a file."""
    return (DEPLOY / name).read_text(encoding="utf-8")


def documents(name: str) -> list[Any]:
    """Return the documents of a YAML file."""
    return list(YAML(typ="safe", pure=True).load_all(read(name)))


def document(name: str) -> Any:
    """Return the one document of a YAML file."""
    (only,) = documents(name)
    return only


def files() -> list[Path]:
    """Return every file for operators; not those of the editor's extension."""
    others = {"editor", "__pycache__"}
    return [
        path
        for path in sorted(DEPLOY.rglob("*"))
        if path.is_file() and others.isdisjoint(path.relative_to(DEPLOY).parts)
    ]


def instruction(name: str) -> str:
    """Return the value of an instruction in the last stage of the Dockerfile."""
    last = read("docker/Dockerfile").replace("\\\n", " ").split("\nFROM ")[-1]
    found = re.findall(rf"^{name} +(.*)$", last, re.MULTILINE)
    assert len(found) == 1, (name, found)
    return str(found[0])


def words_of(text: str) -> list[str]:
    """Return the words of an instruction's JSON form."""
    words: list[str] = json.loads(text[text.index("[") :])
    return words


def command_lines() -> dict[str, list[str]]:
    """Return the arguments of asdlc-kb in each file that starts a server."""
    found = {"docker/Dockerfile": words_of(instruction("CMD"))}
    (pod,) = document("kubernetes/deployment.yaml")["spec"]["template"]["spec"][
        "containers"
    ]
    found["kubernetes/deployment.yaml"] = pod["args"]
    for name in ("systemd/asdlc-kb.service", "systemd/asdlc-kb@.service"):
        (line,) = re.findall(r"^ExecStart=(.*)$", read(name), re.MULTILINE)
        found[name] = shlex.split(line)[1:]
    return found
