"""Outputs of verbs: results, tables and ensembles, each with its configuration."""

import json
import platform
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

from consens.cli import console
from consens.cli.configuration import Job, check_suffix, config_path, usage_error
from consens.cli.inputs import Clusterings, Features
from consens.cli.options import Printing

LABELS, SUMMARY, CONFIG = "labels.csv", "summary.json", "config.toml"

NOT_IDENTITY = ("n-jobs", "out", "store")  # options that do not affect the result of a stage


@dataclass(frozen=True)
class Solution:
    """A fitted consensus, or the ConsensusClustering around it, with its input."""

    model: Any
    source: Features | Clusterings
    files: list[Path]
    facts: dict[str, Any]

    @property
    def consensus(self) -> Any:
        """The fitted consensus."""
        return getattr(self.model, "consensus_", self.model)

    @property
    def choice(self) -> Any:
        """The Choice of the number of clusters, if it was chosen."""
        return getattr(self.model, "results_", None)

    def like_input(self, values: Any) -> Any:
        """Divide values of objects into the blocks of the input, if it has blocks."""
        from consens._blocks import split_like

        return split_like(values, self.source.X) if isinstance(self.source, Features) else values


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

    @contextmanager
    def ready(self, *files: Path) -> Iterator[None]:
        """Check that all outputs can be written, and that no input is overwritten."""
        from consens._support.files import output_folder

        if self.page is not None:
            option = "--out" if self.page == self.main else "--report"
            check_suffix(option, self.page, ".html", ".htm")
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
        if solution.source.ids is None:
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
                    labels = solution.like_input(solution.model.labels_)
                    confidence = solution.like_input(solution.model.confidence_)
                    write_label_blocks(staged, labels, confidence, ids, id_name(id_column))
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
        source, features = solution.source, {}
        if isinstance(source, Features):
            unscaled = source.preparer.unscaled(source.frame)
            features = {"X": unscaled, "feature_names": source.columns, "table": source.frame}
        contents = gather(
            solution.model,
            ids=source.ids,
            **features,
            title=self.title or name,
            facts={"file": name} | facts,
            **self.view,
        )
        return render(contents), contents.summary


def _model_file(solution: Solution) -> bytes:
    """Serialize the model with the transformer of its features."""
    from sklearn.pipeline import Pipeline

    from consens.io.models import dump_model

    assert isinstance(solution.source, Features)
    steps = [("prepare", solution.source.preparer), ("cluster", solution.model)]
    return dump_model(Pipeline(steps), facts={"id_column": solution.facts["id_column"]})


def result_summary(solution: Solution, job: Job) -> dict[str, Any]:
    """Summarize input, result and method, for summary.json."""
    import numpy as np

    from consens._blocks import sum_rows
    from consens._support.plain import package_versions, rounded_values
    from consens.measure.confidence import mean_by_cluster
    from consens.show._answer import how_chosen

    consensus, labels = solution.consensus, solution.like_input(solution.model.labels_)
    n, k = len(labels), int(consensus.n_clusters_)
    widths = consensus.ensemble_.n_clusters
    sizes = sum_rows(lambda own: np.bincount(own[own >= 0], minlength=k), labels, bytes_per_row=16)
    confidences = mean_by_cluster(solution.like_input(solution.model.confidence_), labels)
    stability = getattr(consensus, "stability_", None)
    within = getattr(solution.model, "within_", None)
    annotators = getattr(consensus, "annotators_", None)
    choice = {} if solution.choice is None else {"choice": _choice_summary(solution.choice)}
    clusters = []
    for label, name in enumerate(consensus.names_):
        found: dict[str, Any] = {"label": label, "name": name, "size": int(sizes[label])}
        found["confidence"] = rounded_values(float(confidences[label]))
        if stability is not None:  # the expected Jaccard coefficient, and what it means
            found["stability"] = rounded_values(float(stability.clusters[label]))
            found["verdict"] = stability.words[label]
        clusters.append(found)
    return {
        "command": job.verb,
        "file": solution.files[0].name,
        "files": [file.name for file in solution.files],
        "n_objects": n,
        **solution.facts,
        **choice,
        "recipe": getattr(solution.model, "recipe_", None),
        "recipes": rounded_values(getattr(solution.model, "recipes_", ())),
        "agreement": rounded_values(getattr(solution.model, "agreement_", None)),
        "boundaries": getattr(solution.model, "boundaries_", None),
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
        "clusters": clusters,
        "changes": rounded_values(getattr(solution.model, "changes_", None)),
        "within": within
        and {
            "result": str(solution.files[0]),
            "cluster": within.name,
            "n_objects": within.n_objects,
        },
        "annotators": annotators and annotators.to_dict(),
        "n_unclustered": int(n - sizes.sum()),
        "n_noise": int(consensus.n_noise_),
        "mean_confidence": rounded_values(float(sizes @ confidences / sizes.sum())),
        "stability": stability
        and {"ari": rounded_values(stability.ari), "interval": rounded_values(stability.interval)},
        "versions": {"python": platform.python_version()}
        | package_versions("numpy", "scipy", "scikit-learn"),
    }


def _choice_summary(choice: Any) -> dict[str, Any]:
    """Return the reason for a number of clusters, and the criteria of all candidates."""
    from consens._support.plain import rounded_values

    table = choice.table.rename_axis("n_clusters").reset_index().astype(object)
    return {
        "reason": choice.reason,
        "candidates": rounded_values(choice.candidates),
        "votes": choice.votes,
        "p_split": choice.p_split,
        "criteria": rounded_values(table.to_dict("records")),
    }


