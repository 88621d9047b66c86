"""Model files: a fitted model without pickle, as `save` and the command line write it."""

import io
import json
import warnings
import zipfile
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

from sklearn.base import BaseEstimator

from consens._support.files import as_path, whole_path
from consens._support.plain import package_versions
from consens._support.seeds import forget_store
from consens.cluster import ConsensusClustering
from consens.consensus import BaseConsensus
from consens.ensemble import PER_OBJECT

MODEL_META = "consens.json"  # entry of the archive that says what it is
MODEL_ENCODING = {"encoding-type": "consens-model", "encoding-version": "1"}

CHECKED = ("scikit-learn",)  # packages whose minor version should be the same when a model is read

#: Prefixes of types that a model may hold, besides those that skops trusts.
TRUSTED = (
    "consens.",
    "numpy.dtype",
    "sklearn.compose._column_transformer._RemainderColsList",  # up to scikit-learn 1.6
)


def save(model: BaseEstimator, path: str | Path, *, keep_members: bool = False) -> None:
    """Write a fitted model to a file, which `load` and ``consens predict`` read.

    Parameters
    ----------
    model : fitted ConsensusClustering, pipeline that ends in one, or consensus
        Such as the result of `combine`.
    path : path
        An existing file is replaced once the new one is complete.
    keep_members : bool
        Whether to keep the labels of all members, from which reports and plots are made.
        Otherwise the file holds what ``predict`` needs, ``labels_``, ``confidence_`` and
        ``names_``; its size hardly depends on the number of objects.

    Notes
    -----
    The file is an archive of arrays and JSON, written by skops; it contains no pickle, and reading
    it runs no code of others.  ``results_``, the choice of the number of clusters, is not kept.
    See :doc:`/format`.

    .. versionadded:: 0.1

    Examples
    --------
    >>> import tempfile
    >>> import consens
    >>> from sklearn.datasets import load_iris
    >>> X = load_iris().data
    >>> members = consens.generate.KMeansEnsemble(20)
    >>> model = consens.ConsensusClustering(3, generator=members, random_state=0).fit(X)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     consens.save(model, f"{folder}/iris.model")
    ...     again = consens.load(f"{folder}/iris.model")
    >>> bool((again.predict(X) == model.predict(X)).all())
    True
    """
    path = as_path(path)
    content = dump_model(model, keep_members=keep_members)
    with whole_path(path) as temporary:
        temporary.write_bytes(content)


def load(path: str | Path, *, trusted: Sequence[str] = ()) -> BaseEstimator:
    """Read a model that `save` or ``consens cluster --model`` wrote.

    Parameters
    ----------
    path : path
    trusted : sequence of str
        Full names of further types that the model may hold, such as ``"mine.MyGenerator"``.
        Types other than those of consens, scikit-learn, NumPy and SciPy are refused.

    Returns
    -------
    the model
        A model of the command line is a pipeline of `TableFeatures` and `ConsensusClustering`,
        whose ``predict`` takes a data frame with the columns of the table.

    .. versionadded:: 0.1
    """
    return read_model_file(path, trusted)[0]


def dump_model(
    model: Any, *, keep_members: bool = False, facts: Mapping[str, Any] | None = None
) -> bytes:
    """Serialize a fitted model; `facts` are further entries of its description."""
    import skops.io

    kept = _to_save(model, keep_members)
    versions = package_versions("numpy", "scikit-learn", "skops")
    meta = MODEL_ENCODING | {"kind": type(model).__name__, "versions": versions, **(facts or {})}
    stream = io.BytesIO()
    stream.write(skops.io.dumps(kept, compression=zipfile.ZIP_DEFLATED))
    with zipfile.ZipFile(stream, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(MODEL_META, json.dumps(meta, indent=2))
    return stream.getvalue()


def read_model_file(path: str | Path, trusted: Sequence[str] = ()) -> tuple[Any, dict[str, Any]]:
    """Read a model and its description; refuse types that are not trusted."""
    import skops.io

    path = as_path(path)
    if not path.is_file():
        raise FileNotFoundError(f"no such file: {path}")
    damaged = f"{path} is not a model that consens wrote, or a damaged one"
    try:
        with zipfile.ZipFile(path) as archive:
            if archive.testzip() is not None:
                raise ValueError(damaged)
            meta = json.loads(archive.read(MODEL_META))
        known = meta["encoding-type"] == MODEL_ENCODING["encoding-type"]
        version, versions = meta["encoding-version"], meta["versions"]
    except (zipfile.BadZipFile, KeyError, TypeError, ValueError, EOFError):
        raise ValueError(damaged) from None
    if not known:
        raise ValueError(damaged)
    if version != MODEL_ENCODING["encoding-version"]:
        raise ValueError(
            f"{path} has version {version} of the format, written by consens "
            f"{versions.get('consens', '?')}; this consens reads version "
            f"{MODEL_ENCODING['encoding-version']}: install that consens, or fit the model again"
        )
    _warn_of_versions(path, versions)
    try:
        foreign = skops.io.get_untrusted_types(file=path)
    except Exception:
        raise ValueError(damaged) from None
    allowed = [name for name in foreign if name.startswith(TRUSTED) or name in trusted]
    if allowed != foreign:
        other = next(name for name in foreign if name not in allowed)
        raise ValueError(
            f"{path} holds {other}, which is not a type of consens or scikit-learn; if you trust "
            f"the file, pass trusted=[{other!r}] to consens.load"
        )
    try:
        return skops.io.load(path, trusted=allowed), meta
    except Exception:
        raise ValueError(damaged) from None


def _warn_of_versions(path: Path, versions: Mapping[str, str]) -> None:
    now = package_versions(*CHECKED)
    for name in CHECKED:
        then = versions.get(name, "?")
        if then.split(".")[:2] != now[name].split(".")[:2]:
            warnings.warn(
                f"{path} was written with {name} {then}, and this is {now[name]}; if predictions "
                "look wrong, fit and save the model again",
                UserWarning,
                stacklevel=4,
            )


def _to_save(model: Any, keep_members: bool) -> Any:
    """Copy a model without what is not to be written."""
    steps = getattr(model, "steps", None)
    if steps:
        kept = copy(model)
        kept.steps = [*steps[:-1], (steps[-1][0], _to_save(steps[-1][1], keep_members))]
        return kept
    if not isinstance(model, ConsensusClustering | BaseConsensus):
        raise TypeError(
            f"got {type(model).__name__}; expected a fitted ConsensusClustering, a pipeline that "
            "ends in one, or the result of combine"
        )
    if not hasattr(model, "n_clusters_"):
        raise ValueError(f"this {type(model).__name__} is not fitted; call fit before save")
    front = isinstance(model, ConsensusClustering)
    kept = copy(model)
    for name in ("results_", "tree_"):  # which is made again
        kept.__dict__.pop(name, None)
    if front:
        forget_store(kept)
        kept.generator_ = _without_objects(kept.generator_)
    else:
        kept.__dict__.update(names_=model.names_, annotators_=model.annotators_)
    if keep_members:
        if front:
            kept.consensus_ = _to_save(model.consensus_, True)
        return kept
    return kept.without_members()


def _without_objects(generator: Any) -> Any:
    """Copy a generator without arrays that have one row per object."""
    generator = copy(generator)
    if hasattr(generator, "get_params"):
        forget_store(generator)
    if hasattr(generator, "members_"):
        generator.members_ = [
            replace(one, payload={k: v for k, v in one.payload.items() if k not in PER_OBJECT})
            for one in generator.members_
        ]
    return generator
