"""Atomic writing of files, of folders, and of sets of them, with locks against other runs.

Output is first written to a private folder next to its target, the *stage*, whose random name
ends in ``.tmp``.  A single file is moved into place in one step.  A set is committed by renaming
its stage to end in ``.commit``; then its entries are moved one by one.  A set that spans several
folders has a stage in each; the stages refer to each other, and the first one commits them all.
After a killed run, the next run in any of these folders removes the stages, or completes the
moves if the set was committed.  This package imports no other package of consens.
"""

import ctypes
import glob
import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from consens._support.files._locks import LOCKED, PREFIX, lock_file, locked

STAGED, COMMITTED = ".tmp", ".commit"
OTHERS = f"{PREFIX}others"  # file in a stage: paths of the other stages of its set
ABANDONED_AFTER = 3600  # seconds without a change, for systems that cannot lock files


@contextmanager
def output_folder(
    path: str | Path, names: Iterable[str] = (), *, folders: Iterable[str] = ()
) -> Iterator[Path]:
    """Create a folder, check that it is writable, and lock the outputs of a run.

    Enclose the whole run, so that it fails before long work starts: the OSError names the
    folder, and the process that is writing there, if any.  Missing parents are created; after a
    failure, folders created here are removed if they are empty.  `names` are the files to be
    written, none of which may exist as a folder; `folders` are the folders to be written.
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
            stack.enter_context(locked(path / name))
        for name in folders:
            stack.enter_context(locked(path / name))
        recover(path)
        yield path


@contextmanager
def file_set(folder: str | Path) -> Iterator[Path]:
    """Yield an empty, private folder whose files and folders then replace those in `folder`.

    The entries are moved together at the end, under the same names, into `folder`, which must
    exist; former ones stay until the whole set is on the disk.  After an exception nothing is
    moved.  An OSError names the file that cannot be written.
    """
    with file_sets([folder]) as [stage]:
        yield stage


@contextmanager
def file_sets(folders: Sequence[str | Path]) -> Iterator[list[Path]]:
    """Yield one such folder for each of several, as `file_set`; all files form one set."""
    stages: list[Path] = []
    with ExitStack() as stack:
        stack.callback(_clear, stages)
        for folder in folders:
            stage, lock = _new_stage(Path(folder))
            stages.append(stage)
            if lock is not None:
                stack.callback(os.close, lock)
        try:
            yield stages
            _commit(stages)
        except OSError as error:
            raise _with_file_name(error, stages) from error


def write_files(folder: str | Path, contents: Mapping[str, str]) -> None:
    """Write all texts (file name to content) into an existing folder, or none."""
    recover(Path(folder))
    with file_set(folder) as stage:
        for name, text in contents.items():
            (stage / name).write_text(text, encoding="utf-8", newline="")


@contextmanager
def whole_path(path: Path) -> Iterator[Path]:
    """Yield a temporary path for a file that replaces `path` once it is on the disk."""
    with file_set(path.parent) as stage:
        yield stage / path.name


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file for writing that replaces `path` once it is complete, as `whole_path`."""
    with whole_path(path) as staged, open(staged, "wb") as file:
        yield file


@contextmanager
def whole_folder(path: str | Path) -> Iterator[Path]:
    """Yield an empty folder that replaces `path`, a folder or nothing, once it is complete.

    Where the system can exchange two folders (Linux), the old or the new one has the name at
    every moment.  Elsewhere there is a moment in which only `present_folder` finds the new one.
    Missing parents are created.
    """
    path = Path(os.path.realpath(path))
    with _made_if_missing(path.parent):
        recover(path.parent)
        with file_set(path.parent) as stage:
            inside = stage / path.name
            inside.mkdir()
            yield inside


def present_folder(path: str | Path) -> Path:
    """Return where the folder is that `whole_folder` wrote, even if the run was killed."""
    path = Path(os.path.realpath(path))
    if path.exists():
        return path
    pattern = f"{PREFIX}*{COMMITTED}/{glob.escape(path.name)}"
    # if there is none, it was moved into place after the check above, or never existed
    return next(path.parent.glob(pattern), path)


