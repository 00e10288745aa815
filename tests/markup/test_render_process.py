"""Rendering in a child process, which is killed if a text costs too much."""

import gc
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asdlc_kb.exceptions import RendererUnavailable
from asdlc_kb.markup import render_process as module
from asdlc_kb.markup.html_renderer import render
from asdlc_kb.markup.render_process import RenderProcess

BOUND = 120.0
ENDLESS = '```cddl\n"' + "\\" * 40 + "\n```\n"
SHARED = RenderProcess()


def lead(href: str) -> str | None:
    """Resolve a link, or not."""
    return None if href.startswith("/no") else f'{href}?"<>&\u00a0'


def wait_until(is_true: Callable[[], bool]) -> None:
    """Wait for an event in another thread."""
    deadline = time.monotonic() + BOUND
    while not is_true():
        assert time.monotonic() < deadline
        os.sched_yield()


def list_children() -> list[int]:
    """Return the processes that this one has started and not ended."""
    pid = os.getpid()
    found = subprocess.run(
        ["ps", "-o", "pid=,args=", "--ppid", str(pid)], capture_output=True, text=True
    )
    rows = found.stdout.splitlines()
    return [int(row.split()[0]) for row in rows if "render_worker" in row]


TEXTS = st.lists(
    st.sampled_from(
        [
            "# a\n",
            "[x](/a b)",
            "[x](/no)",
            '<a href="/q&amp;r">',
            "\n\n",
            "```py\nx\n```",
        ]
    ),
    max_size=12,
).map("".join)


@settings(deadline=None, max_examples=60)
@given(TEXTS)
def test_a_text_becomes_what_it_becomes_in_this_process(text: str) -> None:
    """The same HTML, with resolved links, headings and code."""
    rendered = SHARED.submit(text).result(BOUND)
    assert rendered is not None
    assert rendered.link(lead) == render(text, lead)


def test_a_text_cannot_write_a_placeholder() -> None:
    """The placeholder of a link has a part that the text cannot know."""
    text = '[a](/x) href="kb:0-0" <b title=\'x href="kb:0-0"\'>b</b>'
    rendered = SHARED.submit(text).result(BOUND)
    assert rendered is not None
    assert rendered.link(lambda _: "/led").text.count("/led") == 1


def test_code_that_takes_too_long_is_not_highlighted() -> None:
    """The text around it is rendered, and others after it."""
    rendered = SHARED.submit(f"# Title\n\n{ENDLESS}").result(BOUND)
    assert rendered is not None
    assert not rendered.is_highlighted
    assert "<h1" in rendered.html.text
    after = SHARED.submit("*x*").result(BOUND)
    assert after is not None
    assert after.html.text == "<p><em>x</em></p>\n"


