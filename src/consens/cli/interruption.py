"""Ctrl-C: exit at once, keep finished members, and say how to continue."""

import os
import shlex
import signal
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from consens.cli import console

CODE = 130

GRACE = 1.0  # seconds for Python to handle the interrupt, which it cannot while compiled code runs

#: Seconds of work on members that are worth a folder; less is repeated after an interrupt.
STORE_AFTER = 10.0


@dataclass
class Run:
    """The running command, and the folders that keep its members."""

    arguments: Sequence[str] = ()
    kept: list[Path] = field(default_factory=list)
    notified: Any = field(default_factory=threading.Lock)

    def notify(self) -> None:
        """Print, once, that the run was interrupted, and the command that continues it."""
        if not self.notified.acquire(blocking=False):
            return
        places = [f"{n} finished members are kept in {p}" for p in self.kept if (n := _count(p))]
        if places:
            what = f"{', '.join(places)}; continue with"
        else:
            what = "nothing was changed; start again with"
        console.error(f"interrupted; {what}: {shlex.join(['consens', *self.arguments])}")


_run = Run()


def begin(arguments: Sequence[str]) -> Run:
    """Remember the running command."""
    global _run
    _run = Run(arguments)
    return _run


def exit_on_interrupt() -> None:
    """Let SIGINT end this process within seconds, even while compiled code runs.

    Python raises KeyboardInterrupt only after compiled code returns, which may take minutes.  So a
    thread waits for the signal, and ends the process if the exception is late.
    """
    reader, writer = socket.socketpair()
    writer.setblocking(False)
    signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    # the thread keeps a reference to the writer, which must stay open
    threading.Thread(target=_wait, args=(reader, writer), daemon=True).start()


def _wait(reader: socket.socket, writer: socket.socket) -> None:
    while signals := reader.recv(64):
        if signal.SIGINT in signals:
            time.sleep(GRACE)
            _run.notify()
            os._exit(CODE)


@contextmanager
def keeping_members(generator: Any, folder: Path, *, keep: bool) -> Iterator[Any]:
    """Let a generator store finished members in a folder during the enclosed work.

    Yields the generator with its `store` parameters set, nested ones included.  Unless `keep` is
    true, members are stored only once they took longer than `STORE_AFTER` seconds, and the folder
    is removed afterwards if the work succeeds.
    """
    from consens.generate._store import storing_after

    stores = {
        name: folder / name.removesuffix("store").replace("__", "/")
        for name, value in generator.get_params(deep=True).items()
        if name.endswith("store") and value is None
    }
    if stores:
        _run.kept.append(folder)
    done = False
    try:
        with nullcontext() if keep else storing_after(STORE_AFTER, time.monotonic):
            yield generator.set_params(**stores)
        done = True
    finally:
        if stores and ((done and not keep) or not _count(folder)):
            _remove(folder, list(stores.values()))


def _count(folder: Path) -> int:
    """Count the finished members in a folder and its subfolders."""
    return sum(1 for _ in folder.rglob("*.npz"))


def _remove(folder: Path, stores: Sequence[Path]) -> None:
    """Remove stores of members, but no other files."""
    for store in stores:
        manifest = store / "store.json"
        if not manifest.exists():
            continue
        # the manifest last, so that the folder is a store until all members are removed
        for path in [*store.glob("*.npz"), *store.glob(".*.tmp"), manifest]:
            path.unlink(missing_ok=True)
        with suppress(OSError):
            store.rmdir()
    with suppress(OSError):  # it does not exist, or holds other files
        folder.rmdir()
