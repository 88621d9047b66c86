"""Number of threads of linear algebra, on which rounding depends."""

from collections.abc import Callable
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar

from threadpoolctl import ThreadpoolController

P = ParamSpec("P")
R = TypeVar("R")

_controller = cache(ThreadpoolController)


def one_thread() -> Any:
    """Limit linear algebra to one thread."""
    return _controller().limit(limits=1)


def in_one_thread(function: Callable[P, R]) -> Callable[P, R]:
    """Limit linear algebra to one thread inside a function."""

    @wraps(function)
    def limited(*args: P.args, **kwargs: P.kwargs) -> R:
        with one_thread():
            return function(*args, **kwargs)

    return limited
