"""Time all distances of cal.cedge in a peer, the result left in memory: PEER FILE. Prints seconds.

dijkstra: SciPy, from all sources in batches of 1000, one thread. networkit: APSP, all cores.
"""

import sys
import time

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

peer, path = sys.argv[1:]
_, u, v, w = np.loadtxt(path, unpack=True)
u, v = u.astype(int), v.astype(int)
n = max(u.max(), v.max()) + 1
if peer == "dijkstra":
    keep = np.lexsort((w, v, u))  # SciPy adds parallel arcs up: keep the shortest
    u, v, w = u[keep], v[keep], w[keep]
    first = np.r_[True, (u[1:] != u[:-1]) | (v[1:] != v[:-1])]
    g = coo_array((w[first], (u[first], v[first])), shape=(n, n)).tocsr()
    began = time.perf_counter()
    for at in range(0, n, 1000):
        dijkstra(g, directed=False, indices=np.arange(at, min(n, at + 1000)))
else:
    import networkit as nk

    g = nk.Graph(n, weighted=True)
    for a, b, x in zip(u, v, w):
        g.addEdge(int(a), int(b), float(x))
    began = time.perf_counter()
    nk.distance.APSP(g).run()
print(time.perf_counter() - began)
