"""The study of networks on a graph of four communities."""

import numpy as np
from scipy.sparse import csr_array

from studies import graphs


def test_the_page_compares_what_is_installed(tmp_path, monkeypatch, capsys):
    truth = np.repeat(np.arange(4), 15)
    inside = truth[:, None] == truth
    joined = np.random.default_rng(0).random((60, 60)) < np.where(inside, 0.9, 0.02)
    above = np.triu(joined, 1)
    graph = csr_array((above + above.T).astype(float))
    monkeypatch.setattr(graphs, "draw_graph", lambda *given: (graph, truth))
    monkeypatch.setitem(graphs.METHODS, "absent", lambda *given: __import__("no_such_module"))
    graphs.main(["--runs", "2", "--members", "4", "--mixing", "0.1", "--out", str(tmp_path)])
    out = capsys.readouterr().out
    lines = [line for line in out.splitlines() if line.startswith("|")]
    cells = [[c.strip() for c in line.split("|")[1:-1]] for line in lines]
    found = {}
    for name, *values in cells:
        found.setdefault(name, []).extend(values)
    assert found["consensus"] == found["Leiden, one run"] == ["1.000", "1.000", "4"]
    assert found["communities"] == ["4"]
    assert "absent" not in found
    assert "absent." in out.split("Not installed:")[1]
    assert (tmp_path / "graphs.png").exists()
