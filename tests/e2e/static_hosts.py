"""Hosts of static files: Python's, and nginx with the policy that the server sends."""

import os
import pwd
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from support.proxy import BOUND, find_program

from asdlc_kb.web.site.page_headers import POLICY

_NGINX: Final = """
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
user {user};
worker_processes 1;
events {{ worker_connections 100; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    types {{
        text/html html; text/css css; text/javascript js;
        application/json json; image/svg+xml svg;
    }}
    server {{
        listen 127.0.0.1:{port};
        root {root};
        error_page 404 /404.html;
        add_header Content-Security-Policy "{policy}" always;
        location / {{ try_files $uri $uri.html $uri/index.html =404; }}
    }}
}}
"""


@contextmanager
def serve_by_python(root: Path) -> Iterator[int]:
    """Serve a folder with `python -m http.server`; yield the port."""
    command = [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1"]
    with subprocess.Popen(
        command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            assert process.stdout is not None
            # Serving HTTP on 127.0.0.1 port 41234 (http://127.0.0.1:41234/) ...
            yield int(process.stdout.readline().split()[5])
        finally:
            process.terminate()


@contextmanager
def serve_by_nginx(root: Path, folder: Path) -> Iterator[int]:
    """Serve a folder with nginx, which names files without `.html`; yield the port."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        # Another user could not read the folders of tests.
        user = pwd.getpwuid(os.getuid()).pw_name
        text = _NGINX.format(
            folder=folder, root=root, port=port, policy=POLICY, user=user
        )
        configuration = folder / "nginx.conf"
        configuration.write_text(text, encoding="utf-8")
        # It inherits the socket, which queues connections until it accepts them.
        listening.set_inheritable(True)
        number = listening.fileno()
        process = subprocess.Popen(
            [find_program("nginx"), "-p", folder, "-c", configuration],
            env={**os.environ, "NGINX": f"{number};"},
            pass_fds=(number,),
        )
        try:
            yield port
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(BOUND)
