"""Other Python packages for cluster ensembles: what installs, and what it does with one ensemble.

    python -m studies.comparison [--work DIR] [--sizes 2000 20000] [--only PACKAGE] [--out DIR]
                                 [--cpu 60] [--memory 6] [--install 300]

Each package is installed from the package index into an environment of its own, and imported.
Where it can be used, its methods combine one common ensemble, or, where it takes no labels, make
as many members themselves from the same features.  Each run has a process of its own with a limit
of CPU time and of memory.  A first call on 300 objects is not counted, and of two calls the
quicker one counts where the first takes less than 30 seconds, so that nothing is charged for
compilation.  Methods of consens, and the co-association by hand with SciPy, run in the same way.
A method that does not end within the limits is not tried on larger data.

The data are rows of scikit-learn's digits, drawn with replacement, with normal noise of standard
deviation 1 on every pixel; 20 members by k-means, k from 10 to 40.  All methods are told that
there are ten classes.  ARI is that with the digits; MB is memory above the inputs and what the
first call took.

With --out every finished run is kept there: a study that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_digits

from consens.generate import KMeansEnsemble
from consens.measure import ari
from studies._peer_runs import RUNS
from studies._run import say, write_json
from studies._table import markdown

MEMBERS = 20
K_RANGE = (10, 40)
KEPT = "comparison.json"
PROGRAM = Path(__file__).with_name("_peer_runs.py")


class Peer(NamedTuple):
    """A package: what is asked of the index, what is imported, and what it takes."""

    name: str
    module: str
    takes: str
    #: What it imports today: installed beside it where its own requirements do not suffice.
    beside: tuple[str, ...] = ()


PEERS = (
    Peer(
        "Cluster_Ensembles", "Cluster_Ensembles", "labels", ("scikit-learn", "numexpr", "tables")
    ),
    Peer("ClusterEnsembles", "ClusterEnsembles", "labels"),
    Peer(
        "openensembles",
        "openensembles",
        "labels",
        ("hdbscan", "matplotlib", "networkx", "pandas", "scikit-learn"),
    ),
    Peer("pyckmeans", "pyckmeans", "features"),
    Peer("consensusclustering", "consensusclustering", "features", ("scikit-learn",)),
    Peer("kemlglearn", "kemlglearn.cluster.consensus", "features", ("scikit-learn",)),
    Peer("sc3s", "sc3s", "features"),
)
OURS = ("by hand", "consens")


class Installed(NamedTuple):
    """What became of an installation: an interpreter, or why there is none."""

    python: Path | None
    installs: str
    imports: str


def last_line(text: str) -> str:
    """The line of an error that says most, without paths of this machine."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if "rror" in line and "subprocess" not in line]
    line = re.sub(r"\s*\(?/[\w./-]+\)?", "", (telling or lines or [""])[-1])
    return line.removeprefix("ERROR: ").replace("|", "/")[:120]


def install(peer: Peer, work: Path, seconds: float, kept: Sequence[str] | None) -> Installed:
    """Install as a user would; where that fails, without its pins and with what it imports."""
    folder = work / "environments" / peer.name
    python = folder / "bin" / "python"
    if kept and python.exists():
        return Installed(None if import_error(python, peer.module) else python, *kept)
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)

    def pip(*arguments: str) -> str:
        command = [str(python), "-m", "pip", "install", "--quiet", *arguments]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
        except subprocess.TimeoutExpired:
            return f"not done after {seconds:.0f} s"
        return last_line(done.stderr) if done.returncode else ""

    failed = pip(peer.name)
    installs = f"no: {failed}" if failed else f"yes, {version(python, peer.name)}"
    helped = ""
    if failed:
        wheels = pip("--only-binary", ":all:", peer.name)
        installs += f"; of wheels alone: {wheels}" if wheels not in ("", failed) else ""
        if not peer.beside or pip("--no-deps", peer.name):
            return Installed(None, installs, "")
        helped = f"{version(python, peer.name)} without its pins, "
    wrong = import_error(python, peer.module)
    if wrong and peer.beside:
        pip(*peer.beside)
        helped += f"with {', '.join(peer.beside)} beside it (alone: {wrong})"
        wrong = import_error(python, peer.module)
    if wrong:
        return Installed(None, installs, f"no: {wrong}")
    return Installed(python, installs, helped.rstrip(", ") or "yes")


def version(python: Path, name: str) -> str:
    code = f"from importlib.metadata import version; print(version({name!r}))"
    return subprocess.run([python, "-c", code], capture_output=True, text=True).stdout.strip()


def import_error(python: Path, module: str) -> str:
    command = [python, "-W", "ignore", "-c", f"import {module}"]
    done = subprocess.run(command, capture_output=True, text=True)
    return last_line(done.stderr) if done.returncode else ""


def prepare(n: int, folder: Path, seed: int) -> np.ndarray:
    """Write the common case and give its classes."""
    rng = np.random.default_rng(seed)
    images, digits = load_digits(return_X_y=True)
    rows = rng.integers(0, len(images), n)
    X, y = images[rows] + rng.normal(size=(n, images.shape[1])), digits[rows]
    ensemble = KMeansEnsemble(MEMBERS, n_clusters=K_RANGE, random_state=seed).fit_transform(X)
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / "X.npy", X)
    np.save(folder / "labels.npy", ensemble.labels)
    (folder / "case.json").write_text(json.dumps({"k": 10, "members": MEMBERS}))
    return y


