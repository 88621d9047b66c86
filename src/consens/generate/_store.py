"""Finished members on disk, so that a long run can be stopped and taken up again.

A store is a folder that belongs to one generator and one X, as its ``store.json`` says.  Each
member is one ``.npz`` file, named by a digest of all that decides it: the task with its seed,
and X.  It is written under another name and renamed when it is whole and on the disk, so a file
that is there is finished, whenever the process ended.  Nothing is read by pickle.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from consens import __version__
from consens.blocks import Rows
from consens.files import recover, whole_file
from consens.plain import plain_value

ENCODING = {"encoding-type": "consens-members", "encoding-version": "1"}

#: Parameters that change no member: how many there are, and how they are made.
NOT_IDENTITY = ("n_estimators", "n_jobs", "store")

#: Names of files that hold members, and of what the system or another run put there.
MEMBER = re.compile(r"[0-9a-f]{32}\.npz|\..*")


class Store:
    """The folder of one generator and one X.

    Parameters
    ----------
    folder : path
        Made when it is not there; refused when it belongs to another generator or X.
    generator : estimator
    X : ndarray or CSR matrix
    """

    def __init__(self, folder: str | Path, generator: Any, X: Any) -> None:
        self.folder = Path(folder)
        self.fingerprint = fingerprint(X)
        parameters = generator.get_params(deep=False)
        if parameters.get("random_state", 0) is None:
            raise ValueError(
                f"store={str(folder)!r} needs a random_state: without one a run that is taken up "
                "again would draw other members; give an integer"
            )
        own = ENCODING | {
            "generator": type(generator).__name__,
            "parameters": {
                name: description(value)
                for name, value in sorted(parameters.items())
                if name not in NOT_IDENTITY
            },
            "shape": list(X.shape),
            "X": self.fingerprint,
            "versions": {"consens": __version__}
            | {name: version(name) for name in ("numpy", "scikit-learn")},
        }
        self._claim(json.loads(json.dumps(own)))

    def path(self, task: Any) -> Path:
        """File of the member that the task makes."""
        decides = json.dumps([description(task), self.fingerprint], sort_keys=True)
        # absolute: a worker that lives on may have started in another folder
        return self.folder.absolute() / f"{_digest(decides.encode())}.npz"

    def _claim(self, own: dict[str, Any]) -> None:
        """Make the folder this generator's, or see that it is."""
        self.folder.mkdir(parents=True, exist_ok=True)
        recover(self.folder)
        manifest = self.folder / "store.json"
        if not manifest.exists():
            # members alone may stay: the name of each says what it was made of
            if any(not MEMBER.fullmatch(path.name) for path in self.folder.iterdir()):
                raise ValueError(
                    f"the folder {self.folder} is not empty and no store of members; give a new "
                    "or an empty one"
                )
            with whole_file(manifest) as file:
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


# -------------------------------------------------------------------------------- one member


class Stored(NamedTuple):
    """What a file holds of a member; `model` are the fields of the model, where it has any."""

    labels: np.ndarray
    record: Mapping[str, Any]
    payload: Mapping[str, np.ndarray]
    model: Mapping[str, Any] | None


def write(path: Path, stored: Stored) -> None:
    """Put a member into its file, whole or not at all."""
    labels, record, payload, model = stored
    arrays: dict[str, Any] = {"labels": labels}
    arrays |= {f"payload/{name}": np.asarray(value) for name, value in payload.items()}
    meta: dict[str, Any] = {"record": dict(record), "model": None}
    if model is not None:
        in_arrays = {name for name, value in model.items() if isinstance(value, np.ndarray)}
        arrays |= {f"model/{name}": model[name] for name in in_arrays}
        meta["model"] = {name: model[name] for name in model.keys() - in_arrays}
    arrays["meta"] = np.array(json.dumps(meta))
    with whole_file(path) as file:
        np.savez_compressed(file, **arrays)


def read(path: Path) -> Stored:
    """Read a member from its file."""
    with open(path, "rb") as opened, np.load(opened, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    meta = json.loads(str(arrays["meta"]))
    held: dict[str, dict[str, np.ndarray]] = {"payload": {}, "model": {}}
    for name, value in arrays.items():
        kind, _, entry = name.partition("/")
        if entry:
            held[kind][entry] = value
    model = None if meta["model"] is None else meta["model"] | held["model"]
    return Stored(arrays["labels"], meta["record"], held["payload"], model)


# ---------------------------------------------------------------------- what decides a member


def fingerprint(X: Any) -> str:
    """Digest of the values of X, its shape and its type; of blocks, of a thousand rows."""
    if isinstance(X, Rows):
        rows = X.take(np.unique(np.linspace(0, len(X) - 1, 1000).astype(np.int64)))
        return _digest(repr((X.shape, str(X.dtype))).encode(), np.ascontiguousarray(rows))
    parts = [X.data, X.indices, X.indptr] if hasattr(X, "indptr") else [X]
    kinds = [(part.shape, str(part.dtype)) for part in parts]
    return _digest(repr((X.shape, kinds)).encode(), *map(np.ascontiguousarray, parts))


def description(value: Any) -> Any:
    """Describe the value of a parameter, with a fingerprint in place of an array."""
    return plain_value(value, array=lambda values: f"array {fingerprint(values)}")


def _digest(*parts: Any) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        digest.update(part)
    return digest.hexdigest()


def _differences(own: dict[str, Any], other: Any) -> list[str]:
    """What is different, in words for people."""
    if not isinstance(other, dict) or other.get("encoding-type") != own["encoding-type"]:
        return ["its store.json is not one of ours"]
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
