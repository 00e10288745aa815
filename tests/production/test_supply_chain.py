"""The packages of image and action, installed by their hashes, from a clone."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name
from support.deploy import DEPLOY, read
from support.processes import BOUND, environment

from asdlc_kb import __version__

INSTALL = DEPLOY / "requirements" / "install"
SCRIPT = """
import json
from importlib import metadata
names = {each.name: each.version for each in metadata.distributions()}
print(json.dumps(names))
"""


@pytest.mark.parametrize("name", ["image", "check"])
def test_a_list_is_all_that_the_program_needs(name: str, tmp_path: Path) -> None:
    """pip refuses packages without a hash in the list; and the program runs."""
    venv = tmp_path / "venv"
    installed = subprocess.run(
        [INSTALL, venv, name],
        env=environment({"PYTHON": sys.executable}),
        capture_output=True,
        text=True,
        timeout=BOUND * 30,
        cwd=tmp_path,
    )
    assert installed.returncode == 0, installed.stderr
    program = venv / "bin"
    listed = subprocess.check_output([program / "python", "-c", SCRIPT], text=True)
    found = {
        key.lower().replace(".", "-"): one for key, one in json.loads(listed).items()
    }
    assert found.pop("asdlc-kb") == __version__
    locked = read(f"requirements/{name}.txt")
    extra = [
        key for key in found if f"{key.replace('_', '-')}=={found[key]}" not in locked
    ]
    assert set(extra) <= {"pip", "setuptools"}
    content = DEPLOY.parent / "content"
    checked = subprocess.run(
        [program / "asdlc-kb", "check", content], timeout=BOUND * 3, cwd=tmp_path
    )
    assert checked.returncode == 0


def test_a_package_with_another_hash_is_not_installed(tmp_path: Path) -> None:
    """Whatever a registry answers."""
    copy = tmp_path / "deploy" / "requirements"
    copy.mkdir(parents=True)
    (copy / "install").write_bytes(INSTALL.read_bytes())
    wrong = f"setuptools==84.2.1 --hash=sha256:{'0' * 64}\n"
    (copy / "build.txt").write_text(wrong, encoding="utf-8")
    done = subprocess.run(
        ["sh", copy / "install", tmp_path / "venv", "build"],
        env=environment({"PYTHON": sys.executable}),
        capture_output=True,
        text=True,
        timeout=BOUND * 5,
    )
    assert done.returncode != 0
    assert "THESE PACKAGES DO NOT MATCH THE HASHES" in done.stderr
    assert not (tmp_path / "venv").exists()


def test_the_bill_of_materials_is_of_this_version_in_the_image(tmp_path: Path) -> None:
    """CycloneDX: the subject is named, and only packages of the image are listed."""
    lock = read("requirements/image.txt")
    expected = {
        canonicalize_name(name): version
        for name, version in re.findall(r"(?m)^([a-z0-9-]+)==([^ ;]+)", lock)
    }
    # Needed up to Python 3.11.2, and on Windows; the image has 3.13 on Linux.
    del expected[canonicalize_name("async-timeout")]
    del expected[canonicalize_name("tzdata")]
    written = []
    for name in ("one.json", "two.json"):
        subprocess.run(
            [sys.executable, DEPLOY / "requirements" / "sbom.py", tmp_path / name],
            env=environment(),
            check=True,
            timeout=BOUND * 5,
            cwd=tmp_path,
        )
        written.append((tmp_path / name).read_bytes())
    assert written[0] == written[1]
    bill = json.loads(written[0])
    subject = bill["metadata"]["component"]
    assert (subject["name"], subject["version"]) == ("asdlc-kb", __version__)
    assert subject["type"] == "application"
    listed = {
        canonicalize_name(each["name"]): each["version"] for each in bill["components"]
    }
    assert listed == expected
    for each in bill["components"]:
        assert each["externalReferences"][0]["hashes"], each["name"]
