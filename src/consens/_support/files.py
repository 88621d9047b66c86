"""Atomic writing: results are written beside their place, flushed, and renamed into it.

Output goes to a private folder next to its target, the *stage*, whose random name ends in
``.tmp``.  A single file is then moved into place in one step.  Several entries are committed by
renaming their stage to end in ``.commit``, and moved one by one; after a killed run, the next one
in the same folder finishes the moves.  This module imports no other module of consens.
"""

import glob
import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

PREFIX, STAGED, COMMITTED = ".consens-", ".tmp", ".commit"
ABANDONED_AFTER = 86400  # seconds without a change after which a stage is removed


@contextmanager
def output_folder(path: str | Path, names: Iterable[str] = ()) -> Iterator[Path]:
    """Create a folder and check that it is writable.

    Enclose the whole run, so that it fails before long work starts; the OSError names the folder.
    Missing parents are created; after a failure, folders created here are removed if they are
    empty.  `names` are the files to be written, none of which may exist as a folder.
    """
    path = Path(path)
    made = [folder for folder in (path, *path.parents) if not folder.exists()]
    try:
        with _naming_folder(path):
            path.mkdir(parents=True, exist_ok=True)
        os.rmdir(_new_stage(path))
        for name in names:
            _refuse_folder(path / name)
        recover(path)
        yield path
    except BaseException:
        with suppress(OSError):
            for folder in made:
                folder.rmdir()
        raise


@contextmanager
def file_set(folder: str | Path) -> Iterator[Path]:
    """Yield an empty, private folder whose files and folders then replace those in `folder`.

    The entries are moved together at the end, under the same names, into `folder`, which must
    exist; former ones stay until the whole set is on the disk.  After an exception nothing is
    moved.  An OSError names the file that cannot be written.
    """
    recover(Path(folder))
    stage = _new_stage(Path(folder))
    try:
        yield stage
        _commit(stage)
    except OSError as error:
        raise _with_file_name(error, stage) from error
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def write_files(folder: str | Path, contents: Mapping[str, str | bytes]) -> None:
    """Write all files (name to content) into an existing folder, or none."""
    with file_set(folder) as stage:
        for name, content in contents.items():
            if isinstance(content, str):  # names of files in it need not be valid Unicode
                content = content.encode("utf-8", "surrogateescape")
            (stage / name).write_bytes(content)


@contextmanager
def whole_path(path: Path) -> Iterator[Path]:
    """Yield a temporary path for a file that replaces `path` once it is on the disk."""
    with file_set(path.parent) as stage:
        yield stage / path.name


@contextmanager
def whole_folder(path: str | Path) -> Iterator[Path]:
    """Yield an empty folder that replaces `path`, a folder or nothing, once it is complete.

    Between two renames there is a moment in which only `present_folder` finds the new one.
    Missing parents are created.
    """
    path = Path(os.path.realpath(path))
    with output_folder(path.parent), file_set(path.parent) as stage:
        inside = stage / path.name
        inside.mkdir()
        yield inside


def as_path(path: Any, name: str = "path") -> Path:
    """Check and convert the path of a file or folder."""
    if not isinstance(path, str | Path):
        raise TypeError(f"{name}={path!r}; expected a str or a pathlib.Path")
    return Path(path)


def present_folder(path: str | Path) -> Path:
    """Return where the folder is that `whole_folder` wrote, even if the run was killed."""
    path = Path(os.path.realpath(as_path(path)))
    if path.exists():
        return path
    pattern = f"{PREFIX}*{COMMITTED}/{glob.escape(path.name)}"
    # if there is none, it was moved into place after the check above, or never existed
    return next(path.parent.glob(pattern), path)


def recover(folder: Path) -> None:
    """Finish or remove what killed processes of this user left in a folder."""
    for left in folder.glob(f"{PREFIX}*"):
        with suppress(OSError):
            state = left.lstat()
            if os.name != "nt" and state.st_uid != os.geteuid():
                continue
            if left.suffix == COMMITTED:
                _install(left)
            elif left.suffix == STAGED and time.time() - state.st_mtime > ABANDONED_AFTER:
                shutil.rmtree(left)


def _new_stage(folder: Path) -> Path:
    """Make a folder private to the user, so that nobody else can place a link in it."""
    with _naming_folder(folder):
        return Path(tempfile.mkdtemp(STAGED, PREFIX, folder))


@contextmanager
def _naming_folder(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OSError(f"cannot write into the folder {folder}: {error.strerror}") from error


def _commit(stage: Path) -> None:
    """Move the entries of a stage into its parent folder, or none."""
    names = os.listdir(stage)
    for name in names:
        if not (stage / name).is_dir():
            _refuse_folder(stage.parent / name)
    for place, _, files in os.walk(stage, topdown=False):
        for name in files:
            _flush_to_disk(Path(place, name))
        _flush_to_disk(Path(place))
    if len(names) == 1 and not (stage / names[0]).is_dir():
        os.replace(stage / names[0], stage.parent / names[0])
    else:
        committed = stage.rename(stage.with_suffix(COMMITTED))
        try:
            _install(committed)
        except BaseException:  # finish after an interrupt; if this fails too, the next run does
            _install(committed)
            raise
    _flush_to_disk(stage.parent)


def _install(committed: Path) -> None:
    """Move the entries of a committed set into place, except those moved before."""
    for name in sorted(os.listdir(committed)) if committed.exists() else ():
        source, target = committed / name, committed.parent / name
        if name.startswith(PREFIX):  # a folder that was replaced
            continue
        with suppress(FileNotFoundError):  # another run moved it
            if source.is_dir() and target.is_dir():
                target.rename(committed / f"{PREFIX}{os.urandom(8).hex()}")
            os.replace(source, target)
    # renamed first, so that an interrupted removal is not taken for a committed set
    with suppress(FileNotFoundError):
        shutil.rmtree(committed.rename(committed.with_suffix(STAGED)), ignore_errors=True)


def _with_file_name(error: OSError, stage: Path) -> OSError:
    """Return the error with the name of the file that could not be written."""
    text = str(error)
    if error.strerror:
        name = error.filename if isinstance(error.filename, str) else ""
        if not name.startswith(f"{stage}{os.sep}"):
            name = str(next(iter(sorted(stage.glob("*"))), stage.parent))
        text = f"cannot write {name}: {error.strerror}"
    return OSError(text.replace(stage.name + os.sep, ""))


def _flush_to_disk(path: Path) -> None:
    if os.name == "nt" and path.is_dir():  # folders cannot be opened there
        return
    handle = os.open(path, os.O_RDONLY if os.name != "nt" else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _refuse_folder(path: Path) -> None:
    if path.is_dir():
        raise OSError(f"cannot write {path}: it is a folder")