def labels_csv(solution: Solution, job: Any) -> str:
    """Format id, label, confidence and, if the job says so, memberships of all objects."""
    from consens._labels import MISSING
    from consens.io.text import csv_text

    shown = dict(enumerate(solution.consensus.names_))
    known = shown | {MISSING: ""}
    labels = [known.get(label, label) for label in solution.model.labels_.tolist()]
    names = [id_name(solution.facts["id_column"]), "label", "confidence"]
    columns = [solution.source.ids or (), labels, solution.model.confidence_.tolist()]
    if job.memberships:
        shares = solution.consensus.memberships_
        names += [f"membership_{name}" for name in shown.values()]
        columns += shares.T.tolist()
    rows = chain([names], zip(*columns, strict=True))
    return csv_text(rows, safe=job.safe_csv, dialect=solution.source.dialect)


def write_table(
    rows: Iterable[Sequence[object]] | bytes, out: Path, job: Job, dialect: Any = None
) -> None:
    """Write a table, and the configuration that makes it again."""
    from consens._support.files import write_files
    from consens.io.text import csv_text

    content = rows if isinstance(rows, bytes) else csv_text(rows, dialect=dialect)
    write_files(out.parent, {out.name: content, config_path(out).name: job.to_toml()})


def cells_of(frame: Any, missing: Any) -> Any:
    """Return a data frame as objects, with a value for missing cells."""
    return frame.astype(object).where(frame.notna(), missing)


def rows_of(frame: Any) -> list[list[Any]]:
    """Return the names and the cells of a data frame, for a text file."""
    return [list(frame.columns), *cells_of(frame, "").to_numpy().tolist()]


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
    sure = f"mean confidence {summary['mean_confidence']:.2f}"
    if (stability := summary["stability"]) is not None:
        low, high = stability["interval"]
        sure += f", stability {stability['ari']:.2f} ({low:.2f} to {high:.2f})"
    console.echo(
        f"{summary['n_objects']} objects{inside} in {k} cluster{'s' if k > 1 else ''} "
        f"({summary['n_clusters_choice']}) by {summary['method']} of {summary['n_members']} "
        f"clusterings, {sure}\n"
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
            cluster["size"],
            f"{cluster['confidence']:.2f}",
            f"{cluster['stability']:.2f} {cluster['verdict']}" if "stability" in cluster else "",
        ]
        for cluster in summary["clusters"]
    ]
    n_missing = summary["n_unclustered"] - summary["n_noise"]
    for name, number in (("noise", summary["n_noise"]), ("no label", n_missing)):
        rows += [[name, number, "", ""]] if number else []
    console.table(["cluster", "size", "confidence", "stability"], rows, right=True)
    if summary["changes"] is not None:
        console.echo("")
        changed = [
            [own["kind"], ", ".join(own["before"]), ", ".join(own["after"]), own["n_objects"]]
            for own in summary["changes"]
        ]
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
        [one["name"], one["n_labels"], "-" if known is None else f"{known:.2f}"]
        for one in found["annotators"]
        for known in (one["reliability"],)
    ]
    console.table(["annotator", "labels", "reliability"], rows, right=True)


# ------------------------------------------------------------------------------- ensembles


@contextmanager
def check_output(out: Path, file: Path) -> Iterator[None]:
    """Check that an ensemble can be written, before long work starts."""
    check_suffix("--out", out, ".ens")
    if out.exists() and file.exists() and out.samefile(file):
        raise usage_error("--out", f"{out} is the ensemble to read, and would be overwritten")
    from consens._support.files import output_folder

    with output_folder(out.parent):
        from consens.io.ensembles import check_replaceable

        check_replaceable(out)
        yield


def write_ensemble_of(
    ensemble: Any,
    job: Any,
    stage_seed: int,
    *,
    ids: Sequence[Any] | None,
    made: Mapping[str, Any] | None = None,
    source: Mapping[str, Any] | None = None,
) -> None:
    """Write an ensemble with the options of all stages that made it, and its configuration."""
    import numpy as np

    from consens._support.files import file_set
    from consens.io import write_ensemble

    chosen = {k: v for k, v in job.options().items() if k not in NOT_IDENTITY}
    chosen |= {"stage-seed": stage_seed} | dict(source or {})
    parameters = {**(made or {}), job.verb: chosen}
    if ids is not None:
        ensemble = replace(ensemble, obs=np.asarray(ids))
    with file_set(job.out.parent) as stage:
        write_ensemble(ensemble, stage / job.out.name, parameters=parameters, seed=job.seed)
        (stage / config_path(job.out).name).write_text(job.to_toml(), encoding="utf-8", newline="")


def ensemble_facts(ensemble: Any) -> dict[str, Any]:
    """Return the size and content of an ensemble in numbers."""
    import numpy as np

    from consens import MISSING, NOISE

    k = ensemble.n_clusters
    kinds = Counter(record.get("algorithm", "given") for record in ensemble.records)
    return {
        "n_objects": ensemble.shape[0],
        "n_members": ensemble.shape[1],
        "n_clusters": [int(k.min()), int(k.max())],
        "algorithms": dict(kinds),
        "noise": round(float(np.mean(ensemble.labels == NOISE)), 6),
        "missing": round(float(np.mean(ensemble.labels == MISSING)), 6),
    }


def print_ensemble(ensemble: Any, job: Any) -> None:
    """Print a summary of an ensemble, as text or as JSON."""
    if job.json:
        console.echo_json(ensemble_facts(ensemble))
    elif not job.quiet:
        console.echo(repr(ensemble))
        console.written([job.out, config_path(job.out)])