def test_a_text_that_takes_too_long_has_no_rendering(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever takes the time: here it is the grammar."""
    assert SHARED.submit("[" * 500_000).result(BOUND) is None


def test_the_process_ends_when_nothing_is_left_to_render() -> None:
    """And starts again with the next text."""
    before = list_children()
    renderer = RenderProcess(idle_seconds=0.01)
    for _ in range(2):
        assert renderer.submit("x").result(BOUND) is not None
        wait_until(lambda: set(list_children()) <= set(before))


def test_any_thread_may_ask() -> None:
    """Each gets its own text."""
    with ThreadPoolExecutor(8) as threads:
        texts = [f"text {number}" for number in range(100)]
        futures = list(threads.map(SHARED.submit, texts))
    for text, future in zip(texts, futures, strict=True):
        rendered = future.result(BOUND)
        assert rendered is not None
        assert rendered.html.text == f"<p>{text}</p>\n"


def test_texts_that_wait_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Further ones are refused at once; they may be submitted again."""
    monkeypatch.setattr(module, "MAX_WAITING", 0)
    with pytest.raises(RendererUnavailable, match="texts wait"):
        RenderProcess().submit("x").result(BOUND)


def test_a_process_that_cannot_be_started_is_an_error_of_the_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The text is tried again the next time."""
    renderer = RenderProcess(idle_seconds=0)
    with monkeypatch.context() as changed:
        changed.setattr(sys, "executable", "/nowhere/python")
        with pytest.raises(RendererUnavailable, match="cannot be started"):
            renderer.submit("x").result(BOUND)
    assert renderer.submit("x").result(BOUND) is not None


def test_a_process_is_started_once_descriptors_are_free_again() -> None:
    """Until then each text fails, and nothing is left open."""
    renderer = RenderProcess()
    used = len(os.listdir("/proc/self/fd"))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
    try:
        for _ in range(2):
            failed = renderer.submit("x")
            with pytest.raises(RendererUnavailable, match="cannot be started"):
                failed.result(BOUND)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert len(os.listdir("/proc/self/fd")) == used
    assert renderer.submit("x").result(BOUND) is not None


def test_a_thread_that_cannot_be_started_is_started_with_the_next_text() -> None:
    """The first text fails: no machine has the memory for the stack of its thread."""
    renderer = RenderProcess()
    default = threading.stack_size(1 << 46)
    try:
        failed = renderer.submit("x")
    finally:
        threading.stack_size(default)
    with pytest.raises(RendererUnavailable, match="thread cannot be started"):
        failed.result(BOUND)
    assert renderer.submit("x").result(BOUND) is not None


def start_renderer() -> tuple[RenderProcess, int]:
    """Return a renderer, and the id of its process."""
    renderer = RenderProcess()
    before = set(list_children())
    assert renderer.submit("x").result(BOUND) is not None
    (child,) = set(list_children()) - before
    return renderer, child


def test_a_text_that_cannot_be_sent_fails_alone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever the error: its process ends, and the next text has another one."""
    renderer, child = start_renderer()

    def fail(*_: object) -> None:
        raise MemoryError("secret text")

    with monkeypatch.context() as changed:
        changed.setattr(module, "receive", fail)
        with pytest.raises(RendererUnavailable, match=r"^MemoryError$"):
            renderer.submit("x").result(BOUND)
    assert child not in list_children()
    rendered = renderer.submit("y").result(BOUND)
    assert rendered is not None
    assert rendered.html.text == "<p>y</p>\n"
    assert "secret" not in "".join(repr(vars(record)) for record in caplog.records)


def test_a_text_that_is_cancelled_is_not_rendered() -> None:
    """Those after it are."""
    renderer, child = start_renderer()
    os.kill(child, signal.SIGSTOP)
    futures = [renderer.submit(text) for text in "xyz"]
    assert futures[1].cancel()
    os.kill(child, signal.SIGCONT)
    assert futures[2].result(BOUND) is not None
    assert futures[0].result(BOUND) is not None


def test_a_process_that_is_killed_is_started_again() -> None:
    """The text was not the reason, so it is tried again."""
    renderer, child = start_renderer()
    os.kill(child, signal.SIGSTOP)
    future = renderer.submit("x")
    os.kill(child, signal.SIGKILL)
    with pytest.raises(RendererUnavailable, match="ended with code -9"):
        future.result(BOUND)
    assert renderer.submit("x").result(BOUND) is not None


def test_a_process_that_does_not_answer_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever blocks it: the text is tried again the next time."""
    renderer, child = start_renderer()
    os.kill(child, signal.SIGSTOP)
    with monkeypatch.context() as changed:
        changed.setattr(module, "MAX_WAIT_SECONDS", 0.5)
        with pytest.raises(RendererUnavailable, match="did not answer"):
            renderer.submit("x").result(BOUND)
    assert renderer.submit("x").result(BOUND) is not None


def test_the_process_ends_with_this_one() -> None:
    """No child is left, and no warning about one."""
    code = (
        "from asdlc_kb.markup.render_process import RenderProcess\n"
        "renderer = RenderProcess()\n"
        "assert renderer.submit('x').result(60) is not None\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        timeout=BOUND,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    gc.collect()
