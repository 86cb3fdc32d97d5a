"""Time SciPy's floyd_warshall on a DIMACS graph: floyd_warshall.py GRAPH prints seconds."""
import sys
import time

import numpy as np
from scipy.sparse.csgraph import floyd_warshall

rows = np.array([line.split()[1:] for line in open(sys.argv[1]) if line.startswith("a ")], dtype=np.int64)
n = next(int(line.split()[2]) for line in open(sys.argv[1]) if line.startswith("p "))
dense = np.full((n, n), np.inf)
np.fill_diagonal(dense, 0)
np.minimum.at(dense, (rows[:, 0] - 1, rows[:, 1] - 1), rows[:, 2])
began = time.perf_counter()
floyd_warshall(dense, directed=True, overwrite=True)
print(time.perf_counter() - began)
