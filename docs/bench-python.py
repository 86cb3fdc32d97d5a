"""Measures the Python package: what a call adds to the command, and a road network against SciPy.

    python bench-python.py cal.cedge
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csgraph

import ooc
from ooc.program import program


def timed(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def spread(times):
    return f"{statistics.median(times):.3f} s ({min(times):.3f}…{max(times):.3f})"


def overhead(folder):
    """A whole call at n = 1,000, and the command alone on the same graph."""
    graph = sp.random_array((1000, 1000), density=0.01, format="csr", rng=np.random.default_rng(1))
    file, store = os.path.join(folder, "g.npz"), os.path.join(folder, "g.ooc")
    sp.save_npz(file, graph, compressed=False)

    def command():
        shutil.rmtree(store, ignore_errors=True)
        subprocess.run([program(), "solve", file, "--kind", "f64", "--out", store, "--json"], check=True, capture_output=True)

    calls, commands = [], []
    for _ in range(11):
        commands.append(timed(command))
        calls.append(timed(lambda: ooc.shortest_path(graph)))
    added = [a - b for a, b in zip(calls, commands)]
    print(f"n = 1,000: command {spread(commands)}, shortest_path {spread(calls)}, added {spread(added)}", flush=True)


def road(folder, file):
    """From a CSR matrix to a mapped one, and to one in memory, against SciPy."""
    arcs = np.loadtxt(file)
    n = int(arcs[:, 1:3].max()) + 1
    graph = sp.coo_array((arcs[:, 3], (arcs[:, 1].astype(int), arcs[:, 2].astype(int))), shape=(n, n)).tocsr()
    store = os.path.join(folder, "road.ooc")
    mapped = []
    for _ in range(3):
        shutil.rmtree(store, ignore_errors=True)
        mapped.append(timed(lambda: ooc.solve(graph, store, directed=False).tiles()))
    kept = ooc.open(store)
    in_scipy = time.perf_counter()
    wanted = csgraph.shortest_path(graph, directed=False)
    in_scipy = time.perf_counter() - in_scipy
    rows = np.linspace(0, n - 1, 50).astype(int)
    assert np.allclose(kept.rows(rows.tolist()), wanted[rows], rtol=1e-5)
    print(f"{file}, n = {n:,}: SciPy {in_scipy:.1f} s, ooc.solve and mapping {spread(mapped)}, {in_scipy / statistics.median(mapped):.0f} times")
    del wanted
    shutil.rmtree(store)
    print(f"shortest_path, float64 in memory: {timed(lambda: ooc.shortest_path(graph, directed=False)):.1f} s")


with tempfile.TemporaryDirectory() as folder:
    overhead(folder)
    if len(sys.argv) > 1:
        road(folder, sys.argv[1])
