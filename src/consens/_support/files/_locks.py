"""Locks of outputs and stages, which are released when their process ends."""

import errno
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PREFIX, LOCKED = ".consens-", ".lock"

_held: set[Path] = set()  # outputs that this process has locked


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep other processes from writing `path`, until this one leaves the block or dies."""
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
        if lock_file(handle) is False:
            holder = os.read(handle, 200).decode(errors="replace") or "another process"
            os.close(handle)
            raise OSError(
                f"{path} is being written by {holder}; wait until it ends, or write elsewhere"
            )
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(handle), os.stat(lock)):
                break
        os.close(handle)  # its holder has removed the file in the meantime
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


def lock_file(handle: int) -> bool | None:
    """Lock an open file; False if another process holds it, None if locking is not possible."""
    try:
        import fcntl
    except ImportError:  # not on Windows
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return False if error.errno in (errno.EWOULDBLOCK, errno.EACCES) else None
    return True
