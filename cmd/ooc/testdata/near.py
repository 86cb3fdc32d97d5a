"""Compare sparse matrices of near pairs with SciPy: near.py GRAPH.gr NEAR.npz WITHIN K [NEAR.npz WITHIN K...].

WITHIN is a distance or inf, K a number or 0 for any. Distances have to be equal, of floats within rounding.
"""
import sys

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import shortest_path


def arcs(path):
    lines = [line.split() for line in open(path)]
    n = next(int(w[2]) for w in lines if w and w[0] == "p")
    rows = np.array([w[1:] for w in lines if w and w[0] == "a"], dtype=float)
    u, v, w = rows[:, 0].astype(int) - 1, rows[:, 1].astype(int) - 1, rows[:, 2]
    least = {}
    for a in zip(u, v, w):
        if a[0] != a[1]:
            least[a[:2]] = min(a[2], least.get(a[:2], np.inf))
    u, v = np.array(list(least)).T
    return sp.csr_matrix((list(least.values()), (u, v)), shape=(n, n))


def main(graph, *files):
    g = arcs(graph)
    n = g.shape[0]
    dist = shortest_path(g, method="J" if g.data.min() < 0 else "D")
    np.fill_diagonal(dist, np.inf)
    pairs = 0
    for path, within, k in zip(files[::3], map(float, files[1::3]), map(int, files[2::3])):
        m = sp.load_npz(path)
        assert m.format == "csr" and m.shape == (n, n) and m.has_canonical_format, m
        for u in range(n):
            want = np.flatnonzero((dist[u] <= within) & np.isfinite(dist[u]))
            if k:
                want = np.sort(want[np.argsort(dist[u][want], kind="stable")[:k]])
            got = slice(m.indptr[u], m.indptr[u + 1])
            assert (m.indices[got] == want).all(), (path, u, m.indices[got], want)
            assert np.allclose(m.data[got], dist[u][want], rtol=1e-6, atol=0), (path, u)
        pairs += m.nnz
    print(pairs, "pairs are the same")


main(*sys.argv[1:])
