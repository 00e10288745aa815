"""A configuration that is missing, empty or unfinished does not replace a good one."""

import logging
import os
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.generators import write_files
from support.knowledge import settled_clock

from asdlc_kb.docs.generators import TreeConfiguration, read_configuration
from asdlc_kb.docs.generators.ignored_files import PathPatterns
from asdlc_kb.docs.generators.live_configuration import LiveConfiguration
from asdlc_kb.files import dependencies, write_monitor

MKDOCS = "site_name: Site\nexclude_docs: priv/\n"


def follow(folder: Path, *, uses_kernel_state: bool = True) -> LiveConfiguration:
    """Return the configuration of a folder whose files are settled."""
    return LiveConfiguration(
        lambda: read_configuration(folder),
        uses_kernel_state=uses_kernel_state,
        clock=settled_clock,
    )


def refresh(live: LiveConfiguration) -> str:
    """Read a configuration again as a scan does; return the message of its fault."""
    if not live.is_current():
        live.refresh()
    return live.fault.message if live.fault is not None else ""


def leaves_out(live: LiveConfiguration, path: str = "priv/s.md") -> bool:
    """Return whether a page is left out."""
    return PathPatterns(live.last_good.excluded).match(path)


@pytest.mark.parametrize(
    ("name", "text", "folder"),
    [
        ("mkdocs.yml", MKDOCS, "docs"),
        (".vitepress/config.mts", "export default {srcExclude: ['priv/**']}", ""),
        ("_config.yml", "exclude: [priv]\n", ""),
        ("config/_default/hugo.toml", 'title = "x"\n', "content"),
    ],
)
def test_a_missing_or_empty_file_leaves_the_last_rules(
    tmp_path: Path, name: str, text: str, folder: str
) -> None:
    """Until it is back, although no watched folder shows that."""
    write_files(tmp_path, {name: text, f"{folder}/priv/s.md": ""})
    live = follow(tmp_path / folder)
    good = live.last_good
    (tmp_path / name).unlink()
    assert "it cannot be read: restore it, or restart" in refresh(live)
    assert live.last_good == good
    write_files(tmp_path, {name: ""})
    message = refresh(live)
    assert "it is empty: restore it, or restart" in message or "export" in message
    assert live.last_good == good
    write_files(tmp_path, {name: text})
    assert refresh(live) == ""
    assert live.last_good == good


def test_a_restart_takes_a_tree_without_its_configuration(tmp_path: Path) -> None:
    """So an operator can remove a generator."""
    write_files(tmp_path, {"mkdocs.yml": MKDOCS, "docs/priv/s.md": ""})
    live = follow(tmp_path / "docs")
    (tmp_path / "mkdocs.yml").unlink()
    refresh(live)
    assert leaves_out(live)
    started = follow(tmp_path / "docs")
    assert (started.last_good.generator, leaves_out(started)) == ("", False)


def test_a_file_is_read_once_its_writer_has_closed_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long that takes, and although nothing else changes then."""
    settled = SimpleNamespace(time=settled_clock)
    monkeypatch.setattr(dependencies, "time", settled)
    write_files(tmp_path, {"mkdocs.yml": MKDOCS, "docs/priv/s.md": ""})
    live = follow(tmp_path / "docs")
    with (tmp_path / "mkdocs.yml").open("w") as writer:
        for text in ("site_name: New\n", "exclude_docs: new/\n"):
            writer.write(text)
            writer.flush()
            assert "being written" in refresh(live)
            assert not live.is_current()
            assert (live.last_good.title, leaves_out(live)) == ("Site", True)
    assert refresh(live) == ""
    assert (live.last_good.title, leaves_out(live, "new/s.md")) == ("New", True)


def test_writes_are_watched_where_files_are_of_another_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel does not say there whether a file is open, but what is written."""
    monkeypatch.setattr(write_monitor, "is_open_for_writing", lambda descriptor: None)
    write_files(tmp_path, {"mkdocs.yml": MKDOCS, "docs/priv/s.md": ""})
    clocks = [settled_clock, time.time]
    live = LiveConfiguration(
        lambda: read_configuration(tmp_path / "docs"), clock=lambda: clocks[-1]()
    )
    write_files(tmp_path, {"mkdocs.yml": f"{MKDOCS}# 1\n"})
    assert "being written" in refresh(live)
    clocks.pop()
    assert refresh(live) == ""
    with (tmp_path / "mkdocs.yml").open("w") as writer:
        writer.write("site_name: New\n")
        writer.flush()
        assert "being written" in refresh(live)
        assert leaves_out(live)
    assert refresh(live) == ""
    assert live.last_good.title == "New"


