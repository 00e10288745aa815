"""MCP client for probes, over HTTP or stdio; bounded in time and size."""

import json
import os
import re
import select
import signal
import ssl
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from time import monotonic
from typing import Any, Final, Protocol
from urllib.parse import SplitResult, quote, urlsplit

from tornado.httpclient import HTTPClient, HTTPError, HTTPRequest
from tornado.httputil import HTTPInputError
from tornado.iostream import UnsatisfiableReadError
from tornado.simple_httpclient import HTTPTimeoutError, SimpleAsyncHTTPClient

from asdlc_kb.connect.host_environment import HostEnvironment
from asdlc_kb.connect.messages import (
    HANDSHAKE,
    MAX_SHOWN,
    MODERN,
    describe_body,
    make_request,
    parse_answer,
    read_result,
    shorten,
    split_events,
)
from asdlc_kb.connect.server_entry import ServerAddress, ServerCommand, ServerEntry
from asdlc_kb.exceptions import ProbeFailed, TokenRequired

SECONDS: Final = 20.0
"""Timeout of a response over HTTP."""
START_SECONDS: Final = 60.0
"""Timeout of a response over stdio, including the start of the command."""

_MAX_RESPONSE_BYTES: Final = 8 * 1024 * 1024
_MAX_HEADER_BYTES: Final = 64 * 1024
_CHUNK: Final = 64 * 1024
_URL_SAFE: Final = "/:?@!$&'()*+,;=~%"
_MAX_STDERR_BYTES: Final = 2000
_OUR_CHALLENGE: Final = re.compile(
    r'Bearer (?:realm="asdlc-kb"|.*resource_metadata="[^"]*'
    r"/\.well-known/oauth-protected-resource)"
)
"""Prefix of the WWW-Authenticate header of this server's 401 (RFC 6750, RFC 9728)."""


class ProbeTransport(Protocol):
    """A transport to a server."""

    def request(
        self, method: str, params: Mapping[str, Any], version: str
    ) -> dict[str, Any]:
        """Send a request and return its result, or raise ProbeFailed."""

    def notify(self, method: str, version: str) -> None:
        """Send a notification."""

    def close(self) -> None:
        """Close the transport."""


def open_transport(
    target: ServerEntry, machine: HostEnvironment, token: str | None = None
) -> ProbeTransport:
    """Return a transport to a target; raise ProbeFailed if it cannot be started.

    A token applies to an address only, and is never sent unencrypted to another host.
    """
    if isinstance(target, ServerAddress):
        return HttpProbe(target, token=None if target.is_insecure_remote else token)
    return StdioProbe(target, machine)


