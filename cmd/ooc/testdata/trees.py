"""Have SciPy and networkx rebuild paths from the predecessors of a matrix: trees.py WEIGHTS.npy DIST.npy PRED.npy STORE PROGRAM.

WEIGHTS is a matrix in which -1 is no arc and 0 an arc. The distances are compared with SciPy's Floyd-Warshall; every
row's tree, and paths of some pairs, must have the stored lengths; the store's own entries must be the same. PROGRAM is
that of docs/format.md which follows them.
"""
import json
import sys

import networkx as nx
import numpy as np
from scipy.sparse.csgraph import construct_dist_matrix, csgraph_from_dense, floyd_warshall

weights, dist, pred, store, program = sys.argv[1:]
weights = np.load(weights).astype(float)
weights[weights < 0] = np.inf
np.fill_diagonal(weights, 0)
n = len(weights)
graph = csgraph_from_dense(weights, null_value=np.inf)
theirs, their_pred = floyd_warshall(graph, return_predecessors=True)
dist, pred = np.load(dist).astype(float), np.load(pred)
dist[dist == np.iinfo(np.int32).max] = np.inf
assert np.array_equal(theirs, dist)
assert pred.dtype == their_pred.dtype and np.array_equal(pred == -9999, their_pred == -9999)
assert np.array_equal(construct_dist_matrix(graph, pred, directed=True), dist)
row = np.arange(n)[:, None]
at, length, steps = np.broadcast_to(np.arange(n), (n, n)).copy(), np.zeros((n, n)), 0
while True:
    before = np.take_along_axis(pred, at, axis=1)
    going = before != -9999
    if not going.any():
        break
    length += np.where(going, weights[np.where(going, before, 0), at], 0)
    at = np.where(going, before, at)
    steps += 1
    assert steps <= n, "predecessors lead round and round"
reached = dist < np.inf
assert np.array_equal(length[reached], dist[reached]) and (at == row)[reached].all()
meta, d = json.load(open(store + "/store.json")), np.load(store + "/dist.npy", mmap_mode="r")
full = d.transpose(0, 2, 1, 3).reshape(d.shape[0] * meta["tile"], -1)[:n, :n]
assert np.array_equal(full["distance"][reached], dist[reached])
assert np.array_equal(full["predecessor"], np.where(pred == -9999, -1, pred))
T = meta["tile"]
exec(open(program).read())
pairs = 0
for u in range(0, n, 7):
    before = {u: {v: int(pred[u, v]) for v in range(n) if pred[u, v] != -9999}}
    for v in before[u]:
        way = nx.reconstruct_path(u, v, before)
        assert way[0] == u and way[-1] == v and (u > 21 or path(u, v) == way)
        assert sum(weights[arc] for arc in zip(way, way[1:])) == dist[u, v]
        pairs += 1
print(f"{n} trees and {pairs} paths agree")
