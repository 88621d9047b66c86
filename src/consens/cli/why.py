"""`consens why`: explain why objects are in their clusters."""

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from consens.cli import console, inputs, options, pipeline
from consens.cli.cluster import ClusterJob
from consens.cli.combine import CombineJob
from consens.cli.configuration import argument, usage_error
from consens.cli.result import Outputs

MOST_LISTED = 12  # members that are listed at most


@dataclass(kw_only=True)
class WhyJob(options.Printing):
    """Options of `consens why`."""

    result: Path = argument("OUT", "Folder of results of consens cluster or consens combine.")
    ids: list[str] = argument("ID...", "Objects to explain, by their ids in labels.csv.")


def why(job: WhyJob) -> None:
    """Explain why objects are in their clusters.

    For each: its cluster, the runner-up, the clusterings that prefer the runner-up, and the
    features that pull it to either one. The clusterings are made again as config.toml says.
    """
    known = inputs.read_result(job.result)
    place = {name: i for i, name in reversed(list(enumerate(known.ids)))}
    unknown = [name for name in job.ids if name not in place]
    if unknown:
        some = ", ".join(known.ids[:3])
        raise usage_error("ID", f"{job.result} has no object {unknown[0]!r}, but {some}, ...")
    import numpy as np

    from consens.show.reasons import explain

    names = [cluster["name"] for cluster in known.summary["clusters"]]
    numbers = {name: number for number, name in enumerate(names)} | {"-1": -1, "": -2}
    labels = np.array([numbers[label] for label in known.labels])
    rows = np.array([place[name] for name in job.ids])
    if (labels[rows] < 0).any():
        name = job.ids[int((labels[rows] < 0).argmax())]
        raise ValueError(
            f"{name} is in no cluster: most clusterings call it noise, or none has it"
        )
    ensemble, table = _members(job, known, labels)
    reasons = explain(ensemble, labels, np.array(known.confidence), table, rows)
    if job.json:
        found = [
            {"id": name}
            | asdict(reason)
            | {"cluster": names[reason.cluster]}
            | {"runner_up": None if reason.runner_up is None else names[reason.runner_up]}
            | {key: [pull._asdict() for pull in getattr(reason, key)] for key in _PULLS}
            for name, reason in zip(job.ids, reasons, strict=True)
        ]
        console.echo_json({"command": job.verb, "result": str(job.result), "objects": found})
        return
    for name, reason in zip(job.ids, reasons, strict=True):
        console.echo(f"{name}: {reason.in_words(names)}")
        if few := reason.disagreeing[:MOST_LISTED]:
            called = [str(ensemble.records[m].get("name") or m) for m in few]
            more = len(reason.disagreeing) - len(few)
            text = ", ".join(called) + (f" and {more} more" if more else "")
            console.echo(f"members that disagree: {text}")
        console.echo("")


_PULLS = ("towards_own", "towards_other")


def _members(job: WhyJob, known: inputs.EarlierResult, labels: Any) -> tuple[Any, Any]:
    """Make the clusterings of a result again, and read its table, if it had one."""
    verb = known.summary["command"]
    changed = ValueError(
        f"repeating {job.result} gives another result: its file or consens was changed since; run "
        f"consens {verb} again"
    )
    kind = CombineJob if verb == "combine" else ClusterJob
    earlier = kind.from_options(known.options, quiet=True)
    if verb == "combine" or earlier.graph:
        if verb == "combine":
            made = inputs.read_clusterings(earlier.file, earlier.reader_options(), quiet=job.quiet)
        else:
            made = pipeline.make_communities(earlier, Outputs.in_folder(earlier.out, earlier.file))
        if not known.has_ids(made.ids):
            raise changed
        return made.ensemble, None
    again = replace(earlier, n_clusters=known.summary["n_clusters"])
    model = pipeline.make_estimator(again)
    with console.progress(str(job.result), "reading", *model.stages(), quiet=job.quiet):
        data, _ = pipeline.fit_model(model, again)
    if model.labels_.tolist() != labels.tolist() or not known.has_ids(data.ids or ()):
        raise changed
    return model.ensemble_, data.frame