def recover(folder: Path) -> None:
    """Finish or undo the work of killed processes of this user in a folder."""
    for left in folder.glob(f"{PREFIX}*"):
        with suppress(OSError):
            if left.suffix not in (STAGED, COMMITTED, LOCKED):
                continue
            handle = os.open(left, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
            try:
                if _abandoned(handle):
                    left.unlink() if left.suffix == LOCKED else _finish_or_undo(left)
            finally:
                os.close(handle)


def _abandoned(handle: int) -> bool:
    """Whether an open file belongs to this user, but to no living process."""
    state = os.fstat(handle)
    if os.name != "nt" and state.st_uid != os.geteuid():
        return False
    free = lock_file(handle)
    return time.time() - state.st_mtime > ABANDONED_AFTER if free is None else free


def _finish_or_undo(left: Path) -> None:
    """Finish a committed set, or undo any other."""
    if left.suffix == COMMITTED:
        with suppress(OSError):
            _install(left)
        _remove(left)
        return
    for other in _other_stages(left):
        if other.suffix == COMMITTED and other.exists():
            recover(other.parent)
            if other.exists():  # another process is finishing it
                return
    shutil.rmtree(left, ignore_errors=True)


# ------------------------------------------------------------------------------------- stages


def _new_stage(folder: Path) -> tuple[Path, int | None]:
    """Create a stage that is locked while this process lives."""
    while True:
        # private to the user, so that nobody else can place a link in it
        stage = Path(tempfile.mkdtemp(STAGED, PREFIX, folder))
        if os.name == "nt":  # folders cannot be opened there
            return stage, None
        with suppress(FileNotFoundError):
            handle = os.open(stage, os.O_RDONLY)
            if lock_file(handle) is not False and stage.exists():
                return stage, handle
            os.close(handle)  # another process removed it as abandoned before it was locked


def _clear(stages: Sequence[Path]) -> None:
    """Remove stages, unless they hold a committed set that could not be installed."""
    if not any(stage.with_suffix(COMMITTED).exists() for stage in stages):
        for stage in stages:
            shutil.rmtree(stage, ignore_errors=True)


def _commit(stages: Sequence[Path]) -> None:
    """Move the entries of all stages into the parent folders, or none."""
    stages = [stage for stage in stages if os.listdir(stage)]
    for stage in stages:
        _prepare(stage)
    names = [stage / name for stage in stages for name in os.listdir(stage)]
    if len(names) == 1:
        os.replace(names[0], stages[0].parent / names[0].name)
    elif names:
        committed = stages[0].with_suffix(COMMITTED)
        for stage in stages:
            if len(stages) > 1:
                others = stages[1:] if stage == stages[0] else [committed]
                paths = [os.fsencode(os.path.realpath(other)) for other in others]
                (stage / OTHERS).write_bytes(b"\0".join(paths))
                _flush_to_disk(stage / OTHERS)
            _flush_to_disk(stage)
            _flush_to_disk(stage.parent)
        os.rename(stages[0], committed)
        _flush_to_disk(committed.parent)
        try:
            _install(committed)
        except BaseException:
            _install(committed)  # if that fails too, the next run completes it
            _remove(committed)
            raise
        _remove(committed)
    for stage in stages:
        _flush_to_disk(stage.parent)


def _prepare(stage: Path) -> None:
    """Flush the content of a stage to the disk, and check that it can be moved."""
    for name in os.listdir(stage):
        if (stage / name).is_dir():
            (stage / f"{PREFIX}{(stage / name).stat().st_ino}").touch()
        else:
            _refuse_folder(stage.parent / name)
    for place, inner, files in os.walk(stage):
        for name in [*inner, *files]:
            _flush_to_disk(Path(place, name))


def _other_stages(stage: Path) -> list[Path]:
    """Return the other stages of a set: all of them for the first stage, else the first."""
    with suppress(FileNotFoundError):
        paths = (stage / OTHERS).read_bytes().split(b"\0")
        return [Path(os.fsdecode(path)) for path in paths]
    return []


def _install(committed: Path) -> None:
    """Move the entries of a committed set into place, except those moved before."""
    for stage in (*_other_stages(committed), committed):
        for name in sorted(os.listdir(stage)) if stage.is_dir() else ():
            if not name.startswith(PREFIX):
                _move(stage, name)


def _move(stage: Path, name: str) -> None:
    source, target = stage / name, stage.parent / name
    if source.is_dir() and target.is_dir():
        # after an exchange, the source is the old folder
        installed = f"{PREFIX}{target.stat().st_ino}"
        if (stage / installed).exists() or _exchange(source, target):
            return
        target.rename(stage / f"{PREFIX}{os.urandom(8).hex()}")
    os.replace(source, target)


def _remove(committed: Path) -> None:
    """Remove the stages of an installed set, with the folders that it replaced."""
    others = _other_stages(committed)
    done = committed.with_suffix(STAGED)
    os.rename(committed, done)  # so that nothing is installed again, in whatever order they go
    for stage in (*others, done):
        shutil.rmtree(stage, ignore_errors=True)


def _with_file_name(error: OSError, stages: Sequence[Path]) -> OSError:
    """Return the error with the name of the file that could not be written."""
    text = str(error)
    if error.strerror:
        name = error.filename if isinstance(error.filename, str) else ""
        if not any(name.startswith(f"{stage}{os.sep}") for stage in stages):
            inside = [path for stage in stages for path in sorted(stage.glob("*"))]
            name = str(inside[0] if inside else stages[0].parent)
        text = f"cannot write {name}: {error.strerror}"
    for stage in stages:
        text = text.replace(stage.name + os.sep, "")
    return OSError(text)


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two folders atomically, if the system and the disk can."""
    here, exchange = -100, 2  # AT_FDCWD and RENAME_EXCHANGE of Linux
    try:
        call = ctypes.CDLL(None).renameat2
    except (AttributeError, OSError, TypeError):
        return False
    return call(here, os.fsencode(one), here, os.fsencode(other), exchange) == 0


def _flush_to_disk(path: Path) -> None:
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
    """Create a folder and its parents; after a failure, remove those that are empty."""
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
