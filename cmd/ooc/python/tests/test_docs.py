"""What the README and docs/ show in Python runs, page by page. The programs of docs/format.md have tests of their own, in Go."""

import re
import shutil
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import scipy

import ooc

ROOT = Path(__file__).parents[4]
PAGES = [page for page in [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))] if "```python" in page.read_text(encoding="utf-8")]


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "format.md"], ids=lambda page: page.name)
def test_blocks(page, monkeypatch):
    monkeypatch.setattr(nx.config.backend_priority, "algos", [])  # a page sets it
    roads = nx.cycle_graph(8)
    roads = nx.relabel_nodes(roads, {i: {0: "paris", 4: "nice"}.get(i, f"place {i}") for i in roads})
    nx.set_edge_attributes(roads, 7, "weight")
    nx.set_edge_attributes(roads, 9, "km")
    matrix = nx.to_scipy_sparse_array(roads)
    shutil.copy(ROOT / "engine/graph/testdata/email-Enron.txt.gz", ".")
    has = {"A": matrix, "G": roads, "D": matrix.toarray(), "np": np, "nx": nx, "scipy": scipy, "ooc": ooc}
    for block in re.findall(r"(?ms)^```python\n(.*?)^```", page.read_text(encoding="utf-8")):
        exec(block, has)
    if "distances" in has:
        rows = slice(None) if len(has["distances"]) == 8 else [0, 7]
        assert (has["distances"] == scipy.sparse.csgraph.shortest_path(matrix)[rows]).all()
    if "roads" in has:  # of the tutorial
        assert has["store"]["lille", "nice"] == 1162
    elif "store" in has:
        assert has["store"]["paris", "nice"] == 28 and len(has["store"].path("paris", "nice")) == 5
    if "mail" in has:
        assert has["found"].table["closeness_centrality"].idxmax() == 136 and set(has["near"]["target"][has["near"]["source"] == 5038]) == {
            46,
            292,
            566,
        }
    assert has.keys() & {"distances", "store", "mail"} or list(Path().glob("*.np[yz]"))