class HttpProbe:
    """Streamable HTTP, with one connection per request.

    The deadline covers a whole request. Redirects are not followed, no proxy is used.
    A token is sent only after a request without one got this server's 401;
    another program on the port does not receive it.
    """

    def __init__(
        self,
        address: ServerAddress,
        seconds: float = SECONDS,
        *,
        token: str | None = None,
    ) -> None:
        self._token = token
        self._sends_token = False
        self._variable = address.variable
        self._parts = urlsplit(address.url)
        self._host = address.host
        self._verifies = address.verifies
        self._seconds = seconds
        self._session: str | None = None
        self._last_id = 0
        # It decompresses nothing; `_exchange` limits the body.
        self._client = HTTPClient(
            SimpleAsyncHTTPClient,
            force_instance=True,
            max_header_size=_MAX_HEADER_BYTES,
            max_body_size=sys.maxsize,
            defaults={
                "connect_timeout": seconds,
                "request_timeout": seconds,
                "follow_redirects": False,
                "decompress_response": False,
            },
        )

    def request(
        self, method: str, params: Mapping[str, Any], version: str
    ) -> dict[str, Any]:
        """POST a request; return its result, from JSON or from an event stream."""
        self._last_id += 1
        message = make_request(method, params, version, self._last_id)
        status, kind, body = self._post(message, version)
        where = self._describe(status)
        if status != 200 and not body.lstrip().startswith(b"{"):
            raise ProbeFailed(f"{where}: {describe_body(body)}")
        texts = split_events(body) if kind == "text/event-stream" else [body]
        for text in texts:
            answer = parse_answer(text)
            if answer.get("id") == self._last_id or "error" in answer:
                return read_result(answer, where)
        raise ProbeFailed("the response does not answer the request")

    def notify(self, method: str, version: str) -> None:
        """POST a notification."""
        status, _, body = self._post({"jsonrpc": "2.0", "method": method}, version)
        if status not in (200, 202, 204):
            raise ProbeFailed(f"HTTP status {status}: {describe_body(body)}")

    def close(self) -> None:
        """DELETE the session, if any; a server need not support that."""
        if self._session is not None:
            with suppress(ProbeFailed):
                self._send("DELETE", None, self._headers(HANDSHAKE))
        self._client.close()

    def _describe(self, status: int) -> str:
        """Return a status, and what a client should know of an address without MCP."""
        if status != 404 or self._parts.path.endswith("/mcp"):
            return f"HTTP status {status}"
        return f"HTTP status {status} (the address of an MCP endpoint ends in /mcp)"

    def _post(self, message: Mapping[str, Any], version: str) -> tuple[int, str, bytes]:
        headers = self._headers(version)
        if version == MODERN:
            headers["Mcp-Method"] = str(message["method"])
            if name := message.get("params", {}).get("name"):
                headers["Mcp-Name"] = str(name)
        return self._send("POST", json.dumps(message).encode(), headers)

    def _headers(self, version: str) -> dict[str, str]:
        headers = {
            "Accept": "application/json, text/event-stream",
            "Content-Type": "application/json",
            "MCP-Protocol-Version": version,
        }
        if self._host is not None:
            headers["Host"] = self._host
        if self._session is not None and version != MODERN:
            headers["Mcp-Session-Id"] = self._session
        return headers

    def _send(
        self, method: str, body: bytes | None, headers: Mapping[str, str]
    ) -> tuple[int, str, bytes]:
        """Send one request, with the token once required; return status, media type
        and body."""
        had_token = self._sends_token
        try:
            return self._exchange(method, body, headers)
        except TokenRequired:
            if had_token or not self._sends_token:
                raise
        return self._exchange(method, body, headers)

    def _exchange(
        self, method: str, body: bytes | None, headers: Mapping[str, str]
    ) -> tuple[int, str, bytes]:
        if self._sends_token:
            headers = {**headers, "Authorization": f"Bearer {self._token}"}
        received = bytearray()

        def receive(chunk: bytes) -> None:
            received.extend(chunk)
            if len(received) > _MAX_RESPONSE_BYTES:
                raise HTTPInputError

        request = HTTPRequest(
            _encode_url(self._parts),
            method,
            dict(headers),
            body,
            streaming_callback=receive,
            validate_cert=self._verifies,
        )
        try:
            response = self._client.fetch(request, raise_error=False)
        except ConnectionRefusedError:
            where = self._parts.netloc
            raise ProbeFailed(
                f"nothing is listening at {where}: start the server"
            ) from None
        except HTTPTimeoutError:
            message = f"no response within {self._seconds:g} s"
            raise ProbeFailed(message) from None
        except (OSError, HTTPError, UnsatisfiableReadError, ValueError) as error:
            # ValueError: a header that cannot be encoded, or another scheme.
            if len(received) > _MAX_RESPONSE_BYTES:
                raise _too_large() from None
            raise _explain_failure(error) from None
        if 300 <= response.code < 400:
            where = shorten(response.headers.get("Location", "").encode())
            raise ProbeFailed(
                f"it redirects to {where}, which clients do not follow: "
                "use that address"
            )
        if response.code == 401:
            challenge = response.headers.get("WWW-Authenticate", "")
            raise self._handle_challenge(challenge)
        self._session = response.headers.get("Mcp-Session-Id") or self._session
        kind = response.headers.get("Content-Type", "").partition(";")[0].strip()
        return response.code, kind, bytes(received)

    def _handle_challenge(self, challenge: str) -> TokenRequired:
        """Return the error for a 401; enable the token if it is this server's."""
        if self._token is None:
            return TokenRequired(f"it requires a token: put one in {self._variable}")
        if self._sends_token:
            return TokenRequired(f"it rejected the token in {self._variable}")
        if _OUR_CHALLENGE.match(challenge) is None:
            return TokenRequired(
                f"it requires a token but is another program: {self._variable} was "
                "not sent"
            )
        self._sends_token = True
        return TokenRequired("it requires a token")


