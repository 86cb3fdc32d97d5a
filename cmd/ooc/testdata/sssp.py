"""Compare ooc's shortest paths from one source with SciPy and networkx: sssp.py SOURCE GRAPH OUT.npy [GRAPH OUT.npy...].

GRAPH is a DIMACS .gr file or lines "id from to weight" of an undirected graph; SOURCE is a row. Every distance has to
be equal, in f32 within the rounding of its path's arcs, and every predecessor on a path of that length.
"""
import sys

import networkx as nx
import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import bellman_ford

NONE = -9999


def arcs(path):
    """Return n and a dictionary from arcs to their least weight."""
    directed = path.endswith(".gr")
    if directed:
        lines = [line.split() for line in open(path)]
        n = next(int(w[2]) for w in lines if w and w[0] == "p")
        rows = [(int(w[1]) - 1, int(w[2]) - 1, float(w[3])) for w in lines if w and w[0] == "a"]
    else:
        rows = [(int(w[1]), int(w[2]), float(np.float32(w[3]))) for w in map(str.split, open(path))]
        n = max(max(u, v) for u, v, _ in rows) + 1
    least = {}
    for u, v, w in rows:
        for a in [(u, v)] if directed else [(u, v), (v, u)]:
            if u != v:
                least[a] = min(w, least.get(a, np.inf))
    return n, least


def compare(source, path, out):
    n, least = arcs(path)
    got = np.load(out)
    assert got.shape == (n,), got.shape
    dist = got["distance"].astype(np.float64)
    if got["distance"].dtype.kind == "i":
        dist[got["distance"] == np.iinfo(np.int32).max] = np.inf
    slack = 0 if got["distance"].dtype.kind == "i" else n * 2.0**-24
    if all(least.values()):  # SciPy's sparse graphs cannot say zero
        ends = np.array(list(least)).reshape(-1, 2)
        matrix = coo_matrix((list(least.values()), (ends[:, 0], ends[:, 1])), shape=(n, n)).tocsr()
        same(dist, bellman_ford(matrix, indices=source), slack)
    if n <= 4000:
        g = nx.DiGraph()
        g.add_nodes_from(range(n))
        g.add_weighted_edges_from((u, v, w) for (u, v), w in least.items())
        lengths = nx.single_source_bellman_ford_path_length(g, source)
        same(dist, np.array([lengths.get(v, np.inf) for v in range(n)]), slack)
    for v, p in enumerate(got["predecessor"]):
        if v == source or np.isinf(dist[v]):
            assert p == NONE, (v, p)
        else:
            assert abs(dist[p] + least[p, v] - dist[v]) <= slack * abs(dist[v]), (p, v)
    return n


def same(got, want, slack):
    assert np.array_equal(np.isinf(got), np.isinf(want))
    finite = np.isfinite(want)
    assert (np.abs(got - want)[finite] <= slack * np.abs(want)[finite]).all()


total = sum(compare(int(sys.argv[1]), *pair) for pair in zip(sys.argv[2::2], sys.argv[3::2]))
print(f"{total} distances agree")
