"""Model files, which `cluster --model` writes and `predict` reads, without pickle."""

from copy import copy
from pathlib import Path
from typing import Any

#: Attributes that are not needed to label new rows.
NOT_NEEDED = ("consensus_", "ensemble_", "labels_", "results_")

#: Prefixes of types that a model may hold, besides those that skops trusts.
TRUSTED = (
    "consens.",
    "numpy.dtype",
    "sklearn.compose._column_transformer._RemainderColsList",  # up to scikit-learn 1.6
)


def dump_model(preparer: Any, model: Any, id_column: str | None) -> bytes:
    """Serialize a fitted model with the transformer of its features."""
    import skops.io
    from sklearn.pipeline import Pipeline

    from consens._support.seeds import forget_store

    model = copy(model)
    for name in NOT_NEEDED:
        vars(model).pop(name, None)
    for part in (model, model.generator_):
        forget_store(part)
    pipeline = Pipeline([("prepare", preparer), ("cluster", model)])
    content: bytes = skops.io.dumps({"pipeline": pipeline, "id_column": id_column})
    return content


def load_model(path: Path) -> tuple[Any, str | None]:
    """Read a pipeline and its column of ids; refuse types other than `TRUSTED`."""
    import skops.io

    if not path.is_file():
        raise FileNotFoundError(f"no such file: {path}")
    try:
        foreign = skops.io.get_untrusted_types(file=path)
        trusted = [name for name in foreign if name.startswith(TRUSTED)]
        if trusted != foreign:
            other = next(name for name in foreign if name not in trusted)
            raise ValueError(f"{path} is not a model of consens: it holds {other}")
        model = skops.io.load(path, trusted=trusted)
        return model["pipeline"], model["id_column"]
    except (OSError, ValueError):
        raise
    except Exception:
        raise ValueError(
            f"{path} is not a model that consens cluster --model wrote, or a damaged one"
        ) from None
