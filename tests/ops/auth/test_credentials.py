"""Tests of files with credentials that other users can change or read."""

import grp
import logging
import os
import pwd
from pathlib import Path

import pytest

from asdlc_kb.exceptions import OperationalError
from asdlc_kb.ops.auth.credentials import MAX_BYTES, find_exposure, read_credentials

US = os.geteuid()
OTHER_USER = US + 4321


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file that only its owner can read and write."""
    path = tmp_path / "session.key"
    path.write_bytes(b"k" * 32)
    path.chmod(0o600)
    return path


@pytest.mark.parametrize("mode", [0o400, 0o440, 0o444, 0o600, 0o640, 0o644])
def test_a_file_that_others_only_read_is_read(file: Path, mode: int) -> None:
    """Kubernetes mounts 0440 or 0644, systemd 0400, Docker 0444."""
    file.chmod(mode)
    assert read_credentials(file) == b"k" * 32
    assert read_credentials(file, is_secret=True) == b"k" * 32


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o660, 0o666])
@pytest.mark.parametrize("is_secret", [True, False])
def test_a_file_that_others_can_write_is_refused(
    file: Path, mode: int, is_secret: bool
) -> None:
    """D-080: by group or by all, whatever is in it; the error says what to do."""
    file.chmod(mode)
    with pytest.raises(OperationalError) as caught:
        read_credentials(file, is_secret=is_secret)
    assert str(caught.value) == (
        f"{file}: other users can write it (mode {mode:04o}): chmod go-w {file}"
    )


def test_a_file_in_a_folder_that_all_can_write_is_refused(file: Path) -> None:
    """D-080: others could replace it; not where a sticky bit prevents that."""
    file.parent.chmod(0o777)
    with pytest.raises(
        OperationalError, match=r"other users can write .* \(mode 0777\) and replace it"
    ):
        read_credentials(file)
    file.parent.chmod(0o1777)
    assert read_credentials(file)


def test_each_folder_and_link_on_the_way_is_judged(file: Path) -> None:
    """D-080: a folder above can be renamed, and a link can be redirected."""
    deep = file.parent / "shared" / "in"
    deep.mkdir(parents=True)
    real = file.rename(deep / "key")
    link = file.parent / "link"
    link.symlink_to("shared/../shared/in/key")
    for path in (real, link):
        deep.parent.chmod(0o755)
        assert read_credentials(path)
        deep.parent.chmod(0o757)
        with pytest.raises(OperationalError, match=f"can write {deep.parent} "):
            read_credentials(path)
    deep.parent.chmod(0o755)
    if US == 0:
        os.chown(link, OTHER_USER, -1, follow_symlinks=False)
        with pytest.raises(OperationalError, match=f"user {OTHER_USER} owns {link}"):
            read_credentials(link)
        assert read_credentials(real)


def test_a_folder_of_a_group_is_trusted_only_if_the_group_has_no_other_members(
    file: Path,
) -> None:
    """Homes are 0775 where each user has a group of that name."""
    group = OTHER_USER if US == 0 else os.getegid()
    name = pwd.getpwuid(US).pw_name
    if US == 0:
        file.parent.chmod(0o775)
        assert read_credentials(file)
        os.chown(file.parent, -1, group)
    elif grp.getgrgid(group).gr_name == name:
        pytest.skip("needs root to give a folder to another group")
    file.parent.chmod(0o775)
    with pytest.raises(OperationalError, match="mode 0775"):
        read_credentials(file)


def test_a_file_of_another_user_is_refused(file: Path) -> None:
    """Its owner can always write it; root and the user of this process are trusted."""
    found = find_exposure(file, is_secret=False, user=OTHER_USER)
    if US == 0:
        # What is root's is trusted by everybody.
        assert found is None
        os.chown(file, OTHER_USER, -1)
        found = find_exposure(file, is_secret=False)
    assert found is not None
    assert found.can_change
    assert found.reason.endswith("owns it, not root or the current user")


def test_the_links_of_a_cluster_lead_to_the_file_that_counts(file: Path) -> None:
    """Kubernetes: key -> ..data/key -> ..2026/key, in a folder of mode 1777."""
    mount = file.parent / "mount"
    (mount / "..2026").mkdir(parents=True)
    file.rename(mount / "..2026" / "key")
    (mount / "..data").symlink_to("..2026")
    (mount / "key").symlink_to("..data/key")
    mount.chmod(0o1777)
    assert read_credentials(mount / "key")


def test_only_a_secret_that_all_can_read_is_warned_of(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Digests of tokens and public keys are useless to readers."""
    for mode, is_secret in ((0o644, False), (0o640, True), (0o600, True)):
        file.chmod(mode)
        read_credentials(file, is_secret=is_secret)
    assert not caplog.records
    file.chmod(0o644)
    read_credentials(file, is_secret=True)
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert vars(record)["file"] == str(file)
    assert "kkk" not in caplog.text


def test_a_pipe_is_read(tmp_path: Path) -> None:
    """The shell's <(command) is a file without a folder."""
    read, write = os.pipe()
    os.write(write, b"k" * 32)
    os.close(write)
    assert read_credentials(Path(f"/dev/fd/{read}"), is_secret=True) == b"k" * 32
    os.close(read)


def test_a_file_that_is_too_large_is_refused(file: Path) -> None:
    """A file named by mistake is not read into memory."""
    file.write_bytes(b"k" * (MAX_BYTES + 1))
    with pytest.raises(OperationalError, match="it is larger than 1,048,576 bytes"):
        read_credentials(file)


def test_a_pipe_that_has_nothing_is_refused(tmp_path: Path) -> None:
    """A reload must not wait for a writer that may never come."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe, 0o600)
    with pytest.raises(OperationalError, match="nothing can be read from it"):
        read_credentials(pipe)
