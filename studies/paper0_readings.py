"""Other readings of Domeniconi and Al-Razgan 2009, beside those of the tables.

    python -m studies.paper0 --data DIR --only Readings --out OUT

Constant of Eq. 6   1, as printed, instead of the mean distance of the centres of a member
Spectral cuts       WBPA by the transfer cut, and WSBPA of objects and clusters together
Members             those with a degenerate cluster too, in WBPA and WSBPA
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
    DATA,
    EAC_RANGE,
    METHODS,
    N_KMEANS,
    PUBLISHED,
    TOLERANCE,
    WEIGHTED,
    Source,
    error_of,
    error_on_rows,
    scaled,
    weighted,
)

READINGS = "Readings"
LEFT_OUT = "Left out"
WCOAS = "LAC+wCo-as"
AS_PRINTED = "constant 1"
OTHER_CUT = {"WBPA-SPEC": "transfer cut", "WSBPA-SPEC": "joint graph"}
BIPARTITE = [method for method in WEIGHTED if not method.startswith("WSPA")]
ALL_MEMBERS = "degenerate members too"
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
    values = {
        f"{method}, {AS_PRINTED}": error(weighted(method, k, seed, smoothing=1.0).fit_predict(E))
        for method in WEIGHTED
    }
    psi = weighted_coassociation(E[:, informed_members(E)], smoothing=1.0)
    values[f"{WCOAS}, {AS_PRINTED}"] = on_rows(psi)
    for method, partitioner in (("WBPA-SPEC", "spectral"), ("WSBPA-SPEC", "joint")):
        labels = weighted(method, k, seed, partitioner=partitioner).fit_predict(E)
        values[f"{method}, {OTHER_CUT[method]}"] = error(labels)
    for method in BIPARTITE:
        labels = weighted(method, k, seed, drop_degenerate=False).fit_predict(E)
        values[f"{method}, {ALL_MEMBERS}"] = error(labels)
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


CONSTANT = Reading("the constant 1 of Eq. 6", AS_PRINTED, [*WEIGHTED, WCOAS])
CUTS = [Reading(f"{method} by the {cut}", cut, [method]) for method, cut in OTHER_CUT.items()]
MEMBERS = Reading(ALL_MEMBERS, ALL_MEMBERS, BIPARTITE)
KMEANS = Reading(f"k-means with {AS_MANY}", AS_MANY, OF_KMEANS)


def report(store: Store) -> list[Table | Note]:
    """Readings of printed cells, which the tables count, and of what is said without figures."""
    return [
        *(reading.table(store) for reading in (CONSTANT, *CUTS, MEMBERS, KMEANS)),
        note("Section 4.1, WSPA by the Kullback-Leibler divergence", _divergence(store)),
        note("Section 6, methods that the paper leaves out", _left_out(store)),
        note("Section 6.1, WDBC by other ranges of k", _by_range(store)),
    ]


def departed(store: Store) -> Note:
    """Where the study does not follow the text, and what that does."""
    constant, key = CONSTANT.effect(store), f"{WCOAS}, {AS_PRINTED}"
    wdbc = [
        store.values(*place).get(own)
        for place, own in (((READINGS, "WDBC"), key), (("WDBC",), WCOAS))
    ]
    if all(wdbc):
        printed = PUBLISHED["WDBC"][METHODS.index(WCOAS)]
        one, here = (np.mean(own) for own in wdbc if own)
        constant += f"; {WCOAS} on WDBC: {one:.1f} with 1, {here:.1f} here, {printed} printed"
    return departures(
        (
            "Eq. 6 adds 1 to the distances; any small constant serves",
            "the mean distance between the centres of a member, so that scale does not matter",
            constant,
        ),
        (
            "spectral clustering of the graph of objects and clusters, for WBPA and WSBPA",
            "WBPA-SPEC cuts that graph, WSBPA-SPEC uses the transfer cut",
            f"WSBPA-SPEC: {CUTS[1].effect(store)}; WBPA-SPEC by the transfer cut: "
            f"{CUTS[0].effect(store)}",
        ),
        (
            "says nothing of degenerate members",
            "WBPA, WSBPA and wCo-as. leave out members with a degenerate cluster",
            f"WBPA and WSBPA: {MEMBERS.effect(store)}",
        ),
        (
            "does not print the number of k-means partitions",
            f"{N_KMEANS}",
            f"{AS_MANY}: {KMEANS.effect(store)}",
        ),
        (
            "does not print scalings, nor the range of 1/h of each data set",
            "fitted by the printed rows of LAC",
            "these rows are no evidence; of the others not measured",
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
