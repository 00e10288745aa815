"""nginx as a peer: the same bytes as static files, with its access log."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from benchmarks.failure import BenchFailure
from benchmarks.servers import Server

_CONFIGURATION: Final = """\
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log stderr error;
events {{}}
http {{
    access_log {folder}/access.log;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    default_type text/html;
    sendfile on;
    tcp_nopush on;
    keepalive_requests 1000000000;
    server {{
        listen 127.0.0.1:{port};
        root {root};
        location = /mcp {{
            return 200 "{{}}";
        }}
    }}
}}
"""
"""Of one process, as each of our servers is; `/mcp` shows that it has started."""


def write_files(bodies: Mapping[str, bytes], root: Path) -> None:
    """Write each body to the file of its path, which has no suffix."""
    for path, body in bodies.items():
        file = root / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(body)


def nginx(folder: Path) -> Server:
    """Return nginx serving a folder of files; `folder` takes what it writes.

    Raises BenchFailure if it is not installed.
    """
    program = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin")
    if program is None:
        raise BenchFailure(
            "nginx is not installed: on Debian and Ubuntu `apt-get install nginx-light`"
        )

    def start(root: Path, port: int) -> Sequence[str | Path]:
        file = folder / "nginx.conf"
        text = _CONFIGURATION.format(folder=folder, port=port, root=root)
        file.write_text(text, encoding="utf-8")
        return [program, "-e", "stderr", "-p", folder, "-c", file]

    return Server("nginx", start)
