"""AnnData files, read in a child process because HDF5 can crash on damaged ones."""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pyarrow as pa

from consens.io.formats import Content, Format, Request, TableHeader, register

OBS_NAMES = "obs_names"

_CHILD = Path(__file__).with_name("_h5ad_child.py")
_INSTALL = "reading and writing h5ad files needs anndata: pip install 'consens[anndata]'"


def read_h5ad(request: Request) -> Content:
    """Read a matrix, or clusterings, with the names of the observations as ids."""
    table = pa.ipc.open_stream(_run_child("read", request)).read_all()
    given = request.options.get("id_column")
    if given is None:
        return Content(table, OBS_NAMES)
    if given != OBS_NAMES:
        table = table.drop_columns([OBS_NAMES])
    return Content(table, given or None)


def _header(request: Request) -> TableHeader:
    return TableHeader(**json.loads(_run_child("header", request)))


register(Format((".h5ad",), _header, read_h5ad, arrays=True))


def _run_child(task: str, request: Request) -> bytes:
    if find_spec("anndata") is None or find_spec("h5py") is None:
        raise ImportError(_INSTALL)
    arguments = {
        "task": task,
        "path": str(request.path),
        "purpose": request.purpose,
        "array": request.options.get("array"),
        "patterns": list(request.options.get("columns") or ()),
    }
    done = subprocess.run(
        [sys.executable, "-P", str(_CHILD), json.dumps(arguments)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    if done.returncode == 0:
        return done.stdout
    if done.returncode in (3, 4):  # a valid file that does not hold what was requested
        problem = f"{request} {done.stderr.decode(errors='replace').splitlines()[-1]}"
        if done.returncode == 3:
            raise ValueError(problem)
        raise ValueError(
            f"{problem}; name the clusterings, or patterns: columns=['leiden*', 'louvain']"
        )
    raise ValueError(f"{request} is not an h5ad file, or a damaged one")
