"""Have SciPy and networkx rebuild paths from predecessors: predecessors.py GRAPH DIST.npy PRED.npy MINUS1.npy.

GRAPH is a DIMACS file without weights of 0. Every row's tree, and the path of every pair, must have the stored
lengths.
"""
import sys

import networkx as nx
import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import construct_dist_matrix, reconstruct_path, shortest_path

graph, dist, pred, minus1 = sys.argv[1:]
least = {}
for line in open(graph):
    if line.startswith("p "):
        n = int(line.split()[2])
    elif line.startswith("a "):
        u, v, w = map(int, line.split()[1:])
        if u != v:
            least[u - 1, v - 1] = min(w, least.get((u - 1, v - 1), w))
ends = np.array(list(least)).reshape(-1, 2)
weights = csr_matrix((np.array(list(least.values()), float), (ends[:, 0], ends[:, 1])), shape=(n, n))
dist = np.load(dist).astype(float)
dist[dist == np.iinfo(np.int32).max] = np.inf
pred, minus1 = np.load(pred), np.load(minus1)
theirs, their_pred = shortest_path(weights, return_predecessors=True)
assert pred.dtype == their_pred.dtype and pred.shape == their_pred.shape
assert np.array_equal(pred == -9999, their_pred == -9999)
assert np.array_equal(np.where(pred == -9999, -1, pred), minus1)
assert np.array_equal(theirs, dist)
assert np.array_equal(construct_dist_matrix(weights, pred, directed=True), dist)
for u in range(n):
    tree = reconstruct_path(weights, pred[u], directed=True)
    assert tree.nnz == (pred[u] != -9999).sum()
    assert np.array_equal(shortest_path(tree, indices=u), dist[u])
before = {u: {v: int(pred[u, v]) for v in range(n) if pred[u, v] != -9999} for u in range(n)}
pairs = 0
for u in range(0, n, 7):
    for v in before[u]:
        path = nx.reconstruct_path(u, v, before)
        assert path[0] == u and path[-1] == v
        assert sum(least[arc] for arc in zip(path, path[1:])) == dist[u, v]
        pairs += 1
print(f"{n} trees and {pairs} paths agree")
