"""Read graphs as SciPy reads Matrix Market and as their DIMACS text has them: generated.py NAME...

Each NAME.mtx must hold the arcs of NAME.gr, parallel ones included.
"""
import sys

import numpy as np
from scipy.io import mmread


def compare(name):
    matrix = mmread(name + ".mtx").tocoo()
    lines = [line.split() for line in open(name + ".gr")]
    (head,) = [line for line in lines if line[0] == "p"]
    arcs = np.array([line[1:] for line in lines if line[0] == "a"], dtype=np.int64).reshape(-1, 3)
    assert matrix.shape == (int(head[2]), int(head[2])) and len(arcs) == int(head[3]), (matrix.shape, head)
    ours = np.c_[matrix.row + 1, matrix.col + 1, matrix.data]
    ours, arcs = (a[np.lexsort(a.T[::-1])] for a in (ours, arcs))
    assert np.array_equal(ours, arcs), f"{name}: {len(ours)} and {len(arcs)} arcs differ"


for name in sys.argv[1:]:
    compare(name)
print(len(sys.argv) - 1, "graphs agree")
