"""What all tests and examples share: plots that are drawn nowhere, and what is not collected."""

import gc
import os
import sys
from importlib.util import find_spec

import pytest

os.environ["MPLBACKEND"] = "agg"

# a program of its own that needs an optional package to be imported at all
collect_ignore = [] if find_spec("h5py") else ["src/consens/io/_h5ad_child.py"]


def pytest_collection_finish():
    """Exclude modules and collected tests, which live to the end, from garbage collection."""
    gc.freeze()


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
