"""Results are written whole or not at all."""

import errno
import os

import pytest

from consens import files as files_module
from consens.files import output_folder, present_folder, whole_folder, write_files


def test_writes_all_files_and_nothing_else(tmp_path):
    write_files(tmp_path, {"a.txt": "é\n", "b.txt": "2\r\n"})
    assert sorted(os.listdir(tmp_path)) == ["a.txt", "b.txt"]
    assert (tmp_path / "a.txt").read_bytes() == "é\n".encode()
    assert (tmp_path / "b.txt").read_bytes() == b"2\r\n"


def test_files_are_as_readable_as_any_other(tmp_path):
    write_files(tmp_path, {"a.txt": ""})
    (tmp_path / "plain").touch()
    assert (tmp_path / "a.txt").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.parametrize("blow", [KeyboardInterrupt, OSError("disk full")])
def test_interruption_keeps_the_former_files(tmp_path, monkeypatch, blow):
    write_files(tmp_path, {"a.txt": "old", "b.txt": "old"})
    synced = []

    def fsync(handle):
        synced.append(handle)
        if len(synced) == 2:
            raise blow

    monkeypatch.setattr(files_module.os, "fsync", fsync)
    with pytest.raises(type(blow) if isinstance(blow, OSError) else blow):
        write_files(tmp_path, {"a.txt": "new", "b.txt": "new"})
    assert sorted(os.listdir(tmp_path)) == ["a.txt", "b.txt"]
    assert (tmp_path / "a.txt").read_text() == (tmp_path / "b.txt").read_text() == "old"


def test_folder_is_made_with_its_parents(tmp_path):
    with output_folder(tmp_path / "a" / "b") as folder:
        assert os.listdir(folder) == []
    assert folder.is_dir()


def test_folder_made_in_vain_is_removed(tmp_path):
    (tmp_path / "a").mkdir()
    with pytest.raises(KeyboardInterrupt), output_folder(tmp_path / "a" / "b" / "c"):
        raise KeyboardInterrupt
    assert os.listdir(tmp_path) == ["a"]
    assert os.listdir(tmp_path / "a") == []


def test_folder_with_something_in_it_is_kept(tmp_path):
    with pytest.raises(ValueError, match="late"), output_folder(tmp_path / "a") as folder:
        (folder / "x").touch()
        raise ValueError("late")
    assert os.listdir(tmp_path / "a") == ["x"]


def test_a_file_is_in_the_way(tmp_path):
    (tmp_path / "a").touch()
    for path in (tmp_path / "a", tmp_path / "a" / "b"):
        with pytest.raises(OSError, match="cannot write into the folder .*a"):
            output_folder(path).__enter__()


def test_a_folder_is_in_the_way_of_a_file(tmp_path):
    (tmp_path / "labels.csv").mkdir()
    with pytest.raises(OSError, match="labels.csv: it is a folder"):
        output_folder(tmp_path, ("labels.csv",)).__enter__()


def test_a_folder_without_permission(tmp_path, monkeypatch):
    def refused(path):  # root, who runs many test machines, may write anywhere
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(files_module.Path, "touch", refused)
    with pytest.raises(OSError, match="cannot write into the folder .*out: Permission denied"):
        output_folder(tmp_path / "out").__enter__()
    assert os.listdir(tmp_path) == []


# ------------------------------------------------------------------------- whole folders


def write_folder(path, text):
    with whole_folder(path) as folder:
        (folder / "a.txt").write_text(text)


def read_folder(path):
    return {file.name: file.read_text() for file in present_folder(path).iterdir()}


@pytest.fixture(params=[True, False], ids=["exchange", "rename"])
def system(request, monkeypatch):
    """Systems that can exchange two folders, and others."""
    if not request.param:
        monkeypatch.setattr(files_module, "_exchange", lambda one, other: False)


@pytest.mark.usefixtures("system")
def test_a_folder_takes_the_place_of_another(tmp_path):
    for text in ("one", "two", "three"):
        write_folder(tmp_path / "x", text)
        assert read_folder(tmp_path / "x") == {"a.txt": text}
        assert os.listdir(tmp_path) == ["x"]


@pytest.mark.usefixtures("system")
def test_a_folder_that_fails_leaves_the_former_one(tmp_path):
    write_folder(tmp_path / "x", "old")
    with pytest.raises(KeyboardInterrupt), whole_folder(tmp_path / "x") as folder:
        (folder / "b.txt").write_text("new")
        raise KeyboardInterrupt
    assert read_folder(tmp_path / "x") == {"a.txt": "old"}
    assert os.listdir(tmp_path) == ["x"]


@pytest.mark.usefixtures("system")
def test_a_link_to_a_folder_stays_a_link(tmp_path):
    write_folder(tmp_path / "x", "old")
    (tmp_path / "link").symlink_to(tmp_path / "x")
    write_folder(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert read_folder(tmp_path / "x") == {"a.txt": "new"}
    assert sorted(os.listdir(tmp_path)) == ["link", "x"]


def test_a_replacement_that_was_cut_short(tmp_path):
    write_folder(tmp_path / "x", "old")
    (tmp_path / "x").rename(tmp_path / ".x.old")  # as if killed before the second rename
    assert read_folder(tmp_path / "x") == {"a.txt": "old"}
    with pytest.raises(ValueError, match="late"), whole_folder(tmp_path / "x"):
        raise ValueError("late")
    assert os.listdir(tmp_path) == ["x"]
    assert read_folder(tmp_path / "x") == {"a.txt": "old"}


def test_what_is_being_written_is_left_alone(tmp_path):
    left, busy = tmp_path / ".x.1.tmp", tmp_path / ".x.2.tmp"
    for folder in (left, busy):
        folder.mkdir()
        (folder / "a.txt").touch()
    lock = files_module._lock(busy)
    if lock is None:
        pytest.skip("folders cannot be locked here")
    write_folder(tmp_path / "x", "new")
    assert sorted(os.listdir(tmp_path)) == [busy.name, "x"]
    os.close(lock)
    write_folder(tmp_path / "x", "newer")
    assert os.listdir(tmp_path) == ["x"]


def test_leftovers_of_killed_processes_are_removed_when_old(tmp_path):
    old, young, other = (
        tmp_path / name for name in (".a.txt.1.tmp", ".a.txt.2.tmp", ".b.txt.1.tmp")
    )
    for path in (old, young, other):
        path.touch()
    for path in (old, other):
        os.utime(path, (1e9, 1e9))
    with output_folder(tmp_path, ("a.txt",)):
        assert sorted(tmp_path.iterdir()) == [young, other]


def test_a_rename_that_fails_is_undone(tmp_path, monkeypatch):
    monkeypatch.setattr(files_module, "_exchange", lambda one, other: False)
    write_folder(tmp_path / "x", "old")
    rename = files_module.Path.rename

    def refused(path, target):
        if path.name.endswith(".tmp"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return rename(path, target)

    monkeypatch.setattr(files_module.Path, "rename", refused)
    with pytest.raises(OSError, match="cannot write .*x: No space left on device"):
        write_folder(tmp_path / "x", "new")
    assert read_folder(tmp_path / "x") == {"a.txt": "old"}
    assert os.listdir(tmp_path) == ["x"]
