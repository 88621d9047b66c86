"""Finished members on disk, so that an interrupted run can be resumed.

A store is a folder for one generator and one X, which its ``store.json`` describes.  Each plan of
one or several members is one ``.npz`` file, named by a digest of the plan and X.  Files are
written under a temporary name and then renamed, so a file is complete whenever the process ended.
It holds the models, and the labels only if a model would give others.  Nothing is read by
pickle.
"""

import hashlib
import json
import logging
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import fields
from pathlib import Path
from typing import Any, BinaryIO, cast
from zipfile import BadZipFile

import numpy as np
from scipy.sparse import issparse

from consens._blocks.scan import scan_rows
from consens._support.plain import package_versions, plain_value
from consens.generate._plan import Model, Plan, Trained

logger = logging.getLogger(__name__)

STORE_ENCODING = {"encoding-type": "consens-members", "encoding-version": "5"}

#: Parameters that do not change the members.
IRRELEVANT = ("kinds", "n_estimators", "n_jobs", "store")

#: Names of member files, and of hidden files of the system or of another run.
MEMBER = re.compile(r"[0-9a-f]{32}\.npz|\..*")


#: Whether members made now are worth storing; None if all are.
_worth_storing: ContextVar[Callable[[], bool] | None] = ContextVar("worth_storing", default=None)


@contextmanager
def storing_after(seconds: float, clock: Callable[[], float]) -> Iterator[None]:
    """Let stores keep members in memory until the members so far took longer than `seconds`."""
    started: list[float] = []

    def worth_storing() -> bool:
        started.append(clock())
        return started[-1] - started[0] > seconds

    token = _worth_storing.set(worth_storing)
    try:
        yield
    finally:
        _worth_storing.reset(token)


class MemberStore:
    """The folder of one generator and one X; created if missing, refused for other input."""

    def __init__(self, folder: str | Path, generator: Any, X: Any) -> None:
        self.folder = Path(folder)
        self.fingerprint = fingerprint(X)
        parameters = generator.get_params(deep=False)
        if parameters.get("random_state", 0) is None:
            raise ValueError(
                f"store={str(folder)!r} needs a random_state: without one a resumed run would "
                "draw other members; give an integer"
            )
        own = STORE_ENCODING | {
            "generator": type(generator).__name__,
            "parameters": {
                name: description(value)
                for name, value in sorted(parameters.items())
                if name not in IRRELEVANT
            },
            "shape": list(X.shape),
            "X": self.fingerprint,
            "versions": package_versions("numpy", "scikit-learn"),
        }
        self._manifest = json.loads(json.dumps(own))
        self._unwritten: list[tuple[Plan, Sequence[Trained]]] = []
        self._worth_storing = _worth_storing.get()
        if self._worth_storing is not None and not self.folder.exists():
            self._worth_storing()  # starts the clock
        else:
            self._worth_storing = None
            self._claim(self._manifest)

    def path(self, plan: Plan) -> Path:
        """File of a member."""
        return self.folder / f"{_digest([description(plan), self.fingerprint])}.npz"

    def read(
        self, plans: Sequence[Plan], model_class: Callable[..., Model] | None
    ) -> dict[int, list[Trained]]:
        """Read the members in the folder, as a dictionary by the numbers of their plans."""
        found = {}
        for number, plan in enumerate(plans):
            path = self.path(plan)
            if path.exists():
                try:
                    found[number] = read_members(path, model_class)
                except (OSError, EOFError, ValueError, KeyError, TypeError, BadZipFile) as error:
                    logger.warning("%s is damaged (%s); the member is made again", path, error)
        if found:
            logger.info("%d of %d members read from %s", len(found), len(plans), self.folder)
        return found

    def write(self, plan: Plan, fitted: Sequence[Trained]) -> None:
        """Write the members of a plan, and those before it, once they are worth storing."""
        self._unwritten.append((plan, fitted))
        if self._worth_storing is not None:
            if not self._worth_storing():
                return
            self._worth_storing = None
            self._claim(self._manifest)
        for one in self._unwritten:
            self._write(*one)
        self._unwritten.clear()

    def _write(self, plan: Plan, fitted: Sequence[Trained]) -> None:
        """Write the members of a plan to its file atomically."""
        meta: list[dict[str, Any]] = []
        arrays: dict[str, Any] = {}
        for number, (model, facts, labels, _) in enumerate(fitted):
            own: dict[str, Any] = {"facts": dict(facts)}
            if labels is None:
                values: dict[str, Any] = {
                    one.name: getattr(model, one.name) for one in fields(cast(Any, model))
                }
                own["model"] = {n: v for n, v in values.items() if not isinstance(v, np.ndarray)}
                kept = {f"model/{n}": v for n, v in values.items() if isinstance(v, np.ndarray)}
            else:
                kept = {"labels": labels}
            meta.append(own)
            arrays |= {f"{number}/{name}": value for name, value in kept.items()}
        with self._renamed_to(self.path(plan)) as file:
            np.savez_compressed(file, meta=np.array(json.dumps(meta)), **arrays)

    @contextmanager
    def _renamed_to(self, path: Path) -> Iterator[BinaryIO]:
        """Open a file that gets its name once it is complete; a damaged one is made again."""
        staged = path.with_name(f".{path.stem}-{os.getpid()}.tmp")
        try:
            with open(staged, "wb") as file:
                yield file
            os.replace(staged, path)
        except OSError as error:
            raise OSError(f"cannot write {path}: {error.strerror or error}") from error
        finally:
            staged.unlink(missing_ok=True)

    def _claim(self, own: dict[str, Any]) -> None:
        """Create the folder with its manifest, or check the manifest against this run."""
        self.folder.mkdir(parents=True, exist_ok=True)
        manifest = self.folder / "store.json"
        if not manifest.exists():
            # a folder of member files only is safe: their names are digests of their input
            if any(not MEMBER.fullmatch(path.name) for path in self.folder.iterdir()):
                raise ValueError(
                    f"the folder {self.folder} is not empty and not a store of members; give a "
                    "new or an empty one"
                )
            with self._renamed_to(manifest) as file:
                file.write(json.dumps(own, indent=1).encode())
            return
        try:
            other = json.loads(manifest.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"{manifest} is damaged ({error}); delete the folder") from None
        if wrong := _differences(own, other):
            raise ValueError(
                f"the folder {self.folder} holds members of another run: {'; '.join(wrong)}. "
                "Give another folder, or delete this one"
            )


