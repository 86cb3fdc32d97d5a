"""Write SciPy's distances of a DIMACS graph: distances.py GRAPH C.npy FORTRAN.npy WRONG.npy."""
import sys

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import shortest_path

graph, in_c, in_fortran, wrong = sys.argv[1:]
least = {}
for line in open(graph):
    if line.startswith("p "):
        n = int(line.split()[2])
    elif line.startswith("a "):
        u, v, w = map(int, line.split()[1:])
        if u != v:
            least[u - 1, v - 1] = min(w, least.get((u - 1, v - 1), w))
ends = np.array(list(least)).reshape(-1, 2)
dist = shortest_path(csr_matrix((list(least.values()), (ends[:, 0], ends[:, 1])), shape=(n, n)), method="D")
np.save(in_c, dist)
np.save(in_fortran, np.asfortranarray(dist))
dist[7, 11] = 3.0 if np.isinf(dist[7, 11]) else dist[7, 11] + 1
np.save(wrong, dist)
