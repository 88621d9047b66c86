"""What `cluster` and `combine` leave behind: three files and a short table."""

import csv
import io
import json
import platform
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import typer

from consens.cli import configuration, console

LABELS, SUMMARY, CONFIG = "labels.csv", "summary.json", "config.toml"
FILES = (LABELS, SUMMARY, CONFIG)


@contextmanager
def result_folder(out: Path | None, file: Path) -> Iterator[Path]:
    """The folder for the results of a file, ready to be written."""
    from consens.files import output_folder

    folder = out or Path(f"{file.stem}-consens")
    for name in FILES:
        if (folder / name).exists() and file.exists() and (folder / name).samefile(file):
            raise typer.BadParameter(
                f"{folder / name} is the file to read, and would be overwritten",
                param_hint="--out",
            )
    with output_folder(folder, FILES) as ready:
        yield ready


def summarise(
    command: str, file: Path, consensus: Any, facts: dict[str, Any], chosen: Any = None
) -> dict[str, Any]:
    """Describe a fitted consensus: what came in, what was found, how it can be repeated.

    `chosen` is the `Choice` of the number of clusters, where the front door made one.
    """
    import numpy as np

    from consens.measure import cluster_confidence
    from consens.show._answer import how_chosen

    labels = consensus.labels_
    sizes = np.bincount(labels[labels >= 0])
    confidences = cluster_confidence(consensus.ensemble_, labels)
    method, parameters = type(consensus).__name__, consensus.get_params()
    if chosen is not None:
        facts = facts | {"choice": _why(chosen)}
    return {
        "command": command,
        "file": file.name,
        "n_objects": len(labels),
        **facts,
        "n_members": consensus.ensemble_.shape[1],
        "method": method,
        "parameters": {
            name: value
            for name, value in parameters.items()
            if isinstance(value, str | int | float | bool | None)
            and name not in ("n_clusters", "random_state")
        },
        "n_clusters": int(consensus.n_clusters_),
        "n_clusters_choice": how_chosen(consensus, chosen),
        "clusters": [
            {"label": label, "size": int(size), "confidence": round(float(confidence), 6)}
            for label, (size, confidence) in enumerate(zip(sizes, confidences, strict=True))
        ],
        "n_unclustered": int((labels < 0).sum()),
        "mean_confidence": round(float(np.mean(consensus.confidence_)), 6),
        "versions": _versions(),
    }


def summarise_blocks(model: Any, facts: dict[str, Any], labels: Any) -> dict[str, Any]:
    """Describe a fitted front door whose labels are in blocks."""
    import numpy as np

    from consens.measure import cluster_confidence
    from consens.show._answer import how_chosen

    consensus = model.consensus_
    sizes = labels.sum(lambda own: np.bincount(own + 1, minlength=model.n_clusters_ + 1))
    confidences = cluster_confidence(model.ensemble_, labels)
    chosen = model.results_
    return {
        "command": "cluster",
        "n_objects": len(labels),
        **facts,
        **({} if chosen is None else {"choice": _why(chosen)}),
        "n_members": model.ensemble_.shape[1],
        "method": type(consensus).__name__,
        "n_clusters": int(model.n_clusters_),
        "n_clusters_choice": how_chosen(consensus, chosen),
        "clusters": [
            {"label": label, "size": int(size), "confidence": round(float(confidence), 6)}
            for label, (size, confidence) in enumerate(zip(sizes[1:], confidences, strict=True))
        ],
        "n_unclustered": int(sizes[0]),
        "mean_confidence": round(float(sizes[1:] @ confidences / len(labels)), 6),
        "versions": _versions(),
    }


def _versions() -> dict[str, str]:
    packages = ("consens", "numpy", "scipy", "scikit-learn")
    return {"python": platform.python_version()} | {name: version(name) for name in packages}


def _why(chosen: Any) -> dict[str, Any]:
    """The reason for a number of clusters, and all criteria for every number tried."""
    table = chosen.table.astype(object).where(chosen.table.notna(), None)
    criteria = [
        {
            "n_clusters": int(k),
            **{
                name: round(float(value), 6) if isinstance(value, float) else value
                for name, value in row.items()
            },
        }
        for k, row in table.iterrows()
    ]
    return {
        "reason": chosen.reason,
        "votes": chosen.votes,
        "connection": {name: round(share, 6) for name, share in chosen.connection.items()},
        "criteria": criteria,
    }


def save(folder: Path, ids: Sequence[str | int], consensus: Any, summary: dict[str, Any]) -> None:
    """Write labels.csv, summary.json and config.toml."""
    from consens.files import write_files

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["id", "label", "confidence"])
    confidences = (f"{value:.6g}" for value in consensus.confidence_)
    writer.writerows(zip(ids, consensus.labels_.tolist(), confidences, strict=True))
    write_files(
        folder,
        {
            LABELS: text.getvalue(),
            SUMMARY: json_text(summary),
            CONFIG: configuration.resolved_text(),
        },
    )


def show(
    summary: dict[str, Any], folder: Path, *, quiet: bool, as_json: bool, labels: str = LABELS
) -> None:
    """Print the summary for people or, as JSON, for programs."""
    if as_json:
        typer.echo(json_text(summary), nl=False)
        return
    if quiet:
        return
    k = summary["n_clusters"]
    typer.echo(
        f"{summary['n_objects']} objects in {k} cluster{'s' if k > 1 else ''} "
        f"({summary['n_clusters_choice']}) by {summary['method']} of {summary['n_members']} "
        f"clusterings, mean confidence {summary['mean_confidence']:.2f}\n"
    )
    if "choice" in summary:
        typer.echo(f"why {k}: {summary['choice']['reason']}\n")
    rows = [
        [str(cluster["label"]), str(cluster["size"]), f"{cluster['confidence']:.2f}"]
        for cluster in summary["clusters"]
    ]
    if summary["n_unclustered"]:
        rows.append(["none", str(summary["n_unclustered"]), ""])
    console.table(["cluster", "size", "confidence"], rows, right=True)
    console.note("\nwritten: " + ", ".join(str(folder / name) for name in FILES))


def json_text(summary: dict[str, Any]) -> str:
    """The summary as a text for programs."""
    return json.dumps(summary, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
