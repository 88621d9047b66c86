"""Outputs of `cluster`, `combine` and `report`: files, and a printed summary."""

import json
import platform
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import chain
from math import isfinite
from pathlib import Path
from typing import Any

from consens.cli import console
from consens.cli.configuration import Job, config_path, usage_error
from consens.cli.options import Printing

LABELS, SUMMARY, CONFIG = "labels.csv", "summary.json", "config.toml"


@dataclass(frozen=True)
class Solution:
    """A fitted consensus with its input and labels.

    `model` is the estimator for the report: the consensus, or the ConsensusClustering around it.
    `choice` is a Choice if the number of clusters was chosen; `facts` are further entries of the
    summary.  `ids` and `table` are arguments of `consens.report`; `preparer` is the transformer
    that made the features.  Labels and confidence are arrays, or Rows for input in blocks.
    `dialect` is that of a text file.
    """

    model: Any
    consensus: Any
    choice: Any
    files: list[Path]
    facts: dict[str, Any]
    ids: Sequence[Any] | None
    labels: Any
    confidence: Any
    table: Any = None
    feature_names: list[str] | None = None
    preparer: Any = None
    dialect: Any = None

    @property
    def features(self) -> Any:
        """The features of a table before they were scaled; None without a table."""
        return None if self.preparer is None else self.preparer.unscaled(self.table)


@dataclass(frozen=True)
class Result:
    """The summary, the content of the page, and the files that were written."""

    summary: dict[str, Any]
    page: dict[str, Any] | None
    written: list[Path]


@dataclass(frozen=True)
class Outputs:
    """Paths of the results of a job; a result whose path is None is not written.

    `main` is the folder or page that the job is named after.  `labels` becomes a Parquet file for
    input in blocks.  `view` has further options of `consens.report`.
    """

    main: Path
    labels: Path
    config: Path
    summary: Path | None = None
    page: Path | None = None
    model: Path | None = None
    title: str | None = None
    view: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def in_folder(cls, out: Path | None, file: Path, **others: Any) -> "Outputs":
        """Put labels, summary and configuration into a folder."""
        folder = out or Path(f"{stem(file)}-consens")
        return cls(folder, folder / LABELS, folder / CONFIG, folder / SUMMARY, **others)

    @classmethod
    def as_page(cls, out: Path | None, file: Path, **others: Any) -> "Outputs":
        """Write a page, with labels and configuration next to it."""
        page = out or Path(f"{stem(file)}-report.html")
        return cls(page, page.with_suffix(".labels.csv"), config_path(page), page=page, **others)

    def stages(self) -> list[str]:
        """Return the stages of progress while outputs are made."""
        return ["summary", *(["report"] if self.page is not None else [])]

    @property
    def members(self) -> Path:
        """Folder that keeps finished members during the run."""
        return self.main.with_name(f"{self.main.name}.members")

    @contextmanager
    def ready(self, *files: Path) -> Iterator[None]:
        """Check that all outputs can be written, and that no input is overwritten."""
        from consens._support.files import output_folder

        if self.page is not None and self.page.suffix.lower() not in (".html", ".htm"):
            option = "--out" if self.page == self.main else "--report"
            raise usage_error(option, f"{self.page} does not end in .html")
        paths = (self.labels, self.summary, self.page, self.model, self.config)
        targets = [path for path in paths if path is not None]
        for target in (*targets, self.labels.with_suffix(".parquet")):
            if target.exists() and any(f.exists() and target.samefile(f) for f in files):
                raise usage_error(
                    "--out", f"{target} is the file to read, and would be overwritten"
                )
        with ExitStack() as stack:
            for folder in dict.fromkeys(target.parent for target in targets):
                names = [target.name for target in targets if target.parent == folder]
                stack.enter_context(output_folder(folder, names))
            yield

    def write(self, solution: Solution, job: Any) -> Result:
        """Write labels, summary, page, model and configuration, all of a folder or none."""
        from consens._support.files import file_set
        from consens._support.progress import announce
        from consens.io.parquet import column_runs, write_label_blocks

        announce("summary")
        summary, shown = result_summary(solution, job), None
        id_column = solution.facts["id_column"]
        contents: dict[Path, str | bytes | None] = {}
        if solution.ids is None:
            contents[self.labels.with_suffix(".parquet")] = None
        else:
            contents[self.labels] = labels_csv(solution, job)
        if self.summary is not None:
            text = json.dumps(summary, indent=2, ensure_ascii=False, allow_nan=False)
            contents[self.summary] = f"{text}\n"
        if self.page is not None:
            contents[self.page], shown = self._page(solution)
        if self.model is not None:
            contents[self.model] = _model_file(solution)
        contents[self.config] = job.to_toml()
        with ExitStack() as stack:
            folders = dict.fromkeys(path.parent for path in contents)
            stages = {folder: stack.enter_context(file_set(folder)) for folder in folders}
            for path, content in contents.items():
                staged = stages[path.parent] / path.name
                if content is None:
                    ids = id_column and column_runs(solution.files, id_column)
                    columns = solution.labels, solution.confidence, ids
                    write_label_blocks(staged, *columns, name=id_name(id_column))
                else:
                    if isinstance(content, str):  # file names need not be valid Unicode
                        content = content.encode("utf-8", "surrogateescape")
                    staged.write_bytes(content)
        return Result(summary, shown, list(contents))

    def _page(self, solution: Solution) -> tuple[str, dict[str, Any]]:
        """Render a report; returns its HTML, and its content."""
        from consens.show.page import render
        from consens.show.summary import gather

        name = solution.files[0].name
        named = {"id_column": "id column", "seed": "seed", "scale": "scale"}
        facts = {named[key]: value for key, value in solution.facts.items() if key in named}
        if solution.facts.get("notes"):
            facts["notes"] = "; ".join(solution.facts["notes"])
        contents = gather(
            solution.model,
            solution.features,
            feature_names=solution.feature_names,
            ids=solution.ids,
            table=solution.table,
            title=self.title or name,
            facts={"file": name} | facts,
            **self.view,
        )
        return render(contents), contents.summary


