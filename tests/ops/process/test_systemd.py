"""systemd's socket activation and notifications."""

import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from asdlc_kb.exceptions import OperationalError
from asdlc_kb.ops.process import systemd
from asdlc_kb.ops.process.systemd import SystemdNotifier, inherited_sockets

BOUND = 60.0
ME = str(os.getpid())


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[socket.socket]:
    """The socket on which a service manager listens."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(tmp_path / "notify"))
        listening.settimeout(BOUND)
        yield listening


def meant(environ: dict[str, str]) -> dict[str, str]:
    """Return an environment with our own process id where it is named."""
    return {name: ME if it == "ours" else it for name, it in environ.items()}


def receive(manager: socket.socket) -> dict[str, str]:
    """Return the next datagram."""
    lines = manager.recv(4096).decode().splitlines()
    return dict(line.split("=", 1) for line in lines)


def test_each_state_is_one_datagram(manager: socket.socket) -> None:
    """sd_notify(3): assignments, one a line, to the socket that is named."""
    environ = {"NOTIFY_SOCKET": manager.getsockname()}
    notifier = SystemdNotifier(environ)
    notifier.notify_ready()
    assert receive(manager) == {"READY": "1"}
    notifier.notify_reloading()
    told = receive(manager)
    assert (told["RELOADING"], told["MONOTONIC_USEC"].isdecimal()) == ("1", True)
    notifier.notify_alive()
    assert receive(manager) == {"WATCHDOG": "1"}
    notifier.notify_stopping()
    assert receive(manager) == {"STOPPING": "1"}
    assert environ == {}


def test_a_start_that_lives_has_the_time_that_it_takes(manager: socket.socket) -> None:
    """sd_notify(3): the manager's limit is extended until `READY`, not of a stop."""
    environ = {"NOTIFY_SOCKET": manager.getsockname(), "WATCHDOG_USEC": "30000000"}
    notifier = SystemdNotifier(environ)
    notifier.notify_alive()
    assert receive(manager) == {"WATCHDOG": "1", "EXTEND_TIMEOUT_USEC": "60000000"}
    notifier.notify_ready()
    receive(manager)
    notifier.notify_alive()
    assert receive(manager) == {"WATCHDOG": "1"}


def test_a_block_without_an_event_loop_stays_alive(manager: socket.socket) -> None:
    """A start that waits for a store; the thread ends with the block."""
    environ = {"NOTIFY_SOCKET": manager.getsockname(), "WATCHDOG_USEC": "2000"}
    notifier = SystemdNotifier(environ)
    before = threading.active_count()
    with notifier.staying_alive():
        for _ in range(3):
            assert receive(manager) == {"WATCHDOG": "1", "EXTEND_TIMEOUT_USEC": "4000"}
    assert threading.active_count() == before
    with SystemdNotifier({}).staying_alive():
        assert threading.active_count() == before


def test_an_address_may_be_abstract() -> None:
    """sd_notify(3): `@` stands for the zero byte."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(b"\0asdlc-kb-test-%d" % os.getpid())
        manager.settimeout(BOUND)
        SystemdNotifier({"NOTIFY_SOCKET": f"@asdlc-kb-test-{ME}"}).notify_ready()
        assert receive(manager) == {"READY": "1"}


@pytest.mark.parametrize("address", ["", "/nowhere/notify", "not a path"])
def test_nobody_listens_and_nothing_happens(address: str) -> None:
    """A server started by hand has no manager, or one that went away."""
    SystemdNotifier({"NOTIFY_SOCKET": address}).notify_ready()


@pytest.mark.parametrize(
    ("environ", "pause"),
    [
        ({"WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "ours"}, 1.5),
        ({"WATCHDOG_USEC": "3000000"}, 1.5),
        ({"WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "1"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
        ({"WATCHDOG_USEC": "0"}, None),
        ({}, None),
    ],
    ids=str,
)
def test_a_sign_of_life_comes_twice_as_often_as_it_must(
    environ: dict[str, str], pause: float | None
) -> None:
    """sd_watchdog_enabled(3): half of the interval, if this process is meant."""
    given = {"NOTIFY_SOCKET": "@x", **meant(environ)}
    assert SystemdNotifier(given).pause == pause


def test_sockets_are_taken_that_were_handed_to_this_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """sd_listen_fds(3): from descriptor 3 on, and only if LISTEN_PID is ours."""
    with socket.create_server(("127.0.0.1", 0)) as given:
        monkeypatch.setattr(systemd, "_FIRST", os.dup(given.fileno()))
        environ = {"LISTEN_PID": ME, "LISTEN_FDS": "1", "LISTEN_FDNAMES": "web"}
        (taken,) = inherited_sockets(environ)
        with taken:
            assert taken.getsockname() == given.getsockname()
            assert not taken.getblocking()
            assert not taken.get_inheritable()
    assert environ == {}


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"LISTEN_FDS": "1"},
        {"LISTEN_FDS": "1", "LISTEN_PID": "1"},
        {"LISTEN_FDS": "many", "LISTEN_PID": "ours"},
        {"LISTEN_FDS": "0", "LISTEN_PID": "ours"},
    ],
    ids=str,
)
def test_what_was_handed_to_another_process_is_left_alone(
    environ: dict[str, str],
) -> None:
    """sd_listen_fds(3): the variables may be a parent's."""
    given = meant(environ)
    assert inherited_sockets(given) == []
    assert given == {}


@pytest.mark.parametrize("kind", [socket.SOCK_STREAM, socket.SOCK_DGRAM])
def test_a_socket_that_does_not_listen_is_refused(
    monkeypatch: pytest.MonkeyPatch, kind: socket.SocketKind
) -> None:
    """A wrong unit (`Accept=yes`, `ListenDatagram=`) is reported, not served."""
    with socket.socket(socket.AF_INET, kind) as given:
        monkeypatch.setattr(systemd, "_FIRST", given.fileno())
        with pytest.raises(OperationalError, match="is not a listening stream socket"):
            inherited_sockets({"LISTEN_PID": ME, "LISTEN_FDS": "1"})


def test_a_file_is_no_socket(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Reported in one line, like every fault of the environment."""
    with (tmp_path / "file").open("wb") as given:
        monkeypatch.setattr(systemd, "_FIRST", given.fileno())
        with pytest.raises(OperationalError, match="is not a socket"):
            inherited_sockets({"LISTEN_PID": ME, "LISTEN_FDS": "1"})