def read_members(path: Path, model_class: Callable[..., Model] | None) -> list[Trained]:
    """Read the members of a plan from its file."""
    with open(path, "rb") as opened, np.load(opened, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    found = []
    for number, own in enumerate(json.loads(str(arrays["meta"]))):
        if model_class is None:
            found.append(Trained(None, own["facts"], arrays[f"{number}/labels"]))
            continue
        start = f"{number}/model/"
        values = {n.removeprefix(start): v for n, v in arrays.items() if n.startswith(start)}
        found.append(Trained(model_class(**values, **own["model"]), own["facts"]))
    return found


# ---------------------------------------------------------------------- digests


def fingerprint(X: Any) -> str:
    """Digest of the values, shape and type of X; it does not depend on the block size."""
    if issparse(X):
        return _digest([X.shape, *map(description, [X.data, X.indices, X.indptr])])
    return _digest([X.shape, str(X.dtype), scan_rows(X).checksum])


def description(value: Any) -> Any:
    """Convert a parameter to plain values; arrays become digests."""

    def describe(array: np.ndarray) -> str:
        return f"array {_digest([array.shape, str(array.dtype)], np.ascontiguousarray(array))}"

    return plain_value(value, array=describe)


def _digest(value: Any, *arrays: np.ndarray) -> str:
    """Digest of a plain value and of arrays."""
    digest = hashlib.blake2b(json.dumps(value, sort_keys=True).encode(), digest_size=16)
    for array in arrays:
        digest.update(array.data)
    return digest.hexdigest()


def _differences(own: dict[str, Any], other: Any) -> list[str]:
    """Describe how two manifests differ, one message per difference."""
    if not isinstance(other, dict) or other.get("encoding-type") != own["encoding-type"]:
        return ["its store.json was not written by consens"]
    wrong = []
    if other.get("shape") != own["shape"]:
        wrong.append(f"its X has shape {other.get('shape')}, not {own['shape']}")
    elif other.get("X") != own["X"]:
        wrong.append("its X has other values")
    for name in ("encoding-version", "generator"):
        if other.get(name) != own[name]:
            wrong.append(f"its {name} is {other.get(name)}, not {own[name]}")
    for group in ("parameters", "versions"):
        theirs = other.get(group) or {}
        wrong += [
            f"{name} is {theirs.get(name)!r}, not {own[group].get(name)!r}"
            for name in sorted(own[group].keys() | theirs.keys())
            if theirs.get(name) != own[group].get(name)
        ]
    return wrong
