"""Writing results: the whole file or no file.  For all who write, so it imports nothing."""

import ctypes
import glob
import os
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

ABANDONED_AFTER = 3600  # seconds without a change; nothing of ours takes so long to write


@contextmanager
def output_folder(path: str | Path, names: tuple[str, ...] = ()) -> Iterator[Path]:
    """Make a folder and prove that it can be written, before long work starts.

    A folder made here is removed again when the work inside fails or is interrupted,
    provided that nothing was put into it.

    Parameters
    ----------
    path : path
        The folder; missing parents are made.
    names : tuple of str
        Files that will be written later; none may exist as a folder.

    Yields
    ------
    Path
        The folder.

    Raises
    ------
    OSError
        When the folder cannot be made or written; the message names it.
    """
    path = Path(path)
    with _made_if_missing(path):
        try:
            probe = _temporary(path / "consens")
            probe.touch()
            probe.unlink()
        except OSError as error:
            raise OSError(f"cannot write into the folder {path}: {error.strerror}") from error
        for name in names:
            if (path / name).is_dir():
                raise OSError(f"cannot write {path / name}: it is a folder")
            _remove_abandoned_files(path / name)
        yield path


@contextmanager
def _made_if_missing(path: Path) -> Iterator[None]:
    """Make a folder with its parents, and take away again those that nothing was put into."""
    made = [folder for folder in (path, *path.parents) if not folder.exists()]
    try:
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OSError(f"cannot write into the folder {path}: {error.strerror}") from error
        yield
    except BaseException:
        for folder in made:
            try:
                folder.rmdir()
            except OSError:
                break
        raise


def write_files(folder: str | Path, contents: Mapping[str, str]) -> None:
    """Write texts into files of a folder, each whole or not at all.

    All texts go to temporary names beside their targets and reach the disk before the
    first one takes its place, so that a full disk or an interruption leaves the former
    files as they were.

    Parameters
    ----------
    folder : path
        An existing folder.
    contents : mapping of str to str
        File name to text, written as UTF-8.
    """
    folder = Path(folder)
    pairs = [(_temporary(folder / name), folder / name) for name in contents]
    try:
        for (temporary, _), text in zip(pairs, contents.values(), strict=True):
            with open(temporary, "w", encoding="utf-8", newline="") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
        for temporary, target in pairs:
            os.replace(temporary, target)
    finally:
        for temporary, _ in pairs:
            temporary.unlink(missing_ok=True)


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file for writing that takes its name only when it is whole and on the disk.

    Parameters
    ----------
    path : Path
        In an existing folder.  A former file of this name stays until the new one is whole.

    Yields
    ------
    binary file
    """
    with whole_path(path) as temporary, open(temporary, "wb") as file:
        yield file


@contextmanager
def whole_path(path: Path) -> Iterator[Path]:
    """Give a path to write a file to, which then takes the place of `path`, as `whole_file`."""
    temporary = _temporary(path)
    try:
        yield temporary
        _reach_disk(temporary)
        os.replace(temporary, path)
    except OSError as error:
        raise OSError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def whole_folder(path: str | Path) -> Iterator[Path]:
    """Make a folder that takes its name only when all its files are whole and on the disk.

    A former folder of this name stays until then, and is gone afterwards.  Where the system can
    exchange two folders (Linux), one of the two has the name at every moment.  Elsewhere there
    is a moment in which the former one is only found by `present_folder`.

    Parameters
    ----------
    path : path
        Missing parents are made.  What is there must be a folder, all of which may go.

    Yields
    ------
    Path
        An empty folder to put files into.

    Raises
    ------
    OSError
        When something cannot be written; the message names the folder.
    """
    path = Path(os.path.realpath(path))
    with _made_if_missing(path.parent):
        _bring_back(path)
        _remove_abandoned(path)
        temporary, lock = _temporary(path), None
        try:
            temporary.mkdir()
            lock = _lock(temporary)
            yield temporary
            for name in os.listdir(temporary):
                _reach_disk(temporary / name)
            _reach_disk(temporary)
            _take_place(temporary, path)
            _reach_disk(path.parent)
        except OSError as error:
            raise OSError(f"cannot write {path}: {error.strerror or error}") from error
        finally:
            # what has this name now is either unfinished or no longer wanted
            shutil.rmtree(temporary, ignore_errors=True)
            if lock is not None:
                os.close(lock)


def present_folder(path: str | Path) -> Path:
    """Where the folder is that `whole_folder` wrote, even if replacing it was cut short."""
    path = Path(os.path.realpath(path))
    # the second look at the path is for one that was put in place between the first two
    return next((found for found in (path, _aside(path), path) if found.exists()), path)


def _take_place(new: Path, path: Path) -> None:
    if not path.exists():
        new.rename(path)
    elif not _exchange(new, path):
        aside = _aside(path)
        shutil.rmtree(aside, ignore_errors=True)  # of a replacement that was nearly finished
        path.rename(aside)
        try:
            new.rename(path)
        except BaseException:
            _bring_back(path)
            raise
        shutil.rmtree(aside, ignore_errors=True)


def _exchange(one: Path, other: Path) -> bool:
    """Let two folders change names in one step, if the system and its disk can."""
    here, exchange = -100, 2  # AT_FDCWD and RENAME_EXCHANGE of Linux
    try:
        call = ctypes.CDLL(None).renameat2
    except (AttributeError, OSError, TypeError):
        return False
    return call(here, os.fsencode(one), here, os.fsencode(other), exchange) == 0


def _bring_back(path: Path) -> None:
    """Undo a replacement that was cut short before the new folder had its place."""
    present = present_folder(path)
    if present != path:
        present.rename(path)


def _remove_abandoned(path: Path) -> None:
    """Remove what processes that were killed left beside a folder."""
    for left in path.parent.glob(f".{glob.escape(path.name)}.*.tmp"):
        with suppress(OSError):
            lock = _lock(left)
            if lock is not None:
                os.close(lock)
            if lock is not None or time.time() - left.stat().st_mtime > ABANDONED_AFTER:
                shutil.rmtree(left, ignore_errors=True)


def _remove_abandoned_files(path: Path) -> None:
    """Remove what processes that were killed left beside a file."""
    for left in path.parent.glob(f".{glob.escape(path.name)}.*.tmp"):
        with suppress(OSError):
            if left.is_file() and time.time() - left.stat().st_mtime > ABANDONED_AFTER:
                left.unlink()


def _lock(folder: Path) -> int | None:
    """Mark a folder as being written, as long as this process lives; None where it cannot be.

    A folder that another process has marked gives None as well.
    """
    try:
        import fcntl
    except ImportError:  # not on Windows
        return None
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle


def _reach_disk(path: Path) -> None:
    if os.name == "nt" and path.is_dir():  # folders cannot be opened there
        return
    handle = os.open(path, os.O_RDONLY if os.name != "nt" else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _aside(path: Path) -> Path:
    return path.with_name(f".{path.name}.old")


def _temporary(target: Path) -> Path:
    # not tempfile: its files are private to the user, and the rename would keep that
    return target.with_name(f".{target.name}.{os.getpid()}.tmp")