def _model_file(solution: Solution) -> bytes:
    """Serialize the model with the transformer of its features."""
    from sklearn.pipeline import Pipeline

    from consens.io.models import dump_model

    steps = [("prepare", solution.preparer), ("cluster", solution.model)]
    return dump_model(Pipeline(steps), facts={"id_column": solution.facts["id_column"]})


def result_summary(solution: Solution, job: Job) -> dict[str, Any]:
    """Summarize input, result and method, for summary.json."""
    import numpy as np

    from consens._blocks import sum_rows
    from consens._support.plain import package_versions
    from consens.measure.confidence import mean_by_cluster
    from consens.show._answer import how_chosen

    consensus, labels = solution.consensus, solution.labels
    n, k = len(labels), int(consensus.n_clusters_)
    widths = consensus.ensemble_.n_clusters
    sizes = sum_rows(lambda own: np.bincount(own[own >= 0], minlength=k), labels, bytes_per_row=16)
    confidences = mean_by_cluster(solution.confidence, labels)
    stability = getattr(consensus, "stability_", None)
    choice = {} if solution.choice is None else {"choice": _choice_summary(solution.choice)}
    return {
        "command": job.verb,
        "file": solution.files[0].name,
        "files": [file.name for file in solution.files],
        "n_objects": n,
        **solution.facts,
        **choice,
        **_recipe_summary(solution.model),
        "n_members": consensus.ensemble_.shape[1],
        "n_clusters_of_members": [int(widths.min()), int(widths.max())],
        "method": type(consensus).__name__,
        "parameters": {
            name: value
            for name, value in consensus.get_params().items()
            if isinstance(value, str | int | float | bool | None)
            and name not in ("n_clusters", "n_jobs", "random_state")
        },
        "n_clusters": k,
        "n_clusters_choice": how_chosen(consensus, solution.choice),
        "clusters": [
            {
                "label": label,
                "name": name,
                "size": int(size),
                "confidence": round(float(confidence), 6),
                **({} if stability is None else _cluster_stability(stability, label)),
            }
            for label, (name, size, confidence) in enumerate(
                zip(consensus.names_, sizes, confidences, strict=True)
            )
        ],
        "changes": _changes(solution.model),
        "within": _within(solution),
        "annotators": _annotator_summary(consensus),
        "n_unclustered": int(n - sizes.sum()),
        "n_noise": int(consensus.n_noise_),
        "mean_confidence": round(float(sizes @ confidences / sizes.sum()), 6),
        "stability": None
        if stability is None
        else {
            "ari": round(stability.ari, 6),
            "interval": [round(v, 6) for v in stability.interval],
        },
        "versions": {"python": platform.python_version()}
        | package_versions("numpy", "scipy", "scikit-learn"),
    }


