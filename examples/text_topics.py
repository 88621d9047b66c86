"""Sort documents into topics and name the words of each.

    python examples/text_topics.py                          20 Newsgroups, two groups (downloads)
    python examples/text_topics.py documents.csv --topics 3

Documents become counts of stemmed words that often occur together.  Locally adaptive clustering
runs once for each of ten values of h; every run weighs words anew in each of its clusters.  The
bipartite graph of documents and clusters is cut, and a topic weighs words by the mean of its
clusters (Domeniconi and Al-Razgan 2009, Section 7).

Needs `pip install 'consens[text]'`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler

from consens.consensus import WSBPA
from consens.generate import LACEnsemble
from consens.measure import error_rate, relevant_features
from consens.text import TextFeatures


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("table", type=Path, nargs="?", help="CSV or Parquet with a column 'text'")
    parser.add_argument("--topics", type=int, default=2)
    parser.add_argument("--top", type=int, default=12, help="words per topic")
    options = parser.parse_args()
    table = read(options.table)
    model = make_pipeline(
        TextFeatures(min_support=0.03),
        Normalizer(),  # a long document is no outlier
        StandardScaler(with_mean=False),  # rare words count like frequent ones; stays sparse
        LACEnsemble(options.topics, inverse_h=range(1, 11), random_state=0),
        WSBPA(options.topics, random_state=0),
    )
    labels = model.fit_predict(table["text"])
    text, consensus = model[0], model[-1]
    print(
        f"{len(labels)} documents, {text.vocabulary_size_} terms, {len(text.terms_)} of them in "
        "frequent pairs"
    )
    for by, what in (("weight", "heavy here"), ("frequency", "frequent here, heavy anywhere")):
        topics = relevant_features(consensus, text.words_, options.top, by)
        for topic, words in enumerate(topics):
            print(f"topic {topic} ({np.sum(labels == topic)} documents), {what}: {listed(words)}")
    if "label" in table:
        print(f"error against the labels: {100 * error_rate(table['label'], labels):.1f} %")


def listed(words) -> str:
    """Words with their share of the occurrences; a share near 0 says that the word is absent."""
    return ", ".join(f"{word.name} {word.share:.0%}" for word in words)


def read(path: Path | None) -> pd.DataFrame:
    if path is None:
        from sklearn.datasets import fetch_20newsgroups

        groups = fetch_20newsgroups(categories=["sci.electronics", "sci.med"], subset="all")
        names = np.array(groups.target_names)
        return pd.DataFrame({"text": groups.data, "label": names[groups.target]})
    return pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path)


if __name__ == "__main__":
    main()
