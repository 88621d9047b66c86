"""One thread for linear algebra: sums over several end in other digits."""

from __future__ import annotations

from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController


def one_thread() -> Any:
    """Context in which linear algebra runs in one thread, so that sums are always the same."""
    return _controller().limit(limits=1)


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()