def measure(
    python: Path, package: str, method: str, folder: Path, y: np.ndarray, limits: Any
) -> dict[str, Any]:
    """Figures of one run, or why there are none."""

    def restrict() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (limits.cpu, limits.cpu))
        memory = int(limits.memory * 2**30)
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

    threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    environment = os.environ | dict.fromkeys(threads, "1") | {"PYTHONWARNINGS": "ignore"}
    command = [str(python), str(PROGRAM), package, method, str(folder)]
    (folder / "out.npy").unlink(missing_ok=True)
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            env=environment,
            preexec_fn=restrict,
            timeout=10 * limits.cpu,
        )
    except subprocess.TimeoutExpired:
        return {"error": f"more than {10 * limits.cpu} s"}
    if done.returncode < 0:
        return {"error": f"more than {limits.cpu} s of CPU time, or killed"}
    if done.returncode:
        if "MemoryError" in done.stderr or "allocate" in done.stderr:
            return {"error": f"more than {limits.memory:g} GiB"}
        return {"error": last_line(done.stderr)}
    figures = json.loads(done.stdout.splitlines()[-1])
    found = np.load(folder / "out.npy")
    if len(found) != len(y):
        return {"error": f"{len(found)} labels for {len(y)} objects"}
    return figures | {"ari": ari(y, found), "clusters": len(np.unique(found))}


def cells(figures: dict[str, Any]) -> list[str]:
    if "error" in figures:
        return [figures["error"], "", ""]
    clusters = figures["clusters"]
    remark = "" if clusters == 10 else f" ({clusters} clusters)"
    return [f"{figures['ari']:.3f}{remark}", f"{figures['cpu']:.2f}", f"{figures['mb']:.0f}"]


def texts(found: dict[str, Installed]) -> dict[str, tuple[str, str]]:
    return {name: (one.installs, one.imports) for name, one in found.items()}


def read(folder: Path | None) -> dict[str, Any]:
    """What an earlier run of the study has kept."""
    if folder is None or not (folder / KEPT).exists():
        return {"installed": {}, "runs": {}}
    return json.loads((folder / KEPT).read_text(encoding="utf-8"))


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    options.add_argument("--work", type=Path, help="folder of environments (a temporary one)")
    options.add_argument("--sizes", type=int, nargs="+", default=[2000, 20000])
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--cpu", type=int, default=60, help="seconds of CPU per run (60)")
    options.add_argument("--memory", type=float, default=6, help="GiB per run (6)")
    options.add_argument("--install", type=float, default=300, help="seconds per package (300)")
    options.add_argument("--only", action="append", default=[], metavar="PACKAGE")
    options.add_argument("--out", type=Path, help="folder for results as files")
    return options.parse_args(arguments)


def main() -> None:
    given = parse()
    wanted = given.only or [*OURS, *(peer.name for peer in PEERS)]
    with tempfile.TemporaryDirectory() as temporary:
        work = (given.work or Path(temporary)).resolve()
        interpreters = {name: Path(sys.executable) for name in OURS if name in wanted}
        kept = read(given.out)
        found = {}
        for peer in PEERS:
            if peer.name in wanted:
                say(f"install {peer.name}")
                known = kept["installed"].get(peer.name)
                found[peer.name] = outcome = install(peer, work, given.install, known)
                if outcome.python is not None:
                    interpreters[peer.name] = outcome.python
        write_json(given.out, KEPT, {"installed": texts(found), "runs": kept["runs"]})
        results = kept["runs"]
        for n in sorted(given.sizes):
            y = prepare(n, work / "case", given.seed)
            for package, method in RUNS:
                done = results.setdefault(f"{package}: {method}", {})
                if package not in interpreters or str(n) in done:
                    continue
                if any(one.get("error", "").startswith("more than") for one in done.values()):
                    done[str(n)] = {"error": "not tried"}
                    continue
                say(f"n = {n}: {package}, {method}")
                python = interpreters[package]
                done[str(n)] = measure(python, package, method, work / "case", y, given)
                write_json(given.out, KEPT, {"installed": texts(found), "runs": results})
    print(
        f"{platform.system()}, Python {platform.python_version()}, one thread; limits of "
        f"{given.cpu} s of CPU time and {given.memory:g} GiB per run; seed {given.seed}.\n"
    )
    if found:
        takes = {peer.name: peer.takes for peer in PEERS}
        rows = [[name, takes[name], one.installs, one.imports] for name, one in found.items()]
        print("## What can be installed\n")
        print(markdown(["package", "takes", "installs", "imports"], rows) + "\n")
    print("## What it does with one ensemble\n")
    header = ["package: method", "members"]
    for n in given.sizes:
        header += [f"ARI, n = {n:,}", "CPU s", "MB"]
    rows = []
    for name, by_size in results.items():
        if not any(str(n) in by_size for n in given.sizes):
            continue
        own = name.split(":")[0] in {p.name for p in PEERS if p.takes == "features"}
        row = [name, "its own" if own else "common"]
        for n in given.sizes:
            row += cells(by_size.get(str(n), {"error": "–"}))
        rows.append(row)
    print(markdown(header, rows))


if __name__ == "__main__":
    main()
