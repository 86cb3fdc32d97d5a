"""Have SciPy write random Matrix Market files, and say what it reads from them: matrixmarket.py SEED FILES.

For i below FILES it writes i.mtx, and i.arcs with a line "row column value" for each entry that mmread finds off
the diagonal, counted from 1. Of an array, i.arcs has every entry, and i.sparse those that SciPy's csgraph takes for
arcs, which are those that are not zero.
"""
import sys

import numpy as np
from scipy import sparse
from scipy.io import mmread, mmwrite
from scipy.sparse.csgraph import csgraph_from_dense


def values(rng, field, shape):
    whole = rng.integers(-1000, 1000, shape)
    if field == "integer":
        return whole
    if field == "pattern":
        return np.ones(shape)
    return whole + rng.random(shape) * rng.choice([0.0, 1e-3, 1.0, 1e6])


def matrix(rng, dense, field, symmetry):
    n = int(rng.integers(1, 60))
    a = values(rng, field, (n, n))
    keep = rng.random((n, n)) < rng.random()
    a = np.where(keep, a, 0)
    if symmetry == "symmetric":
        a = np.tril(a) + np.tril(a, -1).T
    elif symmetry == "skew-symmetric":
        a = np.tril(a, -1) - np.tril(a, -1).T
    np.fill_diagonal(a, np.abs(np.diagonal(a)))  # a negative self-loop would be refused
    return a if dense else sparse.coo_matrix(a)


def write(name, m):
    """Write the entries off the diagonal."""
    m = sparse.coo_matrix(m) if sparse.issparse(m) else m
    if sparse.issparse(m):
        entries = zip(m.row, m.col, m.data)
    else:
        entries = ((i, j, m[i, j]) for i in range(len(m)) for j in range(len(m)))
    with open(name, "w") as f:
        for i, j, w in entries:
            if i != j:
                f.write(f"{i + 1} {j + 1} {w!r}\n".replace("np.float64(", "").replace("np.int64(", "").replace(")", ""))


def main(seed, files):
    rng = np.random.default_rng(seed)
    for i in range(files):
        dense = bool(rng.random() < 0.4)
        field = rng.choice(["integer", "real"] + ["pattern"] * (not dense))
        symmetry = rng.choice(["general", "symmetric"] + ["skew-symmetric"] * (field != "pattern"))
        m = matrix(rng, dense, field, symmetry)
        mmwrite(f"{i}.mtx", m, comment=rng.choice(["", "a comment\nof two lines"]), field=str(field), symmetry=str(symmetry))
        back = mmread(f"{i}.mtx")
        write(f"{i}.arcs", back)
        if dense:
            write(f"{i}.sparse", csgraph_from_dense(np.asarray(back, dtype=float), null_value=0))
    print(files, "files written")


main(int(sys.argv[1]), int(sys.argv[2]))
