"""The report: a self-contained HTML page about a fitted consensus."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from consens._blocks import FeatureMatrix
from consens._support.files import as_path, output_folder, write_files
from consens._support.printable import printable, printable_values
from consens.show._display import INK, LINE, QUIET, cluster_color
from consens.show._fitted import FENCE
from consens.show.summary import Contents, gather

#: Colours of the plots that the page replaces by variables for light and dark mode.
THEMED = {INK: "var(--ink)", LINE: "var(--line)", QUIET: "var(--none)", "#ffffff": "var(--page)"}

#: Digits of packed numbers, as in map.js.
DIGITS = np.frombuffer(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", dtype=np.uint8
)

SCRIPTS = ("map.js", "tools.js", "page.js")  # files of the template whose text the page contains
STYLES = ("page.css", "tools.css")

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"


def report(
    estimator: BaseEstimator,
    path: str | Path,
    X: FeatureMatrix | None = None,
    *,
    feature_names: Sequence[Any] | None = None,
    ids: Sequence[Any] | None = None,
    n_clusters: Iterable[int] | None = None,
    title: str | None = None,
    facts: Mapping[str, Any] | None = None,
    layout: str | ArrayLike = "auto",
    per_k: bool = False,
    annotate: str | Sequence[str] | pd.DataFrame | pd.Series | Mapping[str, Any] | None = None,
) -> None:
    """Write a report on a fitted consensus: how many clusters, which, how certain, and why.

    The HTML page is self-contained, works offline, and adapts to phones, dark mode and print.  It
    can also show other numbers of clusters.  If the path ends in ``.json``, the same content is
    written as data.

    Parameters
    ----------
    estimator : ConsensusClustering, consensus estimator, or pipeline that ends in one; fitted
    path : path
        Path of the file, ``.html`` or ``.json``; an existing file is replaced only if the report
        is complete.
    X : array-like, data frame or sparse matrix of shape (n, d), optional
        Features of the objects, which show what distinguishes the clusters.  Pass them in their
        original units; they need not be scaled.  A data frame may have text, dates and gaps: they
        are treated as by `consens.TableFeatures`.
    feature_names : sequence of d names, optional
        By default the columns of a data frame.
    ids : sequence of n names of the objects, optional
        By default the index of a data frame, or row numbers from 0.
    n_clusters : iterable of int, optional
        Other numbers of clusters that the page can show.  By default 2 to 8, or to a few more than
        the chosen number.  Methods without a tree are refitted for each number; with more than
        5,000 objects, their default is the chosen number alone.
    title : str, optional
    facts : mapping of str, optional
        Further information on how the result was made, such as the file or the scaling.
    layout : {"auto", "features", "pca", "ensemble"} or array of shape (n, 2)
        Positions of the objects on the map; see `consens.show.MapDisplay`.
    per_k : bool
        Add the view of ConsensusClusterPlus for each number of clusters, with p-values.  It needs
        X and takes some seconds; see `consens.choose.resampled_consensus`.
    annotate : names of columns of X, or data frame, mapping or series with n rows; optional
        Known annotations, such as a diagnosis or a batch, which colour the map and are tested for
        association with the clusters (χ² or Kruskal-Wallis test, corrected for their number).
        Columns of X that are named here do not count as features.

    Notes
    -----
    Names from the data are always shown as text and never executed.  Long lists are truncated,
    matrices are averaged in blocks, and the map shows a sample of more than 20,000 objects.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.datasets import load_iris
    >>> import consens
    >>> from consens.generate import KMeansEnsemble
    >>> iris = load_iris(as_frame=True).data
    >>> members = KMeansEnsemble(20)
    >>> model = consens.ConsensusClustering(3, generator=members, random_state=0).fit(iris)
    >>> with TemporaryDirectory() as folder:
    ...     page = Path(folder) / "report.html"
    ...     consens.report(model, page, iris, title="Iris")
    ...     page.read_text().splitlines()[0]
    '<!doctype html>'
    """
    path = as_path(path)
    if path.suffix.lower() not in (".html", ".htm", ".json"):
        raise ValueError(f"{path}: expected the path of a page (.html) or of data (.json)")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path}: there is no folder {path.parent}; make it first")
    with output_folder(path.parent, [path.name]):
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
            annotate=annotate,
        )
        as_data = path.suffix.lower() == ".json"
        text = to_json(contents.summary) if as_data else render(contents)
        write_files(path.parent, {path.name: text})


def to_json(summary: Mapping[str, Any]) -> str:
    """Convert a summary to JSON."""
    return json.dumps(summary, ensure_ascii=False, allow_nan=False) + "\n"


def render(contents: Contents) -> str:
    """Render the HTML page."""
    from jinja2 import Environment, PackageLoader
    from markupsafe import Markup

    summary = printable_values(contents.summary)
    script = "".join(map(_template_text, SCRIPTS))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    environment = Environment(autoescape=True, loader=PackageLoader("consens.show", "template"))
    environment.policies["json.dumps_kwargs"] = {
        "ensure_ascii": False,
        "allow_nan": False,
        "separators": (",", ":"),
    }
    template = environment.get_template("page.html")
    texts = tomllib.loads(_template_text("texts.toml").replace("FENCE", str(FENCE)))
    k = summary["answer"]["n_clusters"]
    per_k = summary["per_k"] or {"numbers": []}
    return template.render(
        **summary,
        chosen=next(p for p in summary["partitions"] if p["n_clusters"] == k),
        columns=_known_columns(texts["columns"], summary["numbers"]),
        per_k_columns=_known_columns(texts["per_k"], per_k["numbers"]),
        plots=[
            {
                "name": name,
                "section": section,
                "caption": caption,
                "help": texts["help"][name if name in texts["help"] else section],
                "svg": Markup(svg),
            }
            for name, section, caption, svg in _plots(contents, texts["plots"])
        ],
        embedded={**embedded(summary), "colors": [cluster_color(i) for i in range(30)]},
        clusters_text=lambda k: f"{k} clusters" if k > 1 else "1 cluster",
        help=texts["help"],
        style=Markup("".join(map(_template_text, STYLES))),
        script=Markup(script),
        script_hash=f"sha256-{digest}",
    ) + "\n"  # fmt: skip


def _template_text(name: str) -> str:
    return (files("consens.show") / "template" / name).read_text(encoding="utf-8")


def _known_columns(columns: Iterable[Any], rows: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Columns of a table that have a value in at least one row."""
    return [own for own in columns if any(row.get(own["key"]) is not None for row in rows)]


