"""
Topics of documents
===================

Cluster the docstrings of SciPy into topics, and find the keywords of each topic.
"""

# %%
# The documents are the docstrings of the functions in three modules of SciPy.  The modules are the
# true classes, which the clustering does not see.

import inspect
import re

import numpy as np
from scipy import ndimage, optimize, special

documents, parts = [], []
for part in (ndimage, optimize, special):
    for name in sorted(part.__all__):
        text = inspect.getdoc(getattr(part, name)) or ""
        if callable(getattr(part, name)) and len(text) > 300:
            prose = text.split("Examples\n--------")[0]
            documents.append(" ".join(re.findall("[A-Za-z]{3,}", prose)))
            parts.append(part.__name__.split(".")[-1])
print({part: parts.count(part) for part in sorted(set(parts))})

# %%
# The features are counts of words.  Locally adaptive clustering with ten
# values of h computes weights of the words in each cluster.  The consensus cuts the bipartite
# graph of documents and clusters, and the weights of a topic are the mean weights of its clusters
# (Domeniconi and Al-Razgan 2009, Section 7).

from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler

from consens.consensus import WSBPA
from consens.generate import LACEnsemble
from consens.measure import ari

model = make_pipeline(
    CountVectorizer(stop_words="english", min_df=0.05, max_df=0.5),
    Normalizer(),
    StandardScaler(with_mean=False),
    LACEnsemble(3, inverse_h=range(1, 11), random_state=0),
    WSBPA(3, partitioner="spectral", random_state=0),
)
topics = model.fit_predict(documents)
words = model[0].get_feature_names_out()
print(f"{len(documents)} documents, {len(words)} words")

# %%
# The keywords of each topic: words that have a large weight in it and are frequent.  The number of
# words matters: with ``min_df=0.03`` and with ``min_df=0.1`` the modules are separated less well.

relevance = model[-1].feature_weights_ * model[-1].cluster_centers_
for topic, keywords in enumerate(words[(-relevance).argsort()[:, :8]]):
    inside = np.array(parts)[topics == topic]
    counts = {part: int((inside == part).sum()) for part in sorted(set(parts))}
    print(f"topic {topic}, {counts}:", ", ".join(keywords))
print(f"ARI with the parts of SciPy: {ari(parts, topics):.2f}")
