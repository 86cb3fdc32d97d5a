"""Compare exports with the store they came from, as its own dist.npy has it: exports.py STORE ROWS COLS FILE...

ROWS and COLS are row numbers, separated by commas, that files named part* have. Prints the type and the shape
of what each file holds.
"""
import csv
import gzip
import sys

import numpy as np
from scipy.io import mmread

from store import matrix


def stored(store):
    """The distances as floats in the input's units, inf where there is no path."""
    meta, d = matrix(store)
    d = d.astype(np.float64)
    if meta["kind"] == "i32":
        d[d == 0x3F3F3F3F] = np.inf
    return d / meta["scale"], meta["kind"] == "f32"


def table(path):
    opened = gzip.open(path, "rt") if path.endswith(".gz") else open(path, newline="")
    with opened as lines:
        rows = list(csv.reader(lines))
    assert rows[0][0] == "" and len(set(map(len, rows))) == 1
    return np.array([[float(cell) for cell in row[1:]] for row in rows[1:]])


def compare(path, want, single):
    if path.endswith(".npy"):
        got = np.load(path)
    elif ".mtx" in path:
        got = mmread(path)
        assert isinstance(got, np.ndarray), type(got)
    else:
        got = table(path)
    element = got.dtype
    if got.dtype.kind == "i":
        got = np.where(got == np.iinfo(np.int32).max, np.inf, got)
    if single:  # the shortest text of a float32 is another float64
        got, want = got.astype(np.float32), want.astype(np.float32)
    assert got.shape == want.shape, (path, got.shape, want.shape)
    assert np.array_equal(got, want), f"{path}: {(got != want).sum()} of {want.size} distances differ"
    print(path, element, *want.shape)


def main(store, rows, cols, *paths):
    whole, single = stored(store)
    part = whole[np.ix_([int(i) for i in rows.split(",")], [int(i) for i in cols.split(",")])]
    for path in paths:
        compare(path, part if path.startswith("part") else whole, single)


main(*sys.argv[1:])
