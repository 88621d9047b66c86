"""The report: one page that opens anywhere, without network, and says what was found."""

from __future__ import annotations

import base64
import hashlib
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from consens.files import write_files
from consens.printable import printable, printable_values
from consens.show._style import INK, LINE, QUIET, cluster_color
from consens.show.summary import Contents, gather

#: Measures over the number of clusters: key, heading, format, and what it says.
COLUMNS = (
    ("confidence", "Confidence", "{:.2f}", "mean over the objects; falls as k grows"),
    ("n_fence", "On the fence", "{:,}", "objects that would fit another cluster nearly as well"),
    ("smallest", "Smallest", "{:,}", "objects in the smallest cluster"),
    ("agreement", "Agreement", "{:.2f}", "mean NMI of the partition with the members"),
    ("score", "Score", "{:.2f}", "sum of both lifetimes and the eigengap; decides from 2 on"),
    ("lifetime", "Lifetime", "{:.2g}", "range of thresholds on the tree that leaves k clusters"),
    ("lifetime_single", "Lifetime SL", "{:.2f}", "of k clusters on the single-link tree"),
    ("lifetime_average", "Lifetime AL", "{:.2f}", "of k clusters on the average-link tree"),
    ("eigengap", "Eigengap", "{:.2f}", "fall of the eigenvalues behind the k-th"),
    ("stability", "Stability", "{:.2f}", "mean NMI with members drawn anew"),
    ("spread", "Spread", "{:.4f}", "standard deviation of that NMI; small is steady"),
    ("delta_area", "Delta area", "{:.2f}", "growth of the area under the consensus CDF of these "
     "partitions"),
    ("pac", "PAC", "{:.2f}", "share of pairs on which partitions of members drawn anew disagree; "
     "tends to favour many clusters"),
    ("n_votes", "Votes", "{:.0f}", "criteria that alone would choose this number"),
)  # fmt: skip

#: Measures of the view per k.
PER_K = (
    ("delta_area", "Delta area", "{:.2f}", "relative growth of the area under the CDF"),
    ("pac", "PAC", "{:.3f}", "share of pairs with a consensus index from 0.1 to 0.9"),
    ("reference_pac", "No clusters", "{:.3f}", "mean PAC of data without clusters"),
    ("rcsi", "RCSI", "{:.2f}", "log10 of that mean over PAC; large is better than chance"),
    ("p_value", "p", "{:.2g}", "share of references with this PAC or less, the data among them"),
    ("p_beta", "p (beta)", "{:.1e}", "tail of a beta distribution fitted to the references"),
)

#: Plots: display, section, size in inches (width, height, height per line), caption.
PLOTS: tuple[tuple[str, str, tuple[float, float, float], str], ...] = (
    ("choice", "why", (4.7, 2.8, 0), "What decides: lifetimes and eigengap, each a range of "
     "thresholds that leaves k clusters."),
    ("tree", "why", (4.7, 3.0, 0), "Tree of the consensus, cut at the dashed line, and the "
     "lifetime of each number of clusters: the range of heights that leaves it."),
    ("tracking", "why", (4.7, 0.5, 0.36), "Clusters over the number of clusters: larger with "
     "more objects, pale with low confidence. Edges are objects that pass on: wide where they are "
     "many, dark where they make up most of the lower cluster. Pale edges into one cluster from "
     "several say that it is made of parts of others."),
    ("stability", "why", (4.7, 2.5, 0), "Agreement with members drawn anew, and its spread. "
     "Above the dashed line the spread is larger than among the members themselves."),
    ("cdf", "why", (4.7, 2.5, 0), "Consensus CDF of the members themselves: flat between its ends "
     "where they agree about nearly all pairs. Shaded: ambiguous pairs. PAC in the table is "
     "measured on consensus partitions into k, so it is another number."),
    ("members", "members", (4.7, 3.3, 0), "Map of the members: near each other where they "
     "agree, with the consensus among them."),
    ("selection", "members", (4.7, 3.3, 0), "Pairs of members by likeness and quality, and "
     "those that were selected."),
    ("weights", "members", (4.7, 0.9, 0), "The features with the largest weights in each "
     "cluster."),
)  # fmt: skip

#: Colours of the plots that must follow the page from light to dark.
FOLLOWING = {
    INK: "var(--ink)",
    LINE: "var(--line)",
    QUIET: "var(--none)",
    "#ffffff": "var(--page)",
}

#: Digits of packed numbers, the same in map.js.
DIGITS = np.frombuffer(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", dtype=np.uint8
)

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"


