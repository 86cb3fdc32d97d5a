"""Compare ooc near --within with SciPy: bench-near.py OOC [VERTICES [R]], in an empty folder, with numpy and scipy.

SciPy's dijkstra(limit=R) runs over chunks of 1,000 sources, whose pairs are kept as a CSR matrix. Some chunks, spread over the
graph, are timed (after one that is not) and the time of all computed from them; ooc finds all pairs and writes them to a file. Both alternate. The rows of
the chunks are compared.
"""
import json
import subprocess
import sys
import time

import numpy as np
import scipy
import scipy.sparse as sp
from scipy.sparse.csgraph import dijkstra

ooc, n, within = sys.argv[1], int((sys.argv + [0] * 2)[2] or 100_000), float((sys.argv + [0] * 2)[3] or 27_500)
subprocess.run([ooc, "gen", "road", "-n", str(n), "--seed", "1", "road.gr", "--overwrite"], check=True)
arcs = np.array([line.split()[1:] for line in open("road.gr") if line[0] == "a"], dtype=np.int64)
graph = sp.csr_matrix((arcs[:, 2].astype(float), (arcs[:, 0] - 1, arcs[:, 1] - 1)), shape=(n, n))

chunk, ratios = min(1000, n), []
dijkstra(graph, indices=np.arange(chunk), limit=within)  # the memory is there
for turn in range(3):
    first = min(n - chunk, (2 * turn + 1) * n // 6)
    began = time.perf_counter()
    dist = dijkstra(graph, indices=np.arange(first, first + chunk), limit=within)
    dist[np.arange(chunk), np.arange(first, first + chunk)] = np.inf
    rows, columns = np.nonzero(np.isfinite(dist))
    theirs = sp.csr_matrix((dist[rows, columns], (rows, columns)), shape=dist.shape)
    scipy_seconds = (time.perf_counter() - began) * n / chunk

    began = time.perf_counter()
    out = subprocess.run([ooc, "near", "road.gr", "near.npz", "--within", str(within), "--overwrite", "--json"], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    seconds = time.perf_counter() - began
    summary = json.loads(out.stdout)
    ours = sp.load_npz("near.npz")[first:first + chunk]
    assert (ours.indptr == theirs.indptr).all() and (ours.indices == theirs.indices).all() and (ours.data == theirs.data).all()
    ratios.append(scipy_seconds / seconds)
    print(f"SciPy {scipy.__version__} {scipy_seconds:.0f} s; ooc {seconds:.2f} s ({summary['search_seconds']:.2f} search, {summary['write_seconds']:.2f} write), "
          f"{summary['pairs'] / n:.0f} pairs a row: {ratios[-1]:.0f}x", flush=True)
print(f"{sorted(ratios)[1]:.0f}x faster ({min(ratios):.0f}...{max(ratios):.0f})")