def _explain_failure(error: Exception) -> ProbeFailed:
    """Return the error for a request without a response."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return ProbeFailed(
            f"its certificate is not accepted: {error.verify_message}: use one for "
            "this address, of an authority that clients trust"
        )
    return ProbeFailed(f"no response: {str(error) or type(error).__name__}")


def _encode_url(parts: SplitResult) -> str:
    """Return a URL as it is sent: in ASCII, without credentials and fragment.

    Raise ProbeFailed if it has no valid host and port.
    """
    try:
        parts.port  # noqa: B018 - it is what raises
        host = parts.netloc.rpartition("@")[2].encode("idna").decode()
    except ValueError:
        raise ProbeFailed("the address has an invalid host or port") from None
    path, query = quote(parts.path, safe=_URL_SAFE), quote(parts.query, safe=_URL_SAFE)
    return parts._replace(netloc=host, path=path, query=query, fragment="").geturl()


def _too_large() -> ProbeFailed:
    return ProbeFailed(f"the response is larger than {_MAX_RESPONSE_BYTES:,} bytes")


class StdioProbe:
    """Stdio transport to a command, which `close` terminates."""

    def __init__(
        self,
        command: ServerCommand,
        machine: HostEnvironment,
        seconds: float = START_SECONDS,
    ) -> None:
        """Start the command; raise ProbeFailed if that fails."""
        self._seconds = seconds
        self._last_id = 0
        self._pending = b""
        self._errors = tempfile.TemporaryFile()
        try:
            self._process = subprocess.Popen(  # noqa: S603 - words, and no shell
                command.words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                cwd=machine.home,
                env=dict(machine.variables),
                start_new_session=True,
            )
        except OSError as error:
            self._errors.close()
            program = command.words[0]
            raise ProbeFailed(f"{program} cannot be run: {error.strerror}") from None
        except ValueError:
            self._errors.close()
            raise ProbeFailed(
                "its command contains characters that no program accepts"
            ) from None

    def request(
        self, method: str, params: Mapping[str, Any], version: str
    ) -> dict[str, Any]:
        """Write a request and return its result."""
        self._last_id += 1
        self._write(make_request(method, params, version, self._last_id))
        deadline = monotonic() + self._seconds
        while True:
            answer = parse_answer(self._read_line(deadline))
            if answer.get("id") == self._last_id:
                return read_result(answer, "an error")

    def notify(self, method: str, version: str) -> None:
        """Write a notification."""
        self._write({"jsonrpc": "2.0", "method": method})

    def close(self) -> None:
        """Close stdin and wait for the exit; kill the process after the timeout."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(OSError):
            process.stdin.close()
        try:
            process.wait(self._seconds)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        process.stdout.close()
        self._errors.close()

    def _write(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise self._exit_error() from None

    def _read_line(self, deadline: float) -> bytes:
        assert self._process.stdout is not None
        number = self._process.stdout.fileno()
        while b"\n" not in self._pending:
            left = max(deadline - monotonic(), 0)
            ready, _, _ = select.select([number], [], [], left)
            if not ready:
                raise ProbeFailed(f"no response within {self._seconds:g} s")
            chunk = os.read(number, _CHUNK)
            if not chunk:
                raise self._exit_error()
            self._pending += chunk
            if len(self._pending) > _MAX_RESPONSE_BYTES:
                raise _too_large()
        line, _, self._pending = self._pending.partition(b"\n")
        return line

    def _exit_error(self) -> ProbeFailed:
        """Return the error for a command that exited: the end of its stderr."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(self._seconds)
        self._errors.seek(0)
        stderr = (
            self._errors.read()[-_MAX_STDERR_BYTES:].decode("utf-8", "replace").strip()
        )
        last = stderr.splitlines()[-1] if stderr else "no error output"
        return ProbeFailed(f"the command exited: {last[:MAX_SHOWN]}")