def report(
    estimator: Any,
    path: str | Path,
    X: Any = None,
    *,
    feature_names: Sequence[Any] | None = None,
    ids: Sequence[Any] | None = None,
    n_clusters: Iterable[int] | None = None,
    title: str | None = None,
    facts: Mapping[str, Any] | None = None,
    layout: Any = "auto",
    per_k: bool = False,
) -> None:
    """Write what a consensus found into one page: how many clusters, which, how sure, and why.

    The page holds all it needs, opens without network in any browser, and adapts to phones, dark
    screens and paper.  A control shows other numbers of clusters.  A path that ends in ``.json``
    gets the same content as data.

    Parameters
    ----------
    estimator : ConsensusClustering, consensus estimator, or pipeline that ends in one; fitted
    path : path
        Of the file, ``.html`` or ``.json``; it is written as a whole or not at all.
    X : array-like, data frame or sparse matrix of shape (n, d), optional
        Features of the objects, in units that people know: they tell what distinguishes the
        clusters.  They need not be scaled as for the clustering.
    feature_names : sequence of d names, optional
        By default the columns of a data frame.
    ids : sequence of n names of the objects, optional
        By default the index of a data frame, or row numbers from 0.
    n_clusters : iterable of int, optional
        Numbers of clusters that the page can show beside the chosen one.  By default 2 to 8 or
        a few beyond the chosen one; a method without a tree is fitted anew for each, so that by
        default only the chosen number is shown of more than 5,000 objects.
    title : str, optional
    facts : mapping of str, optional
        What else should be said about how the result was made, as the file or the scaling.
    layout : {"auto", "features", "pca", "ensemble"} or array of shape (n, 2)
        Where objects stand on the map; see `consens.show.MapDisplay`.
    per_k : bool
        Add the view of ConsensusClusterPlus: consensus matrices, CDF, delta area and PAC for each
        number of clusters, with p-values against data without clusters.  Needs X, and as a rule
        some seconds; see `consens.resampling.resampled_consensus`.

    Notes
    -----
    Names from the data are shown as they are and never run.  Long lists are cut, matrices are
    averaged in blocks, and of more than 20,000 objects the map shows a sample.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.datasets import load_iris
    >>> import consens
    >>> from consens.generate import KMeansEnsemble
    >>> iris = load_iris(as_frame=True).data
    >>> model = consens.ConsensusClustering(3, KMeansEnsemble(20), random_state=0).fit(iris)
    >>> with TemporaryDirectory() as folder:
    ...     page = Path(folder) / "report.html"
    ...     consens.report(model, page, iris, title="Iris")
    ...     page.read_text().splitlines()[0]
    '<!doctype html>'
    """
    path = Path(path)
    if path.suffix.lower() not in (".html", ".htm", ".json"):
        raise ValueError(f"{path}: a report is a page (.html) or data (.json)")
    contents = gather(
        estimator,
        X,
        feature_names=feature_names,
        ids=ids,
        n_clusters=n_clusters,
        title=title,
        facts=facts,
        layout=layout,
        per_k=per_k,
    )
    as_data = path.suffix.lower() == ".json"
    text = to_json(contents.summary) if as_data else render(contents)
    write_files(path.parent, {path.name: text})


def to_json(summary: Mapping[str, Any]) -> str:
    """The summary as text."""
    return json.dumps(summary, ensure_ascii=False, allow_nan=False) + "\n"


def render(contents: Contents) -> str:
    """The page."""
    from jinja2 import Environment
    from markupsafe import Markup

    summary = printable_values(contents.summary)
    folder = files("consens.show") / "template"
    script = "".join((folder / name).read_text(encoding="utf-8") for name in ("map.js", "page.js"))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    environment = Environment(autoescape=True)
    environment.policies["json.dumps_kwargs"] = {
        "ensure_ascii": False,
        "allow_nan": False,
        "separators": (",", ":"),
    }
    template = environment.from_string((folder / "page.html").read_text(encoding="utf-8"))
    k = summary["answer"]["n_clusters"]
    per_k = summary["per_k"] or {"numbers": []}
    return template.render(
        **summary,
        chosen=next(p for p in summary["partitions"] if p["n_clusters"] == k),
        columns=_known_columns(COLUMNS, summary["numbers"]),
        per_k_columns=_known_columns(PER_K, per_k["numbers"]),
        plots=[
            {"section": section, "caption": caption, "svg": Markup(svg)}
            for section, caption, svg in _plots(contents)
        ],
        embedded={**embedded(summary), "colors": [cluster_color(i) for i in range(30)]},
        clusters_text=lambda k: f"{k} clusters" if k > 1 else "1 cluster",
        style=Markup((folder / "page.css").read_text(encoding="utf-8")),
        script=Markup(script),
        script_hash=f"sha256-{digest}",
    ) + "\n"  # fmt: skip