def _changes(model: Any) -> list[dict[str, Any]] | None:
    """Return what became of the clusters of an earlier model; None without one."""
    found = getattr(model, "changes_", None)
    return None if found is None else [change._asdict() for change in found]


def _within(solution: Solution) -> dict[str, Any] | None:
    """Return the cluster of an earlier result that the objects are; None for a whole table."""
    found = getattr(solution.model, "within_", None)
    if found is None:
        return None
    return {"result": str(solution.files[0]), "cluster": found.name, "n_objects": found.n_objects}


def _annotator_summary(consensus: Any) -> dict[str, Any] | None:
    """Return agreement and reliability of members with the same names; None for others."""
    found = getattr(consensus, "annotators_", None)
    return None if found is None else found.to_dict()


def _cluster_stability(stability: Any, label: int) -> dict[str, Any]:
    """Return the expected Jaccard coefficient of a cluster, and what it means."""
    return {
        "stability": round(float(stability.clusters[label]), 6),
        "verdict": stability.words[label],
    }


def _recipe_summary(model: Any) -> dict[str, Any]:
    """Return the recipe that answered, all that competed, and how far halves of members agree."""
    agreement = getattr(model, "agreement_", None)
    if agreement is not None:
        agreement = round(float(agreement), 6) if isfinite(agreement) else None
    return {
        "recipe": getattr(model, "recipe_", None),
        "recipes": [
            {name: round(v, 6) if isinstance(v, float) else v for name, v in one._asdict().items()}
            for one in getattr(model, "recipes_", ())
        ],
        "agreement": agreement,
    }


def _choice_summary(choice: Any) -> dict[str, Any]:
    """Return the reason for a number of clusters, and the criteria of all candidates."""
    table = choice.table.astype(object).where(choice.table.notna(), None)
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
        "reason": choice.reason,
        "candidates": [
            {name: round(v, 6) if isinstance(v, float) else v for name, v in one._asdict().items()}
            for one in choice.candidates
        ],
        "votes": choice.votes,
        "p_split": choice.p_split,
        "criteria": criteria,
    }


def labels_csv(solution: Solution, job: Any) -> str:
    """Format id, label, confidence and, if the job says so, memberships of all objects."""
    from consens._labels import MISSING
    from consens.io.text import csv_text

    shown = dict(enumerate(solution.consensus.names_))
    known = shown | {MISSING: ""}
    labels = [known.get(label, label) for label in solution.labels.tolist()]
    names = [id_name(solution.facts["id_column"]), "label", "confidence"]
    columns = [solution.ids or (), labels, solution.confidence.tolist()]
    if job.memberships:
        shares = solution.consensus.memberships_
        names += [f"membership_{name}" for name in shown.values()]
        columns += shares.T.tolist()
    rows = chain([names], zip(*columns, strict=True))
    return csv_text(rows, safe=job.safe_csv, dialect=solution.dialect)


