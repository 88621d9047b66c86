"""Refusing work that does not fit in memory, and warning of work that takes long, beforehand."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

import psutil

#: Seconds from which a warning says how long work takes.
LONG = 600.0

#: Share of the available memory that one allocation may take.
USABLE_SHARE = 0.8

PROCESS_GROUPS = Path("/proc/self/cgroup")
GROUP_ROOT = Path("/sys/fs/cgroup")


def require_memory(n_bytes: float, what: str, instead: str) -> None:
    """Refuse an allocation that cannot fit, before it is made.

    Parameters
    ----------
    n_bytes : float
        Size of the allocation.
    what : str
        What needs the memory; the subject of the message.
    instead : str
        What the user can do about it.

    Raises
    ------
    MemoryError
        Naming the size, what is available, and the way out.
    """
    available = available_memory()
    if n_bytes > USABLE_SHARE * available:
        raise MemoryError(
            f"{what} needs {format_size(n_bytes)}, {format_size(available)} are available; "
            f"{instead}"
        )


def warn_of_time(seconds: float, what: str, instead: str) -> None:
    """Warn of work that takes more than ten minutes, before it starts.

    Parameters
    ----------
    seconds : float
        Estimate for one core of an ordinary computer.
    what : str
        What takes the time; the subject of the message.
    instead : str
        What the user can do about it.

    Examples
    --------
    >>> from consens.memory import warn_of_time
    >>> warn_of_time(60, "a minute's work", "wait")
    """
    if seconds > LONG:
        time = f"{seconds / 60:.0f} minutes" if seconds < 7200 else f"{seconds / 3600:.0f} hours"
        warnings.warn(f"{what} takes about {time}; {instead}", UserWarning, stacklevel=2)


def available_memory() -> float:
    """Bytes that this process can still allocate: of the machine, and of its container."""
    return min([float(psutil.virtual_memory().available), *_room_in_groups()])


def format_size(n_bytes: float) -> str:
    """Format a number of bytes in units of 1024: ``1.5 GiB``."""
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if n_bytes < 1024:
            return f"{n_bytes:.0f} bytes" if unit == "bytes" else f"{n_bytes:.1f} {unit}"
        n_bytes /= 1024
    return f"{n_bytes:,.1f} TiB"


def _room_in_groups() -> Iterator[float]:
    """Bytes left under each memory limit of the process's control groups (Linux)."""
    try:
        memberships = PROCESS_GROUPS.read_text().splitlines()
    except OSError:
        return
    for membership in memberships:
        _, controllers, group = membership.split(":", 2)
        if controllers == "":  # version 2
            root, limit, used, cache = (
                GROUP_ROOT,
                "memory.max",
                "memory.current",
                "inactive_file",
            )
        elif "memory" in controllers.split(","):  # version 1
            root, limit, used, cache = (
                GROUP_ROOT / "memory",
                "memory.limit_in_bytes",
                "memory.usage_in_bytes",
                "total_inactive_file",
            )
        else:
            continue
        own = root / group.lstrip("/")
        # inside a container the own group may not be mounted, only one of its parents
        for folder in (own, *own.parents[: len(own.parents) - len(root.parents)]):
            try:
                most = float((folder / limit).read_text().replace("max", "inf"))
                now = float((folder / used).read_text())
                stat = (folder / "memory.stat").read_text().splitlines()
            except (OSError, ValueError):
                continue
            counts = dict(line.split() for line in stat)
            yield max(0.0, most - now + float(counts.get(cache, 0)))  # cached pages can go
