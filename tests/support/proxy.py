"""A real nginx in front of servers under test, with the shipped configuration.

Its sockets are bound here and inherited, so no other process can have the port, and
early connections wait in the kernel's queue.
"""

import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

SHIPPED: Final = Path(__file__).parents[2] / "deploy" / "nginx"
NAME: Final = "kb.example.com"
"""The name of the public server in the shipped configuration."""

BOUND: Final = 60.0
"""Seconds that any one wait may take."""

_MAIN = """
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log info;
{user}
worker_processes 1;
events {{ worker_connections 1000; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {http}
}}
"""


def find_program(name: str) -> str:
    """Return the path of a program that pip does not install."""
    path = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    assert path, f"{name} is not installed; on Debian: apt-get install {PACKAGES[name]}"
    return path


PACKAGES: Final[Mapping[str, str]] = {
    "bash": "bash",
    "curl": "curl",
    "faketime": "faketime",
    "nginx": "nginx-light",
    "openssl": "openssl",
    "redis-server": "redis-server",
    "systemd-analyze": "systemd",
}
"""The Debian package of each program."""


@dataclass(frozen=True)
class Proxy:
    """A running nginx."""

    port: int
    """The port of TLS."""
    plain_port: int
    folder: Path

    @property
    def url(self) -> str:
        """The address of the site behind it, without a path."""
        return f"https://{NAME}:{self.port}"

    @property
    def certificate(self) -> Path:
        """The certificate that its clients trust."""
        return self.folder / "certificate.pem"

    def command(self, *options: str | Path) -> list[str]:
        """Return a curl command line that resolves the name here and trusts it."""
        return [
            find_program("curl"),
            "--silent",
            "--show-error",
            "--max-time",
            str(BOUND),
            "--cacert",
            str(self.certificate),
            "--resolve",
            f"{NAME}:{self.port}:127.0.0.1",
            *map(str, options),
        ]


def adapt(text: str, changes: Mapping[str, str]) -> str:
    """Return a shipped file with some words replaced, each of which must be there."""
    for old, new in changes.items():
        assert old in text, old
        text = text.replace(old, new)
    return text


def write_upstream(servers: Sequence[str]) -> str:
    """Return the shipped upstream with other servers, each with the shipped options."""
    shipped = (SHIPPED / "asdlc-kb-upstream.conf").read_text(encoding="utf-8")
    text, count = re.subn(
        r"(?m)^    server 127\.0\.0\.1:8420( .*)?;$",
        lambda line: "\n".join(f"    server {s}{line[1] or ''};" for s in servers),
        shipped,
    )
    assert count == 1
    return text


def make_certificate(folder: Path) -> None:
    """Write a key and a certificate for the name."""
    request = (
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    )
    subprocess.run(
        [
            *(find_program("openssl"), *request.split(), "-subj", f"/CN={NAME}"),
            *("-addext", f"subjectAltName=DNS:{NAME}"),
            *("-keyout", folder / "key.pem", "-out", folder / "certificate.pem"),
        ],
        check=True,
        capture_output=True,
        timeout=BOUND,
    )


def write_configuration(
    folder: Path,
    servers: Sequence[str],
    listens: tuple[str, str],
    *,
    is_hashed: bool = False,
    changes: Mapping[str, str] | None = None,
) -> Path:
    """Write the configuration of nginx: the shipped files in a main file.

    Each client gets its own server if the line for it is uncommented. Further changes
    replace words of the shipped server.
    """
    conf = folder / "conf.d"
    conf.mkdir(parents=True, exist_ok=True)
    make_certificate(folder)
    plain, tls = listens
    server = adapt(
        (SHIPPED / "asdlc-kb.conf").read_text(encoding="utf-8"),
        {
            "    listen [::]:80;\n": "",
            "    listen [::]:443 ssl http2;\n": "",
            "listen 80;": f"listen {plain};",
            "listen 443 ": f"listen {tls} ",
            f"/etc/ssl/{NAME}.pem": str(folder / "certificate.pem"),
            f"/etc/ssl/{NAME}.key": str(folder / "key.pem"),
            **(changes or {}),
        },
    )
    upstream = adapt(
        write_upstream(servers),
        {"    #hash ": "    hash " if is_hashed else "    #hash "},
    )
    (conf / "asdlc-kb.conf").write_text(server, encoding="utf-8")
    (conf / "asdlc-kb-upstream.conf").write_text(upstream, encoding="utf-8")
    return write_main(folder, f"include {conf}/*.conf;")


def write_main(folder: Path, http: str) -> Path:
    """Write the main configuration of an nginx in a folder, with this `http` block."""
    # As root, nginx would run its workers as a user without access to the folder.
    user = f"user {pwd.getpwuid(0).pw_name};" if os.getuid() == 0 else ""
    main = folder / "nginx.conf"
    text = _MAIN.format(folder=folder, user=user, http=http)
    main.write_text(text, encoding="utf-8")
    return main


def check_configuration(main: Path) -> subprocess.CompletedProcess[str]:
    """Return nginx's output on a configuration."""
    return subprocess.run(
        [find_program("nginx"), "-t", "-e", "stderr", "-c", str(main)],
        capture_output=True,
        text=True,
        timeout=BOUND,
        check=False,
    )


@contextmanager
def proxying(
    folder: Path,
    servers: Sequence[str],
    *,
    is_hashed: bool = False,
    changes: Mapping[str, str] | None = None,
) -> Iterator[Proxy]:
    """Run nginx in front of servers (`127.0.0.1:8420`) until the block ends."""

    def write(plain: int, tls: int) -> Path:
        listens = f"127.0.0.1:{plain}", f"127.0.0.1:{tls}"
        return write_configuration(
            folder, servers, listens, is_hashed=is_hashed, changes=changes
        )

    with running_nginx(folder, write, 2) as (plain, tls):
        yield Proxy(tls, plain, folder)


@contextmanager
def running_nginx(
    folder: Path, write: Callable[..., Path], number: int = 1
) -> Iterator[tuple[int, ...]]:
    """Run nginx in a folder until the block ends; yield its ports.

    `write` is called with so many ports and returns the main configuration.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(number)]
        for listening in sockets:
            listening.bind(("127.0.0.1", 0))
            listening.listen(512)
        ports = tuple(listening.getsockname()[1] for listening in sockets)
        main = write(*ports)
        descriptors = [listening.fileno() for listening in sockets]
        inherited = "".join(f"{descriptor};" for descriptor in descriptors)
        process = subprocess.Popen(
            [find_program("nginx"), "-e", str(folder / "error.log"), "-c", str(main)],
            env={**os.environ, "NGINX": inherited},
            pass_fds=descriptors,
            start_new_session=True,
        )
    try:
        yield ports
    finally:
        process.terminate()
        try:
            process.wait(BOUND)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait(BOUND)
