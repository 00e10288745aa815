"""Dependencies of an image, an action and a release are named by their hash."""

import re
import tomllib
from configparser import ConfigParser
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from support.deploy import DEPLOY, document, files, read

ROOT = DEPLOY.parent
LISTS = ("image", "check", "build")
PIN = re.compile(r"^([a-z0-9-]+)==([^ ;]+)(?: ; [^\\]+)? \\$", re.MULTILINE)
PARTS = re.compile(
    r"^(?:#.*|\S+==\S+(?: ; .+)? \\|    --hash=sha256:[0-9a-f]{64}(?: \\)?)$"
)


def pins(name: str) -> dict[str, str]:
    """Return the version of each package in a list."""
    return dict(PIN.findall(read(f"requirements/{name}.txt")))


def requirements(section: str, key: str) -> list[Requirement]:
    """Return what setup.cfg asks for."""
    setup = ConfigParser()
    setup.read(ROOT / "setup.cfg", encoding="utf-8")
    return [Requirement(line) for line in setup[section][key].split("\n") if line]


@pytest.mark.parametrize("name", LISTS)
def test_a_list_is_of_pins_and_their_hashes_alone(name: str) -> None:
    """No address of a registry, no option, no package without a hash."""
    text = read(f"requirements/{name}.txt")
    assert [line for line in text.splitlines() if not PARTS.match(line)] == []
    blocks = re.split(r"^(?=\S+==)", text, flags=re.MULTILINE)[1:]
    assert len(blocks) == len(pins(name)) > 0
    assert all("--hash=sha256:" in block for block in blocks)


@pytest.mark.parametrize(
    ("name", "extras"), [("image", ("auth", "fast", "otel", "redis")), ("check", ())]
)
def test_a_list_satisfies_the_ranges_of_the_package(
    name: str, extras: tuple[str, ...]
) -> None:
    """A changed range needs `tox -e lock`."""
    locked = pins(name)
    requirements_declared = requirements("options", "install_requires")
    for extra in extras:
        requirements_declared += requirements("options.extras_require", extra)
    for requirement in requirements_declared:
        version = locked[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version), requirement


def test_the_lists_agree() -> None:
    """The action checks with the packages of the image."""
    assert pins("check").items() <= pins("image").items()


def test_the_package_is_built_with_what_it_asks_for() -> None:
    """build.in repeats pyproject.toml, build.txt fits both."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    requirements_declared = project["build-system"]["requires"]
    assert read("requirements/build.in").split() == requirements_declared
    for requirement in map(Requirement, requirements_declared):
        assert requirement.specifier.contains(pins("build")[requirement.name])


def test_image_and_action_install_what_is_locked() -> None:
    """By the one script that compares hashes."""
    assert "RUN deploy/requirements/install /opt/asdlc-kb image\n" in read(
        "docker/Dockerfile"
    )
    steps = document("check/action.yml")["runs"]["steps"]
    (installing,) = [step["run"] for step in steps if step.get("name") == "Install"]
    assert "/requirements/install" in installing
    assert installing.split()[-1] == "check"
    for text in (read("docker/Dockerfile"), installing):
        assert "pip install" not in text


def images(path: Path) -> list[str]:
    """Return the third-party images that a file names."""
    text = path.read_text(encoding="utf-8")
    named = re.findall(r"^FROM (\S+)|^ *(?:- )?image: *(\S+)", text, re.MULTILINE)
    stages = set(re.findall(r"^FROM \S+ AS (\S+)", text, re.MULTILINE))
    found = [first or second for first, second in named]
    return [name for name in found if name not in stages and name[:8] != "asdlc-kb"]


def test_images_and_actions_of_others_are_named_by_their_hash() -> None:
    """A tag may be moved to anything."""
    configured = [path for path in files() if path.suffix != ".py"]
    found = [name for path in configured for name in images(path)]
    assert len(found) == 4
    for name in found:
        assert re.fullmatch(r"[a-z/]+:[0-9a-z.-]+@sha256:[0-9a-f]{64}", name), name
    assert len({name for name in found if name.startswith("valkey")}) == 1
    steps = document("check/action.yml")["runs"]["steps"]
    for used in (step["uses"] for step in steps if "uses" in step):
        assert re.fullmatch(r"[a-z/-]+@[0-9a-f]{40}", used), used


def test_no_module_of_the_working_directory_is_imported() -> None:
    """The check action runs in the repository that it checks."""
    script = (ROOT / "deploy" / "requirements" / "install").read_text(encoding="utf-8")
    calls = re.findall(r"python3\}\" (.*)", script)
    assert calls
    assert all(call.startswith("-I ") for call in calls)
