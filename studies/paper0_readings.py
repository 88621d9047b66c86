"""Other readings of Domeniconi and Al-Razgan 2009, beside those of the tables.

    python -m studies.paper0 --data DIR --only Readings --out OUT

Constant of Eq. 6   the mean distance of the centres of a member instead of 1
Spectral cuts       WBPA and WSBPA by the transfer cut instead of objects and clusters together
Members             only those without a degenerate cluster, in WBPA, WSBPA and LAC+wCo-as.
Defaults            these three together, the defaults of the library
Similarity          the Kullback-Leibler divergence (Eq. 9) instead of the cosine in WSPA
k-means             as many partitions as LAC has, instead of 50
Left out            HGPA of the members of LAC, and EAC-SL of those of k-means, of which the paper
                    says that they are worse than others
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from consens.consensus import EAC
from consens.evidence import coassociation
from consens.evidence.coordinates import informed_members, weighted_coassociation
from consens.generate import KMeansEnsemble, LACEnsemble
from studies._cells import (
    AS_PUBLISHED,
    OPEN,
    Cell,
    Note,
    Setting,
    Table,
    compared,
    departures,
    method_class,
    note,
)
from studies._data import MissingData
from studies._run import say
from studies._store import Store
from studies._table import markdown, measured
from studies.paper0 import (
    CONSTANT,
    DATA,
    EAC_RANGE,
    MEMBERS,
    METHODS,
    N_KMEANS,
    PUBLISHED,
    TOLERANCE,
    WEIGHTED,
    Source,
    by_default,
    error_of,
    error_on_rows,
    scaled,
    weighted,
)

READINGS = "Readings"
LEFT_OUT = "Left out"
WCOAS = "LAC+wCo-as"
SCALED = "scaled constant"
TRANSFER = "transfer cut"
INFORMED = "without degenerate members"
DEFAULTS = "defaults of the library"
SPECTRAL = ["WBPA-SPEC", "WSBPA-SPEC"]
BIPARTITE = [method for method in WEIGHTED if not method.startswith("WSPA")]
KL = "KL divergence"
AS_MANY = "as many partitions as LAC"
WIDTHS = "WDBC, other ranges of k"
RANGES = ((2, 20), (10, 30), (60, 90), (10, 50), (2, 10))
OF_KMEANS = [method for method in METHODS if method.startswith("k-means")]


def measure(given: Setting) -> None:
    """Measure what the store does not have."""
    for run in given.seeds():
        for name, source in DATA.items():
            for section, measured_of in ((READINGS, one_run), (LEFT_OUT, left_out)):
                try:
                    given.store.get(
                        (section, name, run),
                        lambda: measured_of(source, *source.read(given.data, run), run),  # noqa: B023
                    )
                except MissingData as missing:
                    say(str(missing))
        if "WDBC" in DATA:
            try:
                given.store.get(
                    (WIDTHS, run),
                    lambda: by_range(*DATA["WDBC"].read(given.data, run), run),  # noqa: B023
                )
            except MissingData as missing:
                say(str(missing))


def by_range(X: np.ndarray, y: np.ndarray, seed: int) -> dict[str, float]:
    """Errors in % of EAC-AL by the range that k is drawn from."""
    errors = {}
    for low, high in RANGES:
        E = KMeansEnsemble(N_KMEANS, n_clusters=(low, high), random_state=seed).fit_transform(X)
        for said, k in (("fixed", len(np.unique(y))), ("free", None)):
            labels = EAC(k, linkage="average").fit_predict(E)
            errors[f"[{low}, {high}] (k {said})"] = error_of(y, labels)
    return errors


def left_out(source: Source, X: np.ndarray, y: np.ndarray, seed: int) -> dict[str, float]:
    """Errors in % of methods named without figures, on the members of the tables."""
    k = len(np.unique(y))
    E = LACEnsemble(k, inverse_h=source.inverse_h, random_state=seed).fit_transform(
        scaled(X, source.scale)
    )
    name, parameters = AS_PUBLISHED["HGPA"]
    hgpa = method_class(name)(k, random_state=seed, **parameters)
    drawn_k = KMeansEnsemble(N_KMEANS, n_clusters=EAC_RANGE, random_state=seed).fit_transform(X)
    return {
        "HGPA": error_of(y, hgpa.fit_predict(E)),
        "EAC-SL (k fixed)": error_of(y, EAC(k, linkage="single").fit_predict(drawn_k)),
        "EAC-SL (k free)": error_of(y, EAC(None, linkage="single").fit_predict(drawn_k)),
    }


def one_run(source: Source, X: np.ndarray, y: np.ndarray, seed: int) -> dict[str, float]:
    """Errors in % of the methods by other readings, for the draw and start of the tables."""
    k = len(np.unique(y))
    error, on_rows = partial(error_of, y), partial(error_on_rows, y, seed)
    E = LACEnsemble(k, inverse_h=source.inverse_h, random_state=seed).fit_transform(
        scaled(X, source.scale)
    )
    values: dict[str, float] = {}
    for reading, methods, others in (
        (SCALED, WEIGHTED, {"smoothing": "auto"}),
        (TRANSFER, SPECTRAL, {"partitioner": "spectral"}),
        (INFORMED, BIPARTITE, {"drop_degenerate": True}),
    ):
        for method in methods:
            labels = weighted(method, k, seed, **others).fit_predict(E)
            values[f"{method}, {reading}"] = error(labels)
    for method in WEIGHTED:
        labels = by_default(method, k, seed).fit_predict(E)
        values[f"{method}, {DEFAULTS}"] = error(labels)
    informed = E[:, informed_members(E)]
    for reading, members, constant in (
        (SCALED, E, "auto"),
        (INFORMED, informed, CONSTANT),
        (DEFAULTS, informed, "auto"),
    ):
        psi = weighted_coassociation(members, smoothing=constant)
        values[f"{WCOAS}, {reading}"] = on_rows(psi)
    for method in ("WSPA-METIS", "WSPA-SPEC"):
        labels = weighted(method, k, seed, similarity="kl").fit_predict(E)
        values[f"{method}, {KL}"] = error(labels)
    size = len(source.inverse_h)
    same_k = KMeansEnsemble(size, n_clusters=k, random_state=seed).fit_transform(X)
    drawn_k = KMeansEnsemble(size, n_clusters=EAC_RANGE, random_state=seed).fit_transform(X)
    found = [
        on_rows(coassociation(same_k)),
        error(EAC(k, linkage="average").fit_predict(drawn_k)),
        error(EAC(None, linkage="average").fit_predict(drawn_k)),
    ]
    names = [f"{method}, {AS_MANY}" for method in OF_KMEANS]
    return values | dict(zip(names, found, strict=True))


# ---------------------------------------------------------------------------------- results


class Reading(NamedTuple):
    """Cells of some methods by another reading, and the same cells of the tables."""

    title: str
    reading: str
    methods: Sequence[str]

    def table(self, store: Store) -> Table:
        name = f"Tables III to IX, {self.title}"
        cells = [
            Cell(data, method, printed, own.get(f"{method}, {self.reading}", ()), None, OPEN)
            for data in DATA
            for own in [store.values(READINGS, data)]
            for method, printed in zip(METHODS, PUBLISHED[data], strict=True)
            if method in self.methods
        ]
        return Table(name, cells, TOLERANCE, 2, counted=False)

    def effect(self, store: Store) -> str:
        other = self.table(store)
        here = [c._replace(values=store.values(c.data).get(c.method, ())) for c in other.cells]
        return compared(other, other._replace(cells=here))


OF_CONSTANT = Reading("a constant of Eq. 6 by the scale", SCALED, [*WEIGHTED, WCOAS])
OF_CUT = Reading(f"WBPA-SPEC and WSBPA-SPEC by the {TRANSFER}", TRANSFER, SPECTRAL)
OF_MEMBERS = Reading(INFORMED, INFORMED, [*BIPARTITE, WCOAS])
OF_DEFAULTS = Reading(f"the {DEFAULTS}", DEFAULTS, [*WEIGHTED, WCOAS])
OF_SIZE = Reading(f"k-means with {AS_MANY}", AS_MANY, OF_KMEANS)
OTHERS = (OF_CONSTANT, OF_CUT, OF_MEMBERS, OF_DEFAULTS, OF_SIZE)


def report(store: Store) -> list[Table | Note]:
    """Readings of printed cells, which the tables count, and of what is said without figures."""
    return [
        *(reading.table(store) for reading in OTHERS),
        note("Section 4.1, WSPA by the Kullback-Leibler divergence", _divergence(store)),
        note("Section 6, methods that the paper leaves out", _left_out(store)),
        note("Section 6.1, WDBC by other ranges of k", _by_range(store)),
    ]


def _fitted(store: Store) -> Table:
    """Cells of the rows that scalings and ranges of 1/h were fitted by."""
    cells = [
        Cell(name, f"LAC {part}", printed, store.values(name).get(f"LAC {part}", ()))
        for name in DATA
        for part, printed in zip(("max", "min", "avg"), MEMBERS[name][0], strict=True)
    ]
    return Table("", cells, TOLERANCE)


def departed(store: Store) -> Note:
    """Where the study does not follow the text, and what that does."""
    scaled_by, key = OF_CONSTANT.effect(store), f"{WCOAS}, {SCALED}"
    wdbc = [
        store.values(*place).get(own)
        for place, own in (((READINGS, "WDBC"), key), (("WDBC",), WCOAS))
    ]
    if all(wdbc):
        printed = PUBLISHED["WDBC"][METHODS.index(WCOAS)]
        other, here = (np.mean(own) for own in wdbc if own)
        scaled_by += f"; {WCOAS} on WDBC: {other:.1f} so, {here:.1f} with 1, {printed} printed"
    fitted = _fitted(store).counts()
    return departures(
        (
            "Eq. 6 adds 1 to the distances; any small constant serves",
            "1; beside it the mean distance between the centres of a member, so that scale does "
            "not matter",
            f"by the scale: {scaled_by}",
        ),
        (
            "spectral clustering of the graph of objects and clusters, for WBPA and WSBPA",
            "the same; the transfer cut, which needs the clusters alone, beside it",
            f"transfer cut: {OF_CUT.effect(store)}",
        ),
        (
            "combines all partitions of LAC",
            "the same; without members that have a degenerate cluster beside it",
            f"without them: {OF_MEMBERS.effect(store)}",
        ),
        (
            "the three above",
            "the same; the defaults of the library, which differ in all three, beside it",
            f"defaults: {OF_DEFAULTS.effect(store)}",
        ),
        (
            "leaves open the number of k-means partitions",
            f"{N_KMEANS}",
            f"{AS_MANY}: {OF_SIZE.effect(store)}",
        ),
        (
            "leaves open scalings, and the range of 1/h of each data set",
            "fitted by the printed rows of LAC, which are therefore no evidence",
            f"{fitted.headline} of the {fitted.cells} cells of these rows are inside by "
            "“tolerance”; of the others not measured",
        ),
        (
            "one run of each method, but ten of k-means on the co-association",
            "the mean of ten runs",
            "a printed figure may be off by its own spread, which is not printed",
        ),
    )


def _divergence(store: Store) -> str:
    rows = []
    for data in DATA:
        own, tables = store.values(READINGS, data), store.values(data)
        for method in ("WSPA-METIS", "WSPA-SPEC"):
            if own and tables:
                other = own[f"{method}, {KL}"]
                both = np.subtract(other, tables[method][: len(other)])
                rows.append(
                    [
                        data,
                        method,
                        measured(tables[method]),
                        measured(other),
                        f"{both.mean():+.1f}",
                    ]
                )
    header = ["data", "method", "cosine", "KL divergence", "difference"]
    said = "Error in %; the paper says without figures that both give similar results.\n\n"
    return said + markdown(header, rows) if rows else ""


def _by_range(store: Store) -> str:
    found = store.values(WIDTHS)
    rows = [
        [f"[{low}, {high}]"]
        + [measured(found[f"[{low}, {high}] (k {k})"]) for k in ("fixed", "free")]
        for low, high in RANGES
        if found
    ]
    said = (
        "Error in % of k-means + EAC-AL by the interval that k is drawn from; the paper says "
        "without figures that the others are not better than the first.\n\n"
    )
    return said + markdown(["k", "k fixed", "k free"], rows) if rows else ""


def _left_out(store: Store) -> str:
    rows = []
    for data in DATA:
        own, tables = store.values(LEFT_OUT, data), store.values(data)
        if own and tables:
            others = ["CSPA", "MCLA", "k-means+EAC-AL (k fixed)", "k-means+EAC-AL (k free)"]
            values = [*own.values(), *(tables[method] for method in others)]
            rows.append([data, *map(measured, values)])
    header = ["data", "HGPA", "EAC-SL (k fixed)", "EAC-SL (k free)", "CSPA", "MCLA"]
    header += ["EAC-AL (k fixed)", "EAC-AL (k free)"]
    said = "Error in %; the paper says without figures that HGPA and EAC-SL were always worse.\n\n"
    return said + markdown(header, rows) if rows else ""
