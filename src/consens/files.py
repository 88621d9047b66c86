"""Writing results: the whole file or no file.  For all who write, so it imports nothing."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


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
    made = [folder for folder in (path, *path.parents) if not folder.exists()]
    try:
        try:
            path.mkdir(parents=True, exist_ok=True)
            probe = _temporary(path / "consens")
            probe.touch()
            probe.unlink()
        except OSError as error:
            raise OSError(f"cannot write into the folder {path}: {error.strerror}") from error
        for name in names:
            if (path / name).is_dir():
                raise OSError(f"cannot write {path / name}: it is a folder")
        yield path
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
    temporary = _temporary(path)
    try:
        with open(temporary, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        raise OSError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        temporary.unlink(missing_ok=True)


def _temporary(target: Path) -> Path:
    # not tempfile: its files are private to the user, and the rename would keep that
    return target.with_name(f".{target.name}.{os.getpid()}.tmp")
