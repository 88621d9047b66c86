"""HTML representation of a fitted model: number of clusters, sizes, confidence and map."""

import base64
import io
from typing import Any

from consens._support.fitted import in_one_line
from consens.show._display import cluster_color
from consens.show._fitted import read_estimator
from consens.show.map_display import MapDisplay

MAX_PARTS = 60  # most clusters in the bar of sizes


def model_html(estimator: Any) -> str:
    """HTML summary of a fitted model for notebooks."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    fitted = read_estimator(estimator)
    chosen = fitted.chosen
    figure = Figure(figsize=(5.6, 3.4), layout="constrained")
    FigureCanvasAgg(figure)
    MapDisplay.from_estimator(estimator, ax=figure.subplots())
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=110, facecolor="white")
    data = base64.b64encode(picture.getvalue()).decode("ascii")
    parts = "".join(
        f'<span title="cluster {c}: {size:,}" style="flex-grow:{size};'
        f'background:{cluster_color(c)}"></span>'
        for c, size in enumerate(chosen.sizes[:MAX_PARTS].tolist())
    )
    text = in_one_line(chosen.labels, chosen.confidence, chosen.stability)
    return (
        '<div style="max-width:620px;font-family:sans-serif">'
        f'<p style="margin:.3em 0"><strong>{text}</strong></p>'
        f'<div style="display:flex;gap:2px;height:10px">{parts}</div>'
        f'<img alt="Map of the objects" style="max-width:100%" '
        f'src="data:image/png;base64,{data}"></div>'
    )