def _known_columns(
    columns: Iterable[tuple[str, str, str, str]], rows: Sequence[Mapping[str, Any]]
) -> list[dict[str, str]]:
    """Columns of a table in which something is known."""
    return [
        dict(zip(("key", "name", "format", "help"), column, strict=True))
        for column in columns
        if any(row.get(column[0]) is not None for row in rows)
    ]


def embedded(summary: Mapping[str, Any]) -> dict[str, Any]:
    """The data in the page; what there is of every object, packed."""
    found = {key: summary[key] for key in ("answer", "data", "partitions", "map", "objects")}
    plane, objects = found["map"], found["objects"]
    found["map"] = {**plane, "x": packed(plane["x"]), "y": packed(plane["y"])}
    found["objects"] = {
        "ids": objects["ids"],
        "labels": [packed(np.add(own, 1)) for own in objects["labels"]],
        "confidence": [packed(np.rint(np.multiply(1000, c))) for c in objects["confidence"]],
        "runner_up": [packed(np.add(second, 1)) for second in objects["runner_up"]],
    }
    return found


def packed(values: Any) -> str:
    """Whole numbers from 0 to 4095 as two digits of base 64 each."""
    values = np.clip(np.asarray(values, dtype=np.int64), 0, 4095)
    pairs = np.column_stack([values >> 6, values & 63])
    return DIGITS[pairs].tobytes().decode("ascii")


def _plots(contents: Contents) -> Iterable[tuple[str, str, str]]:
    """Section, caption and drawing of every plot that there is."""
    for name, section, (width, height, per_line), caption in PLOTS:
        display = contents.displays.get(name)
        if display is None:
            continue
        lines = len(getattr(display, "numbers", ()))
        if name == "weights":
            k, shown = display.features.shape
            height = -(-k // min(k, 4)) * (0.7 + 0.2 * shown)
        yield section, caption, to_svg(display, name, caption, width, height + per_line * lines)
    resampled = contents.displays.get("per_k")
    if resampled is not None:
        for k, panel in resampled.parts.items():
            text = f"Consensus matrix and item consensus of {k} clusters"
            yield "per-k", text, to_svg(panel, f"per-k-{k}", text, 1.75, 2.4)
        text = "Consensus CDF, delta area and PAC over the number of clusters."
        yield "curves", text, to_svg(resampled.curves, "per-k-curves", text, 9.6, 2.6)


def to_svg(display: Any, name: str, caption: str, width: float, height: float) -> str:
    """Draw a Display for the page: text stays text, and its colours follow the page."""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    ink = {f"{part}.color": INK for part in ("text", "xtick", "ytick")}
    style: dict[Any, Any] = {
        **ink,
        "axes.edgecolor": INK,
        "axes.labelcolor": INK,
        "axes.facecolor": "none",
        "font.size": 8.5,
        "font.family": "sans-serif",
        "svg.fonttype": "none",
        "text.parse_math": False,
        "svg.hashsalt": name,
    }
    with mpl.rc_context(style):
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasSVG(figure)
        display.plot(figure.subplots())
        text = io.StringIO()
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None})
    return _inline(printable(text.getvalue(), keep="\n\t"), name, caption, width)


def _inline(text: str, name: str, caption: str, width: float) -> str:
    """An SVG file as part of a page: ids of its own, the size of its place, colours that follow.

    Only attributes are changed; what is written in the plot may come from the data.
    """
    from xml.etree import ElementTree

    ElementTree.register_namespace("", SVG)
    ElementTree.register_namespace("xlink", XLINK)
    root = ElementTree.fromstring(text)
    for metadata in root.findall(f"{{{SVG}}}metadata"):
        root.remove(metadata)
    for element in root.iter():
        for key, value in element.attrib.items():
            if key == "id":
                value = f"{name}-{value}"
            elif key in ("style", "fill", "stroke", "clip-path"):
                value = value.replace("url(#", f"url(#{name}-")
                for color, variable in FOLLOWING.items():
                    value = value.replace(color, variable)
            elif key == f"{{{XLINK}}}href" and value.startswith("#"):
                value = f"#{name}-{value[1:]}"
            element.set(key, value)
    del root.attrib["width"], root.attrib["height"]
    root.set("style", f"max-width: {width * 7.2:.1f}rem")  # one scale for all plots
    root.set("role", "img")
    root.set("aria-label", caption)
    return ElementTree.tostring(root, encoding="unicode")
