"""Ctrl-C: end at once, keep finished members, say how to go on."""

import os
import shlex
import signal
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from consens.cli import console

CODE = 130

#: Seconds that Python gets to unwind.  While compiled code runs it does not even begin to.
GRACE = 1.0


@dataclass
class Run:
    """The command under way, and the folders that keep members for it."""

    arguments: Sequence[str] = ()
    kept: list[Path] = field(default_factory=list)
    silent: Any = field(default_factory=threading.Lock)

    def notify(self) -> None:
        """Say, once, that it was interrupted, what is kept, and which command goes on."""
        if not self.silent.acquire(blocking=False):
            return
        places = [f"{n} finished members are kept in {p}" for p in self.kept if (n := _count(p))]
        if places:
            what = f"{', '.join(places)}; go on by the same command"
        else:
            what = "nothing was changed; start again by"
        console.error(f"interrupted; {what}: {shlex.join(['consens', *self.arguments])}")


_run = Run()


def begin(arguments: Sequence[str]) -> Run:
    """Take note of the command under way."""
    global _run
    _run = Run(arguments)
    return _run


def end_at_once() -> None:
    """See that an interruption ends this process, whatever code it is in.

    Python turns SIGINT into an exception when it is back from compiled code, which may be in
    minutes.  So a thread waits beside, and ends the process when the exception is late.
    """
    reader, writer = socket.socketpair()
    writer.setblocking(False)
    signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    # the writer goes with the thread, because it must live as long
    threading.Thread(target=_wait, args=(reader, writer), daemon=True).start()


def _wait(reader: socket.socket, writer: socket.socket) -> None:
    while signals := reader.recv(64):
        if signal.SIGINT in signals:
            time.sleep(GRACE)
            _run.notify()
            os._exit(CODE)


@contextmanager
def keeping_members(generator: Any, folder: Path, *, asked: bool) -> Iterator[Any]:
    """Have a generator keep each finished member in a folder until the work inside is done.

    Yields the generator with its stores set; one without a parameter `store`, also in its parts,
    keeps nothing.  The folder goes afterwards, unless the work ends early or it was `asked` for.
    """
    stores = {
        name: folder / name.removesuffix("store").replace("__", "/")
        for name, value in generator.get_params(deep=True).items()
        if name.endswith("store") and value is None
    }
    if stores:
        _run.kept.append(folder)
    done = False
    try:
        yield generator.set_params(**stores)
        done = True
    finally:
        if stores and ((done and not asked) or not _count(folder)):
            _remove(folder, list(stores.values()))


def _count(folder: Path) -> int:
    """Finished members in a folder and the folders of its parts."""
    return sum(1 for _ in folder.rglob("*.npz"))


def _remove(folder: Path, stores: Sequence[Path]) -> None:
    """Remove stores of members, and nothing that is none."""
    for store in stores:
        manifest = store / "store.json"
        if not manifest.exists():
            continue
        # the manifest last: without it a process that is killed here leaves what is no store
        for path in [*store.glob("*.npz"), *store.glob(".*.tmp"), manifest]:
            path.unlink(missing_ok=True)
        with suppress(OSError):
            store.rmdir()
    with suppress(OSError):  # it is gone, or holds what is not ours
        folder.rmdir()
