"""Compare solved stores with SciPy: compare.py STORE GRAPH ... [ROWS].

GRAPH is a DIMACS .gr file, or lines "id from to weight" of an undirected graph. In kinds of integers every distance must be
equal; in others within four units in the last place an arc. With ROWS, that many random rows are compared.
"""
import sys

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import shortest_path

from store import matrix


def arcs(path):
    """Return n, tails, heads, weights and whether arcs go one way."""
    if path.endswith(".gr"):
        rows = [line.split()[1:] for line in open(path) if line.startswith("a ")]
        n = next(int(line.split()[2]) for line in open(path) if line.startswith("p "))
        a = np.array(rows, dtype=np.int64).reshape(-1, 3)
        return n, a[:, 0] - 1, a[:, 1] - 1, a[:, 2].astype(np.float64), True
    a = np.loadtxt(path)
    u, v = a[:, 1].astype(np.int64), a[:, 2].astype(np.int64)
    return int(max(u.max(), v.max())) + 1, u, v, a[:, 3].astype(np.float32).astype(np.float64), False


def sparse(n, u, v, w, directed):
    """SciPy sums parallel arcs; keep the least. No weight is 0 here."""
    if not directed:
        u, v, w = np.r_[u, v], np.r_[v, u], np.r_[w, w]
    keep = u != v
    u, v, w = u[keep], v[keep], w[keep]
    order = np.lexsort((w, v, u))
    u, v, w = u[order], v[order], w[order]
    first = np.r_[True, (u[1:] != u[:-1]) | (v[1:] != v[:-1])][: len(u)]
    assert (w[first] != 0).all()
    return coo_matrix((w[first], (u[first], v[first])), shape=(n, n)).tocsr()


def main(store, path, rows=None):
    meta, d = matrix(store)
    n = meta["n"]
    graph = sparse(*arcs(path))
    assert graph.shape[0] == n, (graph.shape, n)
    sources = np.arange(n) if rows is None else np.random.default_rng().choice(n, int(rows), replace=False)
    method = "J" if (graph.data < 0).any() else "D"
    want, pred = shortest_path(graph, method=method, indices=sources, return_predecessors=True)
    got = d[sources].astype(np.float64)
    none = {"i32": 0x3F3F3F3F, "u16": 0x7F7F}.get(meta["kind"])
    if none:
        got[got == none] = np.inf
        assert np.array_equal(got, want), f"{(got != want).sum()} distances differ"
    else:
        assert np.array_equal(np.isinf(got), np.isinf(want))
        finite = np.isfinite(want)
        hops = depth(pred, sources)
        allowed = 4 * 2.0 ** (-53 if meta["kind"] == "f64" else -24) * (1 + hops) * np.abs(want)
        assert (np.abs(got - want)[finite] <= allowed[finite]).all(), np.nanmax(np.abs(got - want)[finite])
    print(f"{store}: {got.size} distances agree with SciPy")


def depth(pred, sources):
    """The number of arcs from each row's source, by pointer jumping."""
    hops = np.zeros(pred.shape)
    at = pred.copy()
    rows = np.arange(len(sources))[:, None]
    while (at >= 0).any():
        hops += at >= 0
        at = np.where(at >= 0, pred[rows, np.maximum(at, 0)], at)
    return hops


files = sys.argv[1:]
rows = files.pop() if len(files) % 2 else None
for store, path in zip(files[::2], files[1::2]):
    main(store, path, rows)