def id_name(id_column: str | None) -> str:
    """Return the name of the ids in a table of labels: that of the input, if it had one."""
    unnamed = id_column in (None, "column names", "column1", "label", "confidence")
    return "id" if unnamed else str(id_column)


def stem(file: Path) -> str:
    """Return the name of a file without its suffixes, for the names of results."""
    if file == Path("-"):
        return "stdin"
    compressed = file.suffix.lower() in (".gz", ".bz2", ".zst")
    return Path(file.stem).stem if compressed else file.stem


def print_summary(result: Result, job: Printing) -> None:
    """Print the summary, as text or as JSON."""
    summary = result.summary
    if job.json:
        console.echo_json(summary)
        return
    if job.quiet:
        return
    k, within = summary["n_clusters"], summary["within"]
    inside = f" of cluster {within['cluster']} of {within['result']}" if within else ""
    console.echo(
        f"{summary['n_objects']} objects{inside} in {k} cluster{'s' if k > 1 else ''} "
        f"({summary['n_clusters_choice']}) by {summary['method']} of {summary['n_members']} "
        f"clusterings, mean confidence {summary['mean_confidence']:.2f}"
        + _stability_text(summary["stability"])
        + "\n"
    )
    if "choice" in summary:
        console.echo(f"why {k}: {summary['choice']['reason']}")
        others = [
            f"{one['n_clusters']} (score {one['score']:.2f}, draws agree {one['agreement']:.2f})"
            for one in summary["choice"]["candidates"]
            if one["agreement"] is not None and one["n_clusters"] != k
        ]
        console.echo(f"or {', '.join(others)}\n" if others else "")
    rows = [
        [
            cluster["name"],
            str(cluster["size"]),
            f"{cluster['confidence']:.2f}",
            f"{cluster['stability']:.2f} {cluster['verdict']}" if "stability" in cluster else "",
        ]
        for cluster in summary["clusters"]
    ]
    n_missing = summary["n_unclustered"] - summary["n_noise"]
    for name, number in (("noise", summary["n_noise"]), ("no label", n_missing)):
        rows += [[name, str(number), "", ""]] if number else []
    console.table(["cluster", "size", "confidence", "stability"], rows, right=True)
    if summary["changes"] is not None:
        console.echo("")
        changed = [
            [change["kind"], *(", ".join(change[when]) for when in ("before", "after")),
             str(change["n_objects"])]
            for change in summary["changes"]
        ]  # fmt: skip
        console.table(["change", "before", "after", "objects"], changed, right=False)
    if summary["annotators"] is not None:
        print_annotators(summary["annotators"])
    singles = sum(cluster["size"] == 1 for cluster in summary["clusters"])
    if singles and k > summary["n_clusters_of_members"][1]:
        console.note(
            f"note: {singles} of {k} clusters contain a single object: the clusterings have fewer "
            "clusters"
        )
    console.written(result.written)


def print_annotators(found: Mapping[str, Any]) -> None:
    """Print how far annotators agree, and how reliable each is."""
    values = [("Krippendorff's alpha", "alpha"), ("Fleiss' kappa", "fleiss")]
    shown = [f"{name} {found[key]:.2f}" for name, key in values if found[key] is not None]
    console.echo(f"\nannotators agree: {', '.join(shown)}" if shown else "")
    rows = [
        [one["name"], str(one["n_labels"]), _or_dash(one["reliability"])]
        for one in found["annotators"]
    ]
    console.table(["annotator", "labels", "reliability"], rows, right=True)


def _or_dash(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _stability_text(stability: dict[str, Any] | None) -> str:
    if stability is None:
        return ""
    low, high = stability["interval"]
    return f", stability {stability['ari']:.2f} ({low:.2f} to {high:.2f})"
