"""Cluster documents into topics and find the keywords of each topic.

    python examples/text_topics.py                          20 Newsgroups, two groups (downloads)
    python examples/text_topics.py documents.csv --topics 3

Documents are converted to counts of stemmed words that often occur together.  Locally adaptive
clustering with ten values of h computes weights of the words in each cluster.  The consensus cuts
the bipartite graph of documents and clusters, and the weights of a topic are the mean weights of
its clusters (Domeniconi and Al-Razgan 2009, Section 7).

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
        Normalizer(),  # removes the length of documents
        StandardScaler(with_mean=False),  # gives rare words the same weight; stays sparse
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
    """List words with their share of the occurrences, which is near 0 for absent words."""
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
