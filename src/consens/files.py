"""Write files whole or not at all, in sets that appear together, by one run at a time.

Whatever is written goes first into a private folder beside its target, the *stage*, whose random
name ends in ``.tmp``.  A single file moves from there in one step.  A set is committed by renaming
its stage to end in ``.commit``; then its entries move one by one.  Of a run that was killed, the
next one in the same place removes the stage, or finishes the moves if the set was committed.
This module imports nothing of the package.
"""

import ctypes
import errno
import glob
import os
import shutil
import socket
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

PREFIX = ".consens-"
STAGED, COMMITTED, LOCKED = ".tmp", ".commit", ".lock"
ABANDONED_AFTER = 3600  # seconds without a change, for systems that cannot lock files

_held: set[Path] = set()  # outputs that this process has locked


@contextmanager
def output_folder(
    path: str | Path, names: Iterable[str] = (), *, folders: Iterable[str] = ()
) -> Iterator[Path]:
    """Make a folder, prove that it can be written, and lock what will be written into it.

    Meant to enclose the whole run, so that a failure shows before long work starts.  A folder
    made here is removed again when the run fails and left nothing in it.

    Parameters
    ----------
    path : path
        The folder; missing parents are made.
    names : iterable of str
        Files that will be written; none may exist as a folder.
    folders : iterable of str
        Folders that will be written.

    Yields
    ------
    Path
        The folder.

    Raises
    ------
    OSError
        When the folder cannot be made or written, or another run writes there; the message names
        it, and the process that does.
    """
    path = Path(path)
    with ExitStack() as stack:
        stack.enter_context(_made_if_missing(path))
        try:
            os.rmdir(tempfile.mkdtemp(STAGED, PREFIX, path))
        except OSError as error:
            raise OSError(f"cannot write into the folder {path}: {error.strerror}") from error
        for name in names:
            _refuse_folder(path / name)
            stack.enter_context(_locked(path / name))
        for name in folders:
            stack.enter_context(_locked(path / name))
        recover(path)
        yield path


@contextmanager
def file_set(folder: str | Path) -> Iterator[Path]:
    """Give a folder for files, and folders, that then take their places together.

    Parameters
    ----------
    folder : path
        Where they go; it exists.  What is there stays until the whole set is on the disk.

    Yields
    ------
    Path
        An empty, private folder.  Whatever is in it at the end goes by the same name into
        `folder`; after an exception nothing does.

    Raises
    ------
    OSError
        When something cannot be written; the message names it.
    """
    folder = Path(folder)
    stage, lock = _new_stage(folder)
    try:
        yield stage
        _commit(stage, folder)
    except OSError as error:
        name = error.filename if isinstance(error.filename, str) else ""
        if not name.startswith(f"{stage}{os.sep}"):
            name = str(stage / next(iter(sorted(os.listdir(stage))), "")) if stage.exists() else ""
        text = f"cannot write {name or folder}: {error.strerror}" if error.strerror else str(error)
        raise OSError(text.replace(stage.name + os.sep, "")) from error
    finally:
        try:
            shutil.rmtree(stage, ignore_errors=True)
        finally:
            if lock is not None:
                os.close(lock)


def write_files(folder: str | Path, contents: Mapping[str, str]) -> None:
    """Write texts into files of a folder, all of them or none.

    Parameters
    ----------
    folder : path
        An existing folder.
    contents : mapping of str to str
        File name to text, written as UTF-8.
    """
    recover(Path(folder))
    with file_set(folder) as stage:
        for name, text in contents.items():
            (stage / name).write_text(text, encoding="utf-8", newline="")


