"""The software bill of materials of the image, from its lock file (CycloneDX).

`tox -e sbom` runs it: `python deploy/requirements/sbom.py FILE`. The subject is this
package with its version. Listed is what the image installs: a line of the lock file
whose marker is false for the image's Python is left out.
"""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from configparser import ConfigParser
from pathlib import Path

from packaging.markers import Marker

ROOT = Path(__file__).parents[2]
LOCK = ROOT / "deploy" / "requirements" / "image.txt"
DOCKERFILE = ROOT / "deploy" / "docker" / "Dockerfile"

_REQUIREMENT = re.compile(r"(?m)^\S+==\S+(?: ; (?P<marker>.+?))? \\$(?:\n[ \t]+.+$)*")
_BASE = re.compile(r"(?m)^FROM python:(\d+\.\d+)-")
_VERSION = re.compile(r'(?m)^__version__(?:: \w+)? = "(.+)"$')


def main(output: str) -> None:
    """Write the bill of materials; raises CalledProcessError where that fails."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subject = folder / "pyproject.toml"
        subject.write_text(describe_subject(), encoding="utf-8")
        installed = folder / "image.txt"
        lock = LOCK.read_text(encoding="utf-8")
        installed.write_text(select(lock, describe_image()), encoding="utf-8")
        subprocess.run(
            [
                *(sys.executable, "-m", "cyclonedx_py", "requirements", installed),
                *("--pyproject", subject, "--mc-type", "application"),
                *("--output-reproducible", "--output-file", output),
            ],
            check=True,
        )


def describe_subject() -> str:
    """Return this package's metadata as the `[project]` table of a pyproject.toml."""
    config = ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf-8")
    metadata = config["metadata"]
    source = (ROOT / "asdlc_kb" / "__init__.py").read_text(encoding="utf-8")
    (version,) = _VERSION.findall(source)
    table = {"name": metadata["name"], "version": version}
    table |= {"description": metadata["description"]}
    table |= {"license": metadata["license_expression"]}
    rows = (f"{key} = {json.dumps(value)}\n" for key, value in table.items())
    return "[project]\n" + "".join(rows)


def describe_image() -> Mapping[str, str]:
    """Return the values that markers have in the image: CPython on Linux."""
    (version, *_) = _BASE.findall(DOCKERFILE.read_text(encoding="utf-8"))
    return {
        "implementation_name": "cpython",
        "os_name": "posix",
        "platform_python_implementation": "CPython",
        "platform_system": "Linux",
        "python_full_version": f"{version}.0",
        "python_version": version,
        "sys_platform": "linux",
    }


def select(lock: str, environment: Mapping[str, str]) -> str:
    """Return the requirements of a lock file that an environment installs."""
    found = [
        entry[0] + "\n"
        for entry in _REQUIREMENT.finditer(lock)
        if entry["marker"] is None
        or Marker(entry["marker"]).evaluate(dict(environment))
    ]
    return "".join(found)


if __name__ == "__main__":
    main(*sys.argv[1:])
