"""The requirements of an extra, and the command that installs them."""

import re
import shlex
import sys
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest

from asdlc_kb import extras
from asdlc_kb.extras import install_command, list_requirements, missing_extra

PACKAGE = Path(extras.__file__).parent


def test_the_requirements_of_an_extra_are_its_own() -> None:
    """As declared, without the condition; those of every installation are others."""
    assert list_requirements("redis") == ["redis<9,>=6.2"]
    assert [re.split(r"[^\w-]", name)[0] for name in list_requirements("semantic")] == [
        *("numpy", "tokenizers", "wordllama")
    ]
    required = list_requirements()
    assert any(name.startswith("tornado") for name in required)
    assert not any(name.startswith("redis") for name in required)
    assert list_requirements("gone") == []


def test_a_source_tree_has_no_requirements(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not installed, so nothing is known of its extras."""

    def find(name: str) -> list[str]:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "requires", find)
    assert list_requirements("redis") == []


@pytest.mark.parametrize("has_pip", [True, False])
def test_the_command_changes_the_installation_that_runs(
    monkeypatch: pytest.MonkeyPatch, has_pip: bool
) -> None:
    """Whatever is on the PATH; and it names no package of an index that is ours."""
    spec = SimpleNamespace() if has_pip else None
    monkeypatch.setattr(extras, "find_spec", lambda name: spec)
    tool = [sys.executable, "-m", "pip", "install"]
    repair = "--force-reinstall"
    if not has_pip:
        tool = ["uv", "pip", "install", "--python", sys.executable]
        repair = "--reinstall"
    assert shlex.split(install_command("redis")) == [*tool, "redis<9,>=6.2"]
    words = shlex.split(install_command("redis", is_repair=True))
    assert words == [*tool, repair, "redis<9,>=6.2"]


def test_the_error_names_the_feature_and_the_extra() -> None:
    """The command is the last part: it can be copied to the end of the line."""
    error = missing_extra("bus_url", "redis", "redis")
    assert error.reason == "bus_url needs the extra `redis` (missing redis)"
    assert error.advice == install_command("redis")
    assert str(error) == f"{error.reason}: {error.advice}"


@pytest.mark.parametrize("extra", ["auth", "otel", "postgres", "redis", "semantic"])
def test_every_extra_of_an_error_is_declared(extra: str) -> None:
    """In `setup.cfg`; and a module asks for it."""
    assert list_requirements(extra)
    texts = [path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")]
    assert any(f'"{extra}"' in text and "missing_extra(" in text for text in texts)


def test_no_message_installs_this_package_by_its_name() -> None:
    """D-217: on an index it may be another project's."""
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"pip install[^\n]*asdlc", text), path