@contextmanager
def whole_path(path: Path) -> Iterator[Path]:
    """Give a path to write a file to, which takes the place of `path` when it is on the disk.

    Parameters
    ----------
    path : Path
        In an existing folder.  A former file of this name stays until the new one is whole.
    """
    with file_set(path.parent) as stage:
        yield stage / path.name


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file for writing that takes its name when it is whole, as `whole_path`."""
    with whole_path(path) as staged, open(staged, "wb") as file:
        yield file


@contextmanager
def whole_folder(path: str | Path) -> Iterator[Path]:
    """Give an empty folder to put files into, which takes the place of `path` when all are whole.

    Where the system can exchange two folders (Linux), the former or the new one has the name at
    every moment.  Elsewhere there is a moment in which only `present_folder` finds the new one.

    Parameters
    ----------
    path : path
        Missing parents are made.  What is there must be a folder, all of which may go.

    Raises
    ------
    OSError
        When something cannot be written; the message names the folder.
    """
    path = Path(os.path.realpath(path))
    with _made_if_missing(path.parent):
        recover(path.parent)
        with file_set(path.parent) as stage:
            inside = stage / path.name
            inside.mkdir()
            yield inside


def present_folder(path: str | Path) -> Path:
    """Where the folder is that `whole_folder` wrote, even if replacing it was cut short."""
    path = Path(os.path.realpath(path))
    if path.exists():
        return path
    pattern = f"{PREFIX}*{COMMITTED}/{glob.escape(path.name)}"
    # when there is none, it was put in place between the two looks, or never was
    return next(path.parent.glob(pattern), path)


def recover(folder: Path) -> None:
    """Finish or undo what killed processes left in a folder."""
    for left in folder.glob(f"{PREFIX}*"):
        with suppress(OSError):
            if left.suffix not in (STAGED, COMMITTED, LOCKED):
                continue
            handle = os.open(left, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
            try:
                free = _lock(handle)
                if free is None:
                    free = time.time() - left.stat().st_mtime > ABANDONED_AFTER
                if free and left.suffix == LOCKED:
                    left.unlink()
                elif free:
                    if left.suffix == COMMITTED:
                        with suppress(OSError):
                            _install(left, folder)
                    _discard(left)
            finally:
                os.close(handle)


# ------------------------------------------------------------------------------------- stages


def _new_stage(folder: Path) -> tuple[Path, int | None]:
    """Make a stage, and lock it as long as this process lives."""
    while True:
        # private to the user: nobody else can put a link in the way of what is written
        stage = Path(tempfile.mkdtemp(STAGED, PREFIX, folder))
        if os.name == "nt":  # folders cannot be opened there
            return stage, None
        with suppress(FileNotFoundError):
            handle = os.open(stage, os.O_RDONLY)
            if _lock(handle) is not False and stage.exists():
                return stage, handle
            os.close(handle)  # another process took it for abandoned before it was locked


def _commit(stage: Path, folder: Path) -> None:
    names = os.listdir(stage)
    inodes = [(stage / name).stat().st_ino for name in names if (stage / name).is_dir()]
    for name in names:
        if not (stage / name).is_dir():
            _refuse_folder(folder / name)
    for inode in inodes:
        (stage / f"{PREFIX}{inode}").touch()
    for place, inner, files in os.walk(stage):
        for name in [*inner, *files]:
            _reach_disk(Path(place, name))
    if len(names) == 1 and not inodes:
        os.replace(stage / names[0], folder / names[0])
    elif names:
        _reach_disk(stage)
        committed = stage.with_suffix(COMMITTED)
        os.rename(stage, committed)
        _reach_disk(folder)
        try:
            _install(committed, folder)
        except BaseException:
            with suppress(OSError):
                _install(committed, folder)
            raise
        finally:
            _discard(committed)
    _reach_disk(folder)


def _install(committed: Path, folder: Path) -> None:
    """Move the entries of a committed set into place; those that are there already stay."""
    for name in sorted(os.listdir(committed)):
        source, target = committed / name, folder / name
        if name.startswith(PREFIX):
            continue
        if source.is_dir() and target.is_dir():
            installed = f"{PREFIX}{target.stat().st_ino}"  # after an exchange the source is old
            if (committed / installed).exists() or _exchange(source, target):
                continue
            target.rename(committed / f"{PREFIX}{os.urandom(8).hex()}")
        os.replace(source, target)


def _discard(stage: Path) -> None:
    """Remove a stage; one half removed must not be taken for a set to install."""
    discarded = stage.with_suffix(STAGED)
    with suppress(OSError):
        os.replace(stage, discarded)
    shutil.rmtree(discarded, ignore_errors=True)


def _exchange(one: Path, other: Path) -> bool:
    """Let two folders change names in one step, if the system and its disk can."""
    here, exchange = -100, 2  # AT_FDCWD and RENAME_EXCHANGE of Linux
    try:
        call = ctypes.CDLL(None).renameat2
    except (AttributeError, OSError, TypeError):
        return False
    return call(here, os.fsencode(one), here, os.fsencode(other), exchange) == 0


def _reach_disk(path: Path) -> None:
    if os.name == "nt" and path.is_dir():  # folders cannot be opened there
        return
    handle = os.open(path, os.O_RDONLY if os.name != "nt" else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# ------------------------------------------------------------------------- folders and locks


@contextmanager
def _made_if_missing(path: Path) -> Iterator[None]:
    """Make a folder with its parents; after a failure, remove those that are still empty."""
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


def _refuse_folder(path: Path) -> None:
    if path.is_dir():
        raise OSError(f"cannot write {path}: it is a folder")


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Keep other processes from writing `path`; the lock of a killed process counts no more."""
    key = Path(os.path.realpath(path))
    if key in _held:
        yield
        return
    lock = path.with_name(f"{PREFIX}{path.name}{LOCKED}")
    handle = _take_lock(path, lock)
    _held.add(key)
    try:
        yield
    finally:
        _held.discard(key)
        if os.name != "nt":
            lock.unlink(missing_ok=True)
        os.close(handle)


def _take_lock(path: Path, lock: Path) -> int:
    while True:
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        handle = os.open(lock, flags, 0o644)
        if _lock(handle) is False:
            holder = os.read(handle, 200).decode(errors="replace") or "another process"
            os.close(handle)
            raise OSError(
                f"{path} is being written by {holder}; wait until that ends, or write elsewhere"
            )
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(handle), os.stat(lock)):
                break
        os.close(handle)  # the process that held the lock has removed it meanwhile
    since = time.strftime("%Y-%m-%d %H:%M:%S")
    holder = f"process {os.getpid()} on {socket.gethostname()} since {since}"
    try:
        os.ftruncate(handle, 0)
        os.write(handle, holder.encode())
    except OSError as error:
        lock.unlink()
        os.close(handle)
        raise OSError(f"cannot write {path}: {error.strerror}") from error
    return handle


def _lock(handle: int) -> bool | None:
    """Lock an open file; False if another process has, None where files cannot be locked."""
    try:
        import fcntl
    except ImportError:  # not on Windows
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return False if error.errno in (errno.EWOULDBLOCK, errno.EACCES) else None
    return True
