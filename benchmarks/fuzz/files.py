"""Damaged files: bytes flipped, lost, doubled, or of another format.

Every file that the library writes or reads is damaged and read again, by the functions of
`consens.io` and by the shell.  Reading may succeed or end in ValueError, TypeError, OSError,
MemoryError or ImportError; the shell ends with a code from 0 to 2.  Anything else is a finding.
"""

from __future__ import annotations

import shutil
import tempfile
import traceback
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.fuzz._process import TooLong, in_processes, silence
from benchmarks.fuzz._report import Report

SECONDS = 60
CHUNK = 100
ALLOWED = (ValueError, TypeError, OSError, MemoryError, ImportError)


@cache
def originals() -> Path:
    """A folder with one whole file of each kind; removed when the process ends."""
    from consens.cli import run

    holder = tempfile.TemporaryDirectory(prefix="consens-fuzz-")
    originals.holder = holder  # type: ignore[attr-defined]
    folder = Path(holder.name)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3)) + 8 * (np.arange(30) % 3)[:, None]
    labels = rng.integers(0, 3, (30, 4))
    lines = [",".join([f"s{i}", *(f"{v:.4f}" for v in row)]) for i, row in enumerate(X)]
    text = "\n".join(["id,a,b,c", *lines]) + "\n"
    (folder / "x.csv").write_text(text)
    (folder / "x.tsv").write_text(text.replace(",", "\t"))
    np.save(folder / "x.npy", X)
    np.savez(folder / "x.npz", X=X, names=np.array(["a", "b", "c"]))
    np.save(folder / "labels.npy", labels)
    rows = "\n".join(",".join(map(str, row)) for row in labels)
    (folder / "labels.csv").write_text("p,q,r,t\n" + rows + "\n")
    import pandas as pd

    pd.DataFrame(X, columns=["a", "b", "c"]).to_parquet(folder / "x.parquet")
    with silence():
        for arguments in (
            ["generate", "x.csv", "--members", "3", "-o", "x.ens"],
            ["cluster", "x.csv", "-k", "3", "--members", "3", "-o", "out"],
        ):
            given = [str(folder / a) if a in ("x.csv", "x.ens", "out") else a for a in arguments]
            assert run([*given, "-q"]) == 0
    return folder


def damage(content: bytes, rng: np.random.Generator) -> bytes:
    """The same bytes, in part."""
    if not content:
        return content
    data = bytearray(content)
    kind = int(rng.integers(8))
    start, stop = sorted(int(i) for i in rng.integers(0, len(data) + 1, 2))
    if kind <= 2:
        for place in rng.integers(0, len(data), int(rng.integers(1, 9))):
            data[place] ^= 1 << int(rng.integers(8))
    elif kind == 3:
        data = data[:start]
    elif kind == 4:
        data[start:stop] = b""
    elif kind == 5:
        data[start:stop] = bytes(stop - start)
    elif kind == 6:
        data[start:start] = data[start:stop]
    else:
        data[start:start] = rng.bytes(int(rng.integers(1, 40)))
    return bytes(data)


def trial(number: int, seed: int) -> tuple[str, ...]:
    rng = np.random.default_rng((seed, number))
    folder = originals()
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    victim = files[int(rng.integers(len(files)))].relative_to(folder)
    with tempfile.TemporaryDirectory(prefix="consens-fuzz-") as place:
        copy = Path(place) / "copy"
        top = victim.parts[0]
        source = folder / top
        if source.is_dir():
            shutil.copytree(source, copy / top)
        else:
            copy.mkdir()
            shutil.copy(source, copy / top)
        content = damage((folder / victim).read_bytes(), rng)
        if rng.random() < 0.05:  # the content of another file
            content = files[int(rng.integers(len(files)))].read_bytes()
        (copy / victim).write_bytes(content)
        reader = int(rng.integers(4))
        told = f"{number}: {victim} read by {reader}"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                with silence():
                    return (read(copy / top, copy, reader),)
            except ALLOWED as error:
                return (type(error).__name__,)
            except TooLong:
                return "no end", f"{victim}: more than {SECONDS} s", told
            except Exception as error:
                where = traceback.extract_tb(error.__traceback__)[-1]
                what = f"{type(error).__name__}: {str(error)[:80]} ({where.name})"
                return type(error).__name__, f"{victim.suffix or victim.name}: {what}", told


def read(path: Path, folder: Path, reader: int) -> str:
    """Read a file by a function or by the shell."""
    from consens import io
    from consens.cli import run

    if reader == 0:
        io.read_ensemble(path) if path.is_dir() else io.read_table(path)
        return "read"
    if reader == 1:
        io.read_ensemble(path) if path.is_dir() else io.read_labels(path)
        return "read"
    by_shell: list[list[Any]] = [
        ["info", path],
        ["combine", path, "-k", 2, "-o", folder / "combined", "-q"],
    ]
    if path.name == "out":
        by_shell[1] = ["cluster", "--config", path / "config.toml", "-q"]
    code = run([str(argument) for argument in by_shell[reader - 2]])
    if code not in (0, 1, 2):
        raise AssertionError(f"exit code {code}")
    return f"exit code {code}"


def run(numbers: range, seed: int, alone: bool = False) -> int:
    """Damage and read all files; the number of findings."""
    report = Report("damaged files")
    if alone:
        report.add(*trial(numbers.start, seed))
    else:
        in_processes(report, trial, originals, numbers, seed, SECONDS, CHUNK)
    return report.show()