def test_a_file_of_the_future_is_read_when_it_stays_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a network drive with a clock that is ahead."""
    monkeypatch.setattr(write_monitor, "STILL_SECONDS", 0.0)
    write_files(tmp_path, {"mkdocs.yml": MKDOCS, "docs/priv/s.md": ""})
    live = LiveConfiguration(
        lambda: read_configuration(tmp_path / "docs"),
        uses_kernel_state=False,
        clock=lambda: 0.0,
    )
    write_files(tmp_path, {"mkdocs.yml": "site_name: New\n"})
    assert "being written" in refresh(live)
    assert refresh(live) == ""
    assert live.last_good.title == "New"


def test_without_the_kernel_a_file_must_be_still(tmp_path: Path) -> None:
    """For as long as a page, by the clock of the server."""
    write_files(tmp_path, {"mkdocs.yml": MKDOCS, "docs/priv/s.md": ""})
    now = settled_clock()
    live = LiveConfiguration(
        lambda: read_configuration(tmp_path / "docs"),
        uses_kernel_state=False,
        clock=lambda: now,
    )
    with (tmp_path / "mkdocs.yml").open("w") as file:
        file.write("site_name: New\n")
    now = os.stat(tmp_path / "mkdocs.yml").st_ctime
    assert "being written" in refresh(live)
    now += 1
    assert refresh(live) == ""
    assert live.last_good.title == "New"


def test_a_file_that_changes_while_it_is_read_is_read_again(tmp_path: Path) -> None:
    """What was read may be half of it."""
    write_files(tmp_path, {"mkdocs.yml": MKDOCS, "docs/priv/s.md": ""})
    writes: list[str] = []

    def configure() -> TreeConfiguration:
        found = read_configuration(tmp_path / "docs")
        for text in writes:
            (tmp_path / "mkdocs.yml").write_text(text)
        writes.clear()
        return found

    live = LiveConfiguration(configure, clock=settled_clock)
    (tmp_path / "mkdocs.yml").write_text("site_name: Half\n")
    writes.append(f"{MKDOCS}site_url: https://x.example\n")
    assert "being written" in refresh(live)
    assert leaves_out(live)
    assert refresh(live) == ""
    assert (live.last_good.site_url, leaves_out(live)) == ("https://x.example", True)


def test_a_file_that_is_missing_while_it_is_read_is_read_again(tmp_path: Path) -> None:
    """It is there before and after, as where git replaces it."""
    files = {".git/HEAD": "", ".gitignore": "priv/\n", "priv/s.md": ""}
    write_files(tmp_path, files)
    is_replaced = False

    def configure() -> TreeConfiguration:
        if not is_replaced:
            return read_configuration(tmp_path)
        (tmp_path / ".gitignore").unlink()
        found = read_configuration(tmp_path)
        write_files(tmp_path, files)
        return found

    live = LiveConfiguration(configure, clock=settled_clock)
    is_replaced = True
    live.refresh()
    assert live.fault is not None
    assert leaves_out(live)
    is_replaced = False
    assert refresh(live) == ""
    assert leaves_out(live)


def test_another_generator_or_folder_is_left_to_the_next_start(tmp_path: Path) -> None:
    """What it leaves out is not what the last one does."""
    files = {"mkdocs.yml": MKDOCS, "docs/priv/s.md": "", "_config.yml": "a: b\n"}
    write_files(tmp_path, {**files, "other/a.md": ""})
    live = follow(tmp_path / "docs")
    for text in ("# nothing\n", "site_name: X\ndocs_dir: other\n"):
        (tmp_path / "mkdocs.yml").write_text(text)
        assert "not used any more" in refresh(live)
        assert leaves_out(live)
    live = follow(tmp_path)
    assert live.last_good.root == tmp_path / "other"
    (tmp_path / "mkdocs.yml").write_text(MKDOCS)
    assert "in another folder: restart the server" in refresh(live)
    assert live.last_good.root == tmp_path / "other"
    assert refresh(live)


def test_what_a_configuration_consists_of_counts_too(tmp_path: Path) -> None:
    """Inherited files, patterns of git, and parts in files of their own."""
    files = {
        ".git/HEAD": "",
        ".gitignore": "/out/\n",
        "sub/.gitignore": "gone/\n",
        "base.yml": "exclude_docs: priv/\n",
        "mkdocs.yml": "INHERIT: base.yml\ndocs_dir: sub\n",
        "sub/a.md": "",
    }
    write_files(tmp_path, files)
    for name in ("base.yml", ".gitignore", "sub/.gitignore"):
        live = follow(tmp_path)
        good = live.last_good
        for is_there in (True, False):
            (tmp_path / name).write_text("") if is_there else (tmp_path / name).unlink()
            assert refresh(live)
            assert live.last_good is good
        write_files(tmp_path, {name: files[name]})
        assert refresh(live) == ""
    parts = {"hugo.toml": 'title = "x"\n', "languages.toml": "[de]\ndisabled = true\n"}
    site = tmp_path / "site"
    write_files(site, {f"config/_default/{name}": t for name, t in parts.items()})
    write_files(site, {"content/a.de.md": ""})
    live = follow(site / "content")
    assert leaves_out(live, "a.de.md")
    (site / "config/_default/languages.toml").unlink()
    assert "it cannot be read" in refresh(live)
    assert leaves_out(live, "a.de.md")


def test_files_that_leave_nothing_out_may_disappear(tmp_path: Path) -> None:
    """Labels of folders, and the patterns of a folder that disappears with them."""
    label = '{"label": "A"}'
    files = {
        ".git/HEAD": "",
        "docusaurus.config.js": "export default {presets: [['classic', {}]]}",
        "docs/a/_category_.json": label,
        "docs/b/.gitignore": "x.md\n",
    }
    write_files(tmp_path, files)
    live = follow(tmp_path)
    assert "a" in live.last_good.folders
    (tmp_path / "docs/a/_category_.json").unlink()
    (tmp_path / "docs/b/.gitignore").unlink()
    (tmp_path / "docs/b").rmdir()
    assert refresh(live) == ""
    assert live.last_good.folders == {}


def test_a_tree_that_began_without_pages_stays_so(tmp_path: Path) -> None:
    """While its unusable configuration is replaced; once it is good, it counts."""
    write_files(tmp_path, {"_config.yml": "a: [", "priv/s.md": ""})
    live = follow(tmp_path)
    assert leaves_out(live)
    (tmp_path / "_config.yml").unlink()
    assert "it cannot be read" in refresh(live)
    assert leaves_out(live)
    write_files(tmp_path, {"_config.yml": "exclude: [old]\n"})
    assert refresh(live) == ""
    assert not leaves_out(live)


def test_the_log_has_one_line(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """For as long as the same file is at fault."""
    write_files(tmp_path, {"mkdocs.yml": MKDOCS, "docs/priv/s.md": ""})
    live = follow(tmp_path / "docs")
    (tmp_path / "mkdocs.yml").unlink()
    with caplog.at_level(logging.WARNING):
        for number in range(3):
            write_files(tmp_path, {f"docs/{number}.md": ""})
            refresh(live)
            live.refresh()
    (record,) = caplog.records
    assert "the last one stays in effect" in record.getMessage()
    assert vars(record)["file"] == "../mkdocs.yml"
