"""Refuse work that does not fit into memory, and warn about work that takes long."""

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import psutil

LONG = 600.0  # expected seconds of work above which `warn_of_time` warns
USABLE_SHARE = 0.8  # share of the available memory that one allocation may take

PROCESS_GROUPS = Path("/proc/self/cgroup")
GROUP_ROOT = Path("/sys/fs/cgroup")


def require_memory(n_bytes: float, what: str, instead: str) -> None:
    """Raise a MemoryError for an allocation that cannot fit, before it is made."""
    available = available_memory()
    if n_bytes > USABLE_SHARE * available:
        raise MemoryError(
            f"{what} needs {format_size(n_bytes)}, {format_size(available)} are available; "
            f"{instead}"
        )


def warn_of_time(seconds: float, what: str, instead: str) -> None:
    """Warn about work that takes more than ten minutes on one core, before it starts."""
    if seconds > LONG:
        time = f"{seconds / 60:.0f} minutes" if seconds < 7200 else f"{seconds / 3600:.0f} hours"
        warnings.warn(f"{what} takes about {time}; {instead}", UserWarning, stacklevel=2)


def available_memory() -> float:
    """Return the bytes that this process can still allocate, container limits included."""
    return min([float(psutil.virtual_memory().available), *_room_in_groups()])


def format_size(n_bytes: float) -> str:
    """Format a number of bytes in units of 1024: ``1.5 GiB``."""
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if n_bytes < 1024:
            return f"{n_bytes:.0f} bytes" if unit == "bytes" else f"{n_bytes:.1f} {unit}"
        n_bytes /= 1024
    return f"{n_bytes:,.1f} TiB"


def _room_in_groups() -> Iterator[float]:
    """Yield the bytes left under each memory limit of the process's control groups (Linux)."""
    try:
        memberships = PROCESS_GROUPS.read_text().splitlines()
    except OSError:
        return
    for membership in memberships:
        _, controllers, group = membership.split(":", 2)
        if controllers == "":  # version 2
            root = GROUP_ROOT
            limit, used, cache = "memory.max", "memory.current", "inactive_file"
        elif "memory" in controllers.split(","):  # version 1
            root, cache = GROUP_ROOT / "memory", "total_inactive_file"
            limit, used = "memory.limit_in_bytes", "memory.usage_in_bytes"
        else:
            continue
        own = root / group.lstrip("/")
        # inside a container the group itself may not be mounted, only one of its parents
        for folder in (own, *own.parents[: len(own.parents) - len(root.parents)]):
            try:
                most = float((folder / limit).read_text().replace("max", "inf"))
                now = float((folder / used).read_text())
                stat = (folder / "memory.stat").read_text().splitlines()
            except (OSError, ValueError):
                continue
            counts = dict(line.split() for line in stat)
            yield max(0.0, most - now + float(counts.get(cache, 0)))  # cached pages can be freed


def release_memory() -> None:
    """Return what Arrow keeps of a table that is no longer needed to the system."""
    if "pyarrow" in sys.modules:
        sys.modules["pyarrow"].default_memory_pool().release_unused()