def embedded(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Data for the scripts of the page, with packed values for each object."""
    keys = ("title", "answer", "data", "partitions", "map", "objects", "reasons")
    found = {key: summary[key] for key in keys} | {"names": {}}
    found["annotations"] = [
        {"name": a["name"], "kind": a["kind"], "levels": a["levels"]}
        | {"codes": packed(np.add(a["codes"], 1))}
        for a in summary["annotations"]
    ]
    plane, objects = found["map"], found["objects"]
    found["map"] = {**plane, "x": packed(plane["x"]), "y": packed(plane["y"])}
    found["objects"] = {
        "ids": objects["ids"],
        "labels": [packed(np.add(own, 1)) for own in objects["labels"]],
        "confidence": [packed(np.rint(np.multiply(1000, c))) for c in objects["confidence"]],
        "runner_up": [packed(np.add(second, 1)) for second in objects["runner_up"]],
    }
    listed = summary["members"]["listed"]
    found["members"] = {str(m["member"]): m["name"] for m in listed if m["named"]}
    splits = summary["splits"]
    found["leaves"] = "" if splits is None else packed(np.add(splits["leaves"], 1))
    return found


def packed(values: Any) -> str:
    """Encode integers from 0 to 4095 as two base-64 digits each."""
    values = np.clip(np.asarray(values, dtype=np.int64), 0, 4095)
    pairs = np.column_stack([values >> 6, values & 63])
    return DIGITS[pairs].tobytes().decode("ascii")


def _plots(contents: Contents, plots: Iterable[Any]) -> Iterable[tuple[str, str, str, str]]:
    """Name, section, caption and SVG of every plot."""
    for plot in plots:
        name, caption, (width, height, per_row) = plot["name"], plot["caption"], plot["size"]
        display = contents.displays.get(name)
        if display is not None:
            size = width, height + per_row * len(getattr(display, "numbers", ()))
            yield name, plot["section"], caption, to_svg(display, name, caption, *size)
    resampled = contents.displays.get("per_k")
    if resampled is not None:
        for k, panel in resampled.parts.items():
            text = f"Consensus matrix and item consensus for {k} clusters"
            yield f"per-k-{k}", "per-k", text, to_svg(panel, f"per-k-{k}", text, 1.75, 2.4)
        text = "Consensus CDF, delta area and PAC for each number of clusters."
        curves = to_svg(resampled.curves, "per-k-curves", text, 9.6, 2.6)
        yield "per-k-curves", "curves", text, curves


def to_svg(display: Any, name: str, caption: str, width: float, height: float) -> str:
    """Draw a display as SVG with text as text and colours that follow the page."""
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
    """Adapt an SVG file for embedding: unique ids, flexible size, and themed colours.

    Only attributes are changed, because text may come from the data.
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
                for color, variable in THEMED.items():
                    value = value.replace(color, variable)
            elif key == f"{{{XLINK}}}href" and value.startswith("#"):
                value = f"#{name}-{value[1:]}"
            element.set(key, value)
    del root.attrib["width"], root.attrib["height"]
    root.set("style", f"max-width: {width * 7.2:.1f}rem")  # one scale for all plots
    root.set("role", "img")
    root.set("aria-label", caption)
    return ElementTree.tostring(root, encoding="unicode")
